import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import type { Tab } from '../../support/browser.ts'
import { ReferencePage } from '../../support/reference-page.ts'
import { bodyOf } from '../galaxy.ts'
import { chromium, findOperation, useBrowser } from '../in-browser.ts'
import { ownAddress } from '../own-address.ts'
import { press } from './keyboard.ts'
import { findPageFaults, JUDGED_SCREENS, openOn, type ScreenName, takeScreenshot } from './pages.ts'

// Universes on the pages: the offer to create one, the bar, the reset and the API reference.

const CREATE = 'Create your own universe'
const UNIVERSE_URL = /\/u\/[a-z2-7]{24}\//
const OWNER = 'owner@universe.example'

describe.skipIf(!chromium)('universes on the pages', () => {
  const here = useBrowser()

  afterEach(() => here.closeTabs())

  /** Opens a page of the common world. The number of universes that one address can create is limited. */
  async function open(screen: ScreenName, path: string): Promise<Tab> {
    const tab = await openOn(here, screen)
    await tab.page.setExtraHTTPHeaders(ownAddress())
    await tab.page.goto(here.galaxy.url + path)
    return tab
  }

  /** Creates a universe by one click. */
  async function create(screen: ScreenName, path = '/walk'): Promise<Tab & { url: string }> {
    const tab = await open(screen, path)
    await tab.page.getByRole('button', { name: CREATE }).click()
    await untilOwned(tab.page)
    return { ...tab, url: baseUrlOf(tab.page) }
  }

  it.each(JUDGED_SCREENS)('one click on the explorer creates one, on %s', async (screen) => {
    const tab = await open(screen, '/')
    const { page } = tab
    await page.locator('.status-line').waitFor()
    await page.getByRole('button', { name: CREATE }).click()
    await untilOwned(page)
    await page.locator('#table th button').first().waitFor({ state: 'attached' })
    await page.locator('.status-line').waitFor()
    await expect
      .poll(() => page.locator('.universe-state').textContent())
      .toMatch(/^ends in 24 hours, unless it is used\./)
    await expect.poll(() => page.locator('#count').textContent()).toContain('5,402 of 5,402 planets')
    // The browser draws the table only when it is near, and axe takes what is not drawn for overlapping the footer.
    await page.locator('#table').scrollIntoViewIfNeeded()
    await takeScreenshot(page, screen, 'universe-created')
    expect(await findPageFaults(tab)).toEqual([])
  })

  it.each(JUDGED_SCREENS)('one click on the tour creates one, on %s', async (screen) => {
    const tab = await create(screen)
    const { page } = tab
    await takeScreenshot(page, screen, 'universe-walk-created')
    expect(await findPageFaults(tab)).toEqual([])
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await page.getByRole('button', { name: 'Reset', exact: true }).click()
    await page.getByRole('dialog').waitFor()
    await takeScreenshot(page, screen, 'universe-reset')
    expect(await findPageFaults(tab)).toEqual([])
  })

  it('the bar fits every page on a phone', async () => {
    const tab = await create('phone-light')
    for (const path of ['walk', 'account', 'explore/planets/4', 'problems/universe-limit']) {
      await tab.page.goto(`${tab.url}/${path}`)
      await tab.page.locator('.universe-name').waitFor()
      if (!path.startsWith('problems')) await untilOwned(tab.page)
      await takeScreenshot(tab.page, 'phone-light', `universe-${path.replaceAll('/', '-')}`)
      expect([path, await findPageFaults(tab)]).toEqual([path, []])
    }
  })

  it('the owner of a new universe has the account until it is put away, and stays signed in', async () => {
    const { page, url, recording } = await create('desktop-light')
    await page.waitForURL(`${url}/walk`)
    await page.getByRole('button', { name: `Go on as ${OWNER}` }).waitFor()
    const readOwner = () => page.locator('.universe-owner code').allTextContents()
    await expect.poll(async () => (await readOwner()).slice(0, 2)).toEqual([url, OWNER])
    const [, email, password] = await readOwner()
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(`${url}/auth/token`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ email, password }),
    })
    expect(answer.status).toBe(201)
    await page.reload()
    // The button that gets the focus appears only once the service has said whose universe it is.
    await untilOwned(page)
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await expect.poll(() => focusOf(page)).toBe('Reset')
    await page.goto(`${url}/account`)
    await page.getByText(`Signed in as ${OWNER}`).waitFor()
    await expect.poll(() => page.locator('.universe-owner').count()).toBe(0)
    // biome-ignore lint/plugin: it is there at no moment
    expect(await page.content()).not.toContain(password)
    await page.getByRole('link', { name: 'Back to the common world' }).click()
    await page.waitForURL(`${here.galaxy.url}/`)
    await page.goto(`${here.galaxy.url}/account`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await recording.takeFaults()).toEqual([])
  })

  it('the focus stays in the bar if the account is put away before the service has said whose universe it is', async () => {
    const { page, url } = await create('desktop-light')
    let answer = () => {}
    const isHeld = new Promise<void>((resolve) => (answer = resolve))
    await page.route('**/me', async (route) => {
      await isHeld
      await route.continue()
    })
    await page.goto(`${url}/walk`)
    await page.getByRole('button', { name: 'I have saved it' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => focusOf(page)).toMatch(/^Universe /)
    answer()
    await page.getByRole('button', { name: 'Reset', exact: true }).waitFor()
    await page.keyboard.press('Tab')
    await expect.poll(() => focusOf(page)).toBe('Reset')
  })

  it('the bar does not say that a request moves an end that the owner has fixed', async () => {
    const { page, url } = await create('desktop-light')
    const expiresAt = new Date(Date.now() + 5 * 60 * 60 * 1000).toISOString()
    expect((await sendAsOwner(page, 'PATCH', '/universe', { expiresAt })).status).toBe(200)
    await page.goto(`${url}/walk`)
    await page.getByText('ends in 5 hours').waitFor()
    await expect.poll(() => page.locator('.universe-state time').textContent()).toBe('ends in 5 hours.')
  })

  it('with the keyboard alone, a person creates a universe and resets it', async () => {
    const { page, recording } = await open('desktop-light', '/walk')
    await page.getByRole('button', { name: 'Start again' }).waitFor()
    await press(page, CREATE)
    await untilOwned(page)
    const url = baseUrlOf(page)
    const change = await sendAsOwner(page, 'PUT', '/planets/1', { name: 'Mine' })
    expect(change.status).toBe(200)
    await page.evaluate(`sessionStorage.setItem('galaxy${new URL(url).pathname}.inboxes', '["of before"]')`)
    await press(page, 'Reset')
    await page.getByRole('dialog').waitFor()
    await press(page, 'Reset it')
    await page.getByText('The universe was reset.').waitFor()
    expect((await bodyOf(await fetch(`${url}/planets/1`))).name).not.toBe('Mine')
    await expect.poll(() => page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('of before')
    await page.getByRole('button', { name: 'Reset', exact: true }).waitFor()
    await page.getByRole('heading', { name: 'This universe is yours' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Reset', exact: true }).waitFor()
    await expect.poll(() => page.getByText('The universe was reset.').count()).toBe(0)
    expect(await recording.takeFaults()).toEqual([])
  })

  /** Expects that a page links and loads only below the base URL of its universe, except for the way back. */
  async function expectOnlyBelow(page: Page, url: string, requests: readonly string[]): Promise<void> {
    await page.waitForLoadState('networkidle')
    const findOthers = async () => (await linksOf(page)).filter((link) => !isBelow(link, url))
    await expect.poll(findOthers, { message: page.url() }).toEqual([`${here.galaxy.url}/`])
    expect(requests.filter((request) => !isBelow(request, url))).toEqual([])
  }

  it('in the API reference, a call succeeds at once as the owner', async () => {
    const { page, url, recording } = await create('desktop-light')
    const reference = new ReferencePage(page, url)
    const updatePlanet = findOperation('updatePlanet')
    await reference.narrow([updatePlanet])
    const requests = recordRequests(page)
    await reference.open()
    await expectOnlyBelow(page, url, requests)
    await reference.try(updatePlanet)
    await reference.setParameter('planetId', '1')
    await reference.setBody('{"name": "Mine"}')
    const { status, sent, text } = await reference.send(updatePlanet)
    expect([status, sent.url.href], text).toEqual([200, `${url}/planets/1`])
    const in32 = await (await fetch(`${url}/docs?document=3.2`)).text()
    expect(in32).toContain(`data-url="${new URL(url).pathname}/openapi-3.2.json"`)
    expect((await bodyOf(await fetch(`${url}/planets/1`))).name).toBe('Mine')
    expect(await recording.takeFaults()).toEqual([])
    await page.goto(`${url}/explore/planets/1`)
    await page.getByText('has set everything').waitFor()
  })

  it('its pages link and load only below its base URL', async () => {
    const { page, url, recording } = await create('desktop-light')
    const requests = recordRequests(page)
    const paths = ['/', '/walk', '/account', '/explore/planets/1', '/problems', '/problems/not-found', '/lab']
    for (const path of [...paths, '/oauth/authorize', '/echo/page.html']) {
      await page.goto(url + path)
      await expectOnlyBelow(page, url, requests)
    }
    expect(requests.length).toBeGreaterThan(30)
    expect(await recording.takeFaults()).toEqual([])
  })

  it('a visitor sees when the universe ends, and nobody resets it without a session', async () => {
    const { page, url } = await create('desktop-light')
    const visitor = await openOn(here, 'desktop-light')
    await visitor.page.goto(`${url}/`)
    await visitor.page.getByText('ends in 24 hours').waitFor()
    await visitor.page.locator('.status-line').waitFor()
    await expect.poll(() => visitor.page.getByRole('button', { name: 'Reset', exact: true }).count()).toBe(0)
    await expect.poll(() => visitor.page.getByRole('button', { name: CREATE }).count()).toBe(0)
    expect(await visitor.recording.takeFaults()).toEqual([])
    // The session of the owner has ended.
    const name = `galaxy${new URL(url).pathname}.session`
    await page.evaluate(`sessionStorage.setItem('${name}', '{"email": "${OWNER}", "token": "old"}')`)
    await page.reload()
    await page.getByRole('link', { name: 'Sign in to reset it' }).waitFor()
  })

  it('a universe without planets has an explorer, too', async () => {
    const headers = { 'Content-Type': 'application/json', ...ownAddress() }
    const body = JSON.stringify({ seed: 'blank' })
    const { url } = await bodyOf(await fetch(`${here.galaxy.url}/universes`, { method: 'POST', headers, body }))
    const tab = await openOn(here, 'phone-light')
    await tab.page.goto(`${url}/`)
    await tab.page.getByText('There were no planets when you opened this page.').waitFor()
    await tab.page.locator('.status-line', { hasText: '200' }).waitFor()
    await takeScreenshot(tab.page, 'phone-light', 'universe-blank')
    expect(await findPageFaults(tab)).toEqual([])
  })

  describe('if a universe cannot be created or entered', () => {
    it('every refusal is explained, and the button works again', async () => {
      const tab = await open('desktop-light', '/walk')
      for (const { problem, status, words } of [
        { problem: 'universes-off', status: 403, words: 'Ask the operator, or run Galaxy yourself.' },
        { problem: 'too-many-requests', status: 429, words: 'Wait 90 seconds, then try again.' },
        {
          problem: 'service-unavailable',
          status: 503,
          words: 'This is a fault of the service. Try again in a moment.',
        },
      ]) {
        await tab.page.route('**/universes', (route) =>
          route.fulfill({
            status,
            contentType: 'application/problem+json',
            headers: { 'Retry-After': '90' },
            body: JSON.stringify({ type: `${here.galaxy.url}/problems/${problem}`, detail: 'No universe.' }),
          }),
        )
        await tab.page.getByRole('button', { name: CREATE }).click()
        await tab.page.getByText(`No universe. ${words}`).waitFor()
        await takeScreenshot(tab.page, 'desktop-light', `universe-refused-${status}`)
        await tab.page.unroute('**/universes')
      }
      await tab.page.getByRole('button', { name: CREATE }).click()
      await untilOwned(tab.page)
    })

    it('a browser that keeps nothing shows the account before it opens the universe', async () => {
      const tab = await openOn(here, 'desktop-light')
      await tab.page.addInitScript(
        "Storage.prototype.setItem = () => { throw new DOMException('no', 'QuotaExceededError') }",
      )
      await tab.page.setExtraHTTPHeaders(ownAddress())
      await tab.page.goto(`${here.galaxy.url}/`)
      await tab.page.getByRole('button', { name: CREATE }).click()
      await tab.page.getByText('copy the account before you open the universe').waitFor()
      await takeScreenshot(tab.page, 'desktop-light', 'universe-not-entered')
      expect(await findPageFaults(tab)).toEqual([])
      await tab.page.getByRole('link', { name: 'Open the universe' }).click()
      await tab.page.waitForURL(UNIVERSE_URL)
      await tab.page.getByText('ends in 24 hours').waitFor()
    })
  })
})

/** Waits until the page of a universe knows its owner. */
async function untilOwned(page: Page): Promise<void> {
  await page.waitForURL(UNIVERSE_URL)
  await page.getByRole('heading', { name: 'This universe is yours' }).waitFor()
  await page.getByRole('button', { name: 'Reset', exact: true }).waitFor()
  await page.getByText('ends in 24 hours').waitFor()
}

function baseUrlOf(page: Page): string {
  const [base = ''] = /^.*\/u\/[a-z2-7]{24}/.exec(page.url()) ?? []
  return base
}

/** Makes a call as the user who has signed in on a page of a universe. */
async function sendAsOwner(page: Page, method: string, path: string, body: object): Promise<Response> {
  const url = baseUrlOf(page)
  const text = await page.evaluate<string>(`sessionStorage.getItem('galaxy${new URL(url).pathname}.session')`)
  const headers = { Authorization: `Bearer ${JSON.parse(text).token}`, 'Content-Type': 'application/json' }
  return await fetch(url + path, { method, headers, body: JSON.stringify(body) })
}

async function focusOf(page: Page): Promise<string> {
  return await page.evaluate<string>('document.activeElement.textContent')
}

/** The URLs of all requests that a page makes from now on. */
function recordRequests(page: Page): string[] {
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  return requests
}

/** The links of a page to this service. */
async function linksOf(page: Page): Promise<string[]> {
  const links = await page.evaluate<string[]>('[...document.links].map(({ href }) => href)')
  const { origin } = new URL(page.url())
  return [...new Set(links)].filter((link) => new URL(link).origin === origin)
}

function isBelow(link: string, base: string): boolean {
  const { protocol } = new URL(link)
  return ['data:', 'blob:'].includes(protocol) || link === base || link.startsWith(`${base}/`)
}
