import type { Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Tab } from '../../support/browser.ts'
import { SCRIPT_PAYLOADS } from '../../support/script-payloads.ts'
import { chromium, PASSWORD, useBrowser } from '../in-browser.ts'
import { addApplications, makePerson, type Person } from './account-world.ts'
import { findPageFaults, openOn, type ScreenName, takeScreenshot } from './pages.ts'

const NEW_PASSWORD = 'i-love-moons'
const SECTIONS = ['deliveries', 'inboxes', 'keys', 'applications', 'profile']
const OFFLINE = /ERR_INTERNET_DISCONNECTED/

describe.skipIf(!chromium)('the account page', () => {
  const here = useBrowser()
  let tab: Tab
  let page: Page
  /** A user with two deliveries, one of them pending, and with keys and applications. */
  let person: Person
  let inboxUrl = ''

  beforeAll(async () => {
    person = await makePerson(here.galaxy.url)
    const inbox = await person.make('POST', '/inboxes')
    inboxUrl = inbox.url
    await person.send('POST', '/planets', { name: 'Arrakis', successCallbackUrl: inboxUrl })
    await untilDelivered(person, 'delivered')
    await person.send('PUT', `/inboxes/${inbox.id}`, { status: 503, body: 'Not today' })
    await person.send('POST', '/planets', { name: 'Caladan', successCallbackUrl: inboxUrl })
    await person.send('POST', '/me/api-keys', { name: 'Build server', scopes: ['read:planets', 'write:planets'] })
    await person.send('POST', '/me/api-keys')
    await addApplications(here.galaxy.url, person, 'Atlas')
  })

  afterEach(() => here.closeTabs())

  async function open(screen: ScreenName, hash = ''): Promise<void> {
    tab = await openOn(here, screen)
    page = tab.page
    await page.goto(`${here.galaxy.url}/account${hash}`)
  }

  async function signIn(email = person.email, password = PASSWORD): Promise<void> {
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your account' }).waitFor()
  }

  const expectNoFaults = async (...expected: RegExp[]) => expect(await findPageFaults(tab, ...expected)).toEqual([])

  it.each(['desktop-light', 'desktop-dark', 'phone-light', 'phone-dark'] as const)('every section: %s', async (screen) => {
    await open(screen)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await expectNoFaults()
    await takeScreenshot(page, screen, 'account-sign-in')
    await signIn()
    for (const section of SECTIONS) {
      await page.goto(`${here.galaxy.url}/account#${section}`)
      await page.getByText('Loading …').first().waitFor({ state: 'detached' })
      await page.locator('details.same-calls > summary').click()
      await expectNoFaults()
      await takeScreenshot(page, screen, `account-${section}`)
    }
    await page.goto(`${here.galaxy.url}/account#deliveries`)
    await page.getByRole('link', { name: /^planetCreated/ }).first().click()
    await page.getByText('the receiver returned 503').first().waitFor()
    await page.getByText('The body that is sent').click()
    await expectNoFaults()
    await takeScreenshot(page, screen, 'account-delivery')
    await page.goto(`${here.galaxy.url}/account#inboxes/${new URL(inboxUrl).pathname.split('/')[2]}`)
    await page.getByText('x-signature is valid').first().click()
    await expectNoFaults()
    await takeScreenshot(page, screen, 'account-inbox')
  })
})

async function untilDelivered(person: Person, status: string): Promise<void> {
  for (;;) {
    const { meta } = await person.make('GET', `/deliveries?status=${status}`)
    if (meta.total > 0) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
