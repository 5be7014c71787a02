import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { authorizationPath, registerClient } from '../../support/oauth.ts'
import { ReferencePage } from '../../support/reference-page.ts'
import { chromium, findOperation, PASSWORD, useBrowser } from '../in-browser.ts'
import { findPageFaults, findTabFaults, JUDGED_SCREENS, openOn, SCREENS, takeScreenshot } from './pages.ts'

// The pages to read and the pages of the provider: every state on every screen, and the way from an application through
// the sign-up and back.

/** Registry: the states of the pages, and how a reader gets there. */
const STATES: Record<string, (page: Page, url: string) => Promise<unknown>> = {
  problems: (page) => page.goto(new URL('/problems', page.url()).href),
  problem: (page) => page.goto(new URL('/problems/invalid-body', page.url()).href),
  'problem-real': (page) => page.goto(new URL('/problems/method-not-allowed', page.url()).href),
  guides: (page) => page.goto(new URL('/guides', page.url()).href),
  async 'guides-found'(page) {
    await page.getByLabel('Find in titles and headings').fill('verify')
    await page
      .getByRole('link', { name: /verify/i })
      .first()
      .waitFor()
  },
  guide: (page) => page.goto(new URL('/guides/callbacks', page.url()).href),
  echo: (page) => page.goto(new URL('/echo/planets.html?tag=a&tag=b', page.url()).href),
  'sign-in': (page, url) => page.goto(url),
  async 'sign-in-refused'(page) {
    await page.getByLabel('E-mail address').fill('nobody@galaxy.test')
    await page.getByLabel('Password').fill('i-hate-planets')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
  },
  async 'sign-up'(page) {
    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByRole('heading', { name: 'Create a Galaxy account' }).waitFor()
  },
  async 'sign-up-refused'(page) {
    await page.getByLabel('Name (optional)').fill('Ada')
    await page.getByLabel('E-mail address').fill(`${crypto.randomUUID()}@galaxy.test`)
    await page.getByLabel('Password').fill('abc')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
  },
  async consent(page) {
    // The password field has the focus, and the rest is still there.
    await page.locator('input[type=password]:focus').waitFor()
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Allow' }).waitFor()
  },
  async 'sign-out'(page) {
    await page.goto(new URL('/oauth/end-session', page.url()).href)
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
  },
  async 'signed-out'(page) {
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  },
  error: (page) => page.goto(new URL('/oauth/authorize?client_id=nobody', page.url()).href),
}

describe.skipIf(!chromium)('in a browser', () => {
  const here = useBrowser()
  afterEach(here.closeTabs)

  it.each(JUDGED_SCREENS)('every page can be read and used on %s', async (screen) => {
    const tab = await openOn(here, screen)
    const { page } = tab
    const scope = 'read:account write:planets openid email offline_access'
    const send = (path: string, init?: RequestInit) => fetch(new URL(path, here.galaxy.url), init)
    const { id } = await registerClient(send, { client_name: 'Atlas', client_uri: 'https://atlas.example/' })
    await page.goto(here.galaxy.url)
    for (const [state, go] of Object.entries(STATES)) {
      await go(page, here.galaxy.url + authorizationPath(id, { scope }))
      await takeScreenshot(page, screen, state)
      expect(await findPageFaults(tab), state).toEqual([])
    }
  })

  describe('the guides', () => {
    it('are found by words of their titles and headings, also by the address', async () => {
      const { page } = await openOn(here, 'phone-dark')
      await page.goto(`${here.galaxy.url}/guides?text=device`)
      const shown = page.getByRole('link').filter({ visible: true })
      await shown.filter({ hasText: 'device' }).first().waitFor()
      const titles = page.getByRole('main').getByRole('heading', { level: 3 }).filter({ visible: true })
      await expect.poll(() => titles.allTextContents()).toEqual(['Authentication'])
      await expect.poll(() => page.getByRole('status').textContent()).toMatch(/^\d+ titles? (and|or) headings?$/)
      await page.getByLabel('Find in titles and headings').fill('no such words')
      await expect.poll(() => titles.count()).toBe(0)
      expect(new URL(page.url()).searchParams.get('text')).toBe('no such words')
      await expect.poll(() => page.getByRole('status').textContent()).toBe('0 titles and headings')
      await page.getByLabel('Find in titles and headings').fill('')
      await expect.poll(() => titles.count()).toBeGreaterThan(10)
    })

    it('have code with a button that copies it', async () => {
      const { page } = await openOn(here, 'desktop-light')
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.goto(`${here.galaxy.url}/guides/callbacks`)
      const code = page.locator('.code-text').first()
      await code.getByRole('button', { name: /^Copy/ }).click()
      await expect
        .poll(() => page.evaluate(() => navigator.clipboard.readText()))
        .toBe(await code.locator('code').textContent())
    })
  })

  describe('the API reference', () => {
    const createPlanet = findOperation('createPlanet')

    it.each(JUDGED_SCREENS)('is useful before its script has loaded, on %s', async (screen) => {
      const tab = await openOn(here, screen)
      const { page } = tab
      await page.route('**/standalone.js', () => undefined)
      await page.goto(`${here.galaxy.url}/docs`, { waitUntil: 'commit' })
      await page.getByRole('link', { name: 'POST /planets', exact: true }).waitFor()
      await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Galaxy API reference')
      await takeScreenshot(page, screen, 'docs-list')
      expect(await findPageFaults(tab)).toEqual([])
    })

    it('fits a phone and a desktop', async () => {
      const tab = await openOn(here, 'phone-dark')
      const { page } = tab
      const reference = new ReferencePage(page, here.galaxy.url)
      await reference.narrow([createPlanet])
      await reference.open()
      await expect.poll(() => page.locator('.operations').count()).toBe(0)
      await takeScreenshot(page, 'phone-dark', 'docs')
      expect(await findTabFaults(tab)).toEqual([])
      // An anchor of the list is also one of the reference.
      await reference.show(createPlanet)
      expect(await findTabFaults(tab)).toEqual([])
      await takeScreenshot(page, 'phone-dark', 'docs-operation')
      await page.setViewportSize(SCREENS['desktop-dark'].viewport)
      await page.getByRole('complementary').first().waitFor()
      expect(await findTabFaults(tab)).toEqual([])
      await takeScreenshot(page, 'desktop-dark', 'docs-operation')
    })
  })
})
