import type { Page, Route } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { SCRIPT_PAYLOADS } from '../../support/script-payloads.ts'
import { chromium, useBrowser } from '../in-browser.ts'
import {
  findPageFaults,
  JUDGED_SCREENS,
  openOn,
  SCREENS,
  type ScreenName,
  switchLiveOff,
  takeScreenshot,
  untilStill,
} from './pages.ts'

// The explorer at `/`, in Chromium, against the real service. The pages of planets are another test's.

const PLANET_PAGE = '**/explore/planets/*'
const NAMES = /^(?:Mars|Venus|Earth|Mercury|Pluto|Jupiter|Saturn|Uranus|Neptune)$/

describe.skipIf(!chromium)('the explorer', () => {
  const here = useBrowser()

  afterEach(async () => {
    await here.closeTabs()
  })

  /** Opens the explorer and waits until the picture is drawn and the script's table is there. */
  async function openExplorer(screen: ScreenName, query = '') {
    const tab = await openOn(here, screen)
    await switchLiveOff(tab.page)
    await tab.page.goto(`${here.galaxy.url}/${query}`)
    await tab.page.locator('#table th button, #table .notice').first().waitFor({ state: 'attached' })
    return tab
  }

  it.each(JUDGED_SCREENS)('says what the service is, and shows it, on %s', async (screen) => {
    const tab = await openExplorer(screen)
    const { page } = tab
    await page.getByText('200', { exact: true }).waitFor()
    await expect.poll(() => page.locator('.answer pre').textContent()).toContain('"name": "Mars"')
    await expectCount(
      page,
      '5,402 of 5,402 planets. 1,320 have no known radius or no known orbital period and are only in the table.',
    )
    await page.locator('#picture').focus()
    await page.keyboard.press('ArrowRight')
    await page.locator('.card').waitFor()
    await takeScreenshot(page, screen, 'explorer')
    // The browser draws the table only when it is near, and axe takes what is not drawn for overlapping the footer.
    await page.locator('#table').scrollIntoViewIfNeeded()
    expect(await findPageFaults(tab)).toEqual([])
  })

  it('runs the calls that it shows', async () => {
    const { page } = await openExplorer('desktop-light')
    await page.getByRole('button', { name: 'Run' }).nth(1).click()
    await page.locator('.status-line', { hasText: 'application/xml' }).waitFor()
    await page.getByRole('button', { name: 'Run' }).nth(2).click()
    await page.getByText('503', { exact: true }).waitFor()
    await page.locator('.answer pre', { hasText: '"status": 503' }).waitFor()
  })

  it('filters, keeps the focus while somebody types, and keeps its view in the URL', async () => {
    const { page } = await openExplorer('desktop-light')
    await page.getByLabel('Host star').pressSequentially('trappist', { delay: 20 })
    await expectCount(page, '7 of 5,402')
    await expect
      .poll(() => page.getByLabel('Host star').evaluate((field) => field === field.ownerDocument.activeElement))
      .toBe(true)
    await page.getByLabel('Dwarf').uncheck()
    await page.getByLabel('Discovery method').selectOption('Transit')
    await page.getByLabel('from', { exact: true }).fill('2016')
    await page.getByLabel('Vertical axis').selectOption('Mass (Earth masses)')
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await page.waitForURL(/view=/)
    const shown = await untilStill(() => summarize(page))
    expect(new URL(page.url()).searchParams.get('host')).toBe('trappist')
    await page.reload()
    await page.locator('th button').first().waitFor({ state: 'attached' })
    await expect.poll(() => summarize(page)).toEqual(shown)
    await expect.poll(() => page.getByLabel('Host star').inputValue()).toBe('trappist')
    await expect.poll(() => page.getByLabel('Dwarf').isChecked()).toBe(false)
    await expect.poll(() => page.getByLabel('Vertical axis').inputValue()).toBe('mass')
    await page.getByRole('button', { name: 'Reset filters' }).click()
    await page.getByRole('button', { name: 'Show all' }).click()
    await expectCount(page, '5,402 of 5,402')
    await page.waitForURL(/\/\?y=mass$/)
  })

  it('says so if no planet matches', async () => {
    const tab = await openExplorer('desktop-light', '?q=no+such+planet')
    await tab.page.getByText('No planet matches the filters.').waitFor()
    await takeScreenshot(tab.page, 'desktop-light', 'explorer-nothing')
    expect(await findPageFaults(tab)).toEqual([])
  })

  it('moves to planets, zooms and opens one with the keyboard alone, and comes back to the same view', async () => {
    const { page } = await openExplorer('desktop-light', '?type=dwarf,terrestrial&q=a')
    await page.route(PLANET_PAGE, (route) => fulfilWithPage(route))
    await page.locator('#picture').focus()
    await page.keyboard.press('ArrowDown')
    const card = page.locator('.card strong')
    const first = await card.textContent()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => card.textContent()).not.toBe(first)
    const name = await card.textContent()
    await expect.poll(() => page.locator('#announcement').textContent()).toContain(name)
    await page.keyboard.press('+')
    await page.keyboard.press('Shift+ArrowRight')
    await page.waitForURL(/view=.*planet=|planet=.*view=/)
    await page.keyboard.press('0')
    await expect.poll(() => page.url()).not.toContain('view=')
    await page.keyboard.press('Enter')
    await page.waitForURL(PLANET_PAGE)
    await page.goBack()
    await expect.poll(() => card.textContent()).toBe(name)
    await expectCount(page, /^\d+ of 5,402/)
    await page.locator('#picture').focus()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('.card').count()).toBe(0)
  })

  it('shows what is under the mouse, opens it with a click, and zooms with Ctrl and the wheel', async () => {
    const { page } = await openExplorer('desktop-light', '?q=Jupiter&planet=5')
    await page.route(PLANET_PAGE, (route) => fulfilWithPage(route))
    const [x, y] = await placeOfRing(page)
    await page.keyboard.press('Escape')
    await page.mouse.move(x + 3, y - 2)
    await expect.poll(() => page.locator('.card strong').textContent()).toMatch(NAMES)
    await page.mouse.wheel(0, 100)
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(0)
    await page.locator('#picture').scrollIntoViewIfNeeded()
    const [newX, newY] = await placeOfRing(page)
    await page.mouse.move(newX, newY)
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, -50)
    await page.keyboard.up('Control')
    await page.waitForURL(/view=/)
    await page.locator('#picture').dblclick({ position: { x: 100, y: 40 } })
    await expect.poll(() => page.url()).not.toContain('view=')
    await page.mouse.click(...(await placeOfRing(page)))
    await page.waitForURL('**/explore/planets/5')
  })

  it('shows a card after a tap, with a link', async () => {
    const { page } = await openExplorer('phone-light', '?q=Jupiter&planet=5')
    await page.route(PLANET_PAGE, (route) => fulfilWithPage(route))
    await page.locator('#picture').scrollIntoViewIfNeeded()
    const [x, y] = await placeOfRing(page)
    await page.touchscreen.tap(x, y - 60)
    await expect.poll(() => page.locator('.card').count()).toBe(0)
    await page.touchscreen.tap(x, y)
    await page.locator('.card a').tap()
    await page.waitForURL('**/explore/planets/5')
  })

  it('has a table that is sorted and read page by page', async () => {
    const { page } = await openExplorer('desktop-light', '?type=dwarf,gas_giant')
    await page.getByRole('button', { name: 'Mass Earth = 1' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => firstRow(page)).toContain('Pluto')
    const header = page.getByRole('columnheader', { name: 'Mass' })
    await expect.poll(() => header.getAttribute('aria-sort')).toBe('ascending')
    await page.keyboard.press('Enter')
    await expect.poll(() => header.getAttribute('aria-sort')).toBe('descending')
    const heaviest = await untilStill(() => firstRow(page))
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect.poll(() => page.locator('caption').textContent()).toMatch(/^Planets 51 to 100 of /)
    await page.waitForURL(/sort=-mass&offset=50$/)
    await expect.poll(() => page.locator('tbody tr').count()).toBe(50)
    await page.getByRole('button', { name: 'Previous page' }).click()
    await expect.poll(() => firstRow(page)).toBe(heaviest)
  })

  it('has the catalogue page by page without JavaScript', async () => {
    const tab = await here.open({ ...SCREENS['phone-light'], javaScriptEnabled: false })
    const { page } = tab
    await page.goto(here.galaxy.url)
    await expect.poll(() => page.locator('#picture').isVisible()).toBe(false)
    await expect.poll(() => page.locator('tbody tr').count()).toBe(50)
    await page.getByRole('link', { name: 'Next page' }).click()
    await expect.poll(() => page.locator('caption').textContent()).toBe('Planets 51 to 100 of 5,402')
    await takeScreenshot(page, 'phone-light', 'explorer-without-script')
  })

  it('says what to do if it cannot read the catalogue, keeps the table, and tries again', async () => {
    const tab = await openOn(here, 'desktop-dark')
    const { page } = tab
    await switchLiveOff(page)
    await page.route('**/catalogue', (route) => route.abort())
    await page.goto(here.galaxy.url)
    const notice = page.getByRole('alert')
    await notice.getByText(/cannot be reached/).waitFor()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(50)
    // The calls at the top of the page do not need the catalogue.
    await page.getByText('200', { exact: true }).waitFor()
    await takeScreenshot(page, 'desktop-dark', 'explorer-failure')
    for (const [status, headers, advice] of [
      [503, {}, /Try again in a moment/],
      [429, { 'Retry-After': '17' }, /Wait 17 seconds/],
    ] as const) {
      await page.unroute('**/catalogue')
      await page.route('**/catalogue', (route) => refuse(route, status, headers))
      await page.getByRole('button', { name: 'Try again' }).click()
      await notice.getByText(advice).waitFor()
      await expect.poll(() => page.locator('tbody tr').count()).toBe(50)
    }
    // Chromium logs the failures that this test causes.
    const caused = /Failed to load resource|preload|the answer to GET/
    await page.locator('#table').scrollIntoViewIfNeeded()
    expect(await findPageFaults(tab, caused)).toEqual([])
    await page.unroute('**/catalogue')
    await page.getByRole('button', { name: 'Try again' }).click()
    await expectCount(page, '5,402 of 5,402')
    await notice.waitFor({ state: 'detached' })
    expect(await tab.recording.takeFaults(caused)).toEqual([])
  })

  it('shows names from strangers as text', async () => {
    const tab = await openOn(here, 'desktop-light')
    const { page } = tab
    await switchLiveOff(page)
    await page.route('**/catalogue', (route) => fulfilWithNames(route, SCRIPT_PAYLOADS))
    await page.goto(here.galaxy.url)
    await expectCount(page, `${SCRIPT_PAYLOADS.length} of ${SCRIPT_PAYLOADS.length}`)
    await page.locator('th button').first().waitFor({ state: 'attached' })
    const names = await untilStill(() => page.locator('tbody th').allTextContents())
    expect(names).toEqual(SCRIPT_PAYLOADS.slice(0, names.length))
    await page.locator('#picture').focus()
    await page.keyboard.press('ArrowRight')
    await expect
      .poll(() => page.locator('.card strong').textContent())
      .toSatisfy((name) => SCRIPT_PAYLOADS.includes(name))
    // biome-ignore lint/plugin: it is there at no moment
    expect(await page.locator('img, iframe, main script').count()).toBe(0)
    expect(await tab.recording.takeFaults(/the answer to GET/)).toEqual([])
  })
})

async function expectCount(page: Page, text: string | RegExp): Promise<void> {
  const matcher = typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text)
  await expect.poll(() => page.locator('#count').textContent()).toEqual(matcher)
}

/** What the page shows of its state. */
async function summarize(page: Page): Promise<unknown[]> {
  await page.locator('tbody tr').first().waitFor()
  return [await page.locator('#count').textContent(), await page.locator('tbody th').allTextContents(), page.url()]
}

function firstRow(page: Page): Promise<string | null> {
  return page.locator('tbody tr').first().textContent()
}

/** The middle of the ring around the marked planet, on the screen. */
async function placeOfRing(page: Page): Promise<[x: number, y: number]> {
  const box = await untilStill(() => page.locator('.ring').boundingBox())
  if (!box) throw new Error('no planet is marked')
  return [box.x + box.width / 2, box.y + box.height / 2]
}

function fulfilWithPage(route: Route): Promise<void> {
  return route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>A planet</title>' })
}

function refuse(route: Route, status: number, headers: Record<string, string>): Promise<void> {
  return route.fulfill({ status, headers, contentType: 'application/problem+json', body: '{"detail":"Not now."}' })
}

/** A catalogue of planets with these names. */
function fulfilWithNames(route: Route, names: readonly string[]): Promise<void> {
  const numbers = names.map((_, index) => index + 1)
  const columns = {
    id: numbers,
    name: names,
    type: names.map(() => 'dwarf'),
    ...Object.fromEntries(
      ['mass', 'radius', 'gravity', 'temperature', 'orbitalPeriod', 'semiMajorAxis'].map((name) => [name, numbers]),
    ),
    eccentricity: numbers,
    habitabilityIndex: numbers,
    discoveredYear: numbers,
    tags: names.map((name) => [name]),
  }
  return route.fulfill({ json: { total: names.length, columns } })
}
