import type { Page, Request, Route } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { NO_FILTERS, select } from '../../../browser/explorer/filters.ts'
import { listPlanets } from '../../../src/site/explorer/planets.ts'
import { SCRIPT_PAYLOADS } from '../../support/script-payloads.ts'
import { bodyOf } from '../galaxy.ts'
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

const FIELDS = 'name,type,tags,habitabilityIndex,discoveredAt,physicalProperties'
const PLANET_PAGE = '**/explore/planets/*'
/** The requests of the table that have a query in the URL. */
const LIST = '**/planets?*'
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
    await page.getByLabel('Terrestrial').check()
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
    await expect.poll(() => page.getByLabel('Terrestrial').isChecked()).toBe(true)
    await expect.poll(() => page.getByLabel('Vertical axis').inputValue()).toBe('mass')
    await page.getByRole('button', { name: 'Reset filters' }).click()
    await page.getByRole('button', { name: 'Show all' }).click()
    await expectCount(page, '5,402 of 5,402')
    await page.waitForURL(/\/\?y=mass$/)
  })

  it('reads the table from the API, shows the request that it sends, and waits until nobody types', async () => {
    const { page } = await openExplorer('desktop-light')
    const sent = recordReads(page)
    const shown = `${here.galaxy.url}/planets?name=kepler&minHabitabilityIndex=0.5&sort=-habitabilityIndex&type=terrestrial&type=super_earth&fields=${FIELDS}&limit=50`
    await page.getByLabel('Name', { exact: true }).pressSequentially('kepler', { delay: 10 })
    await expect.poll(() => sent.length).toBe(1)
    await page.getByLabel('Terrestrial').check()
    await page.getByLabel('Super-Earth').check()
    await page.getByLabel('Habitability at least').fill('0.5')
    await page.getByRole('button', { name: 'Habitability' }).click()
    await page.getByRole('button', { name: 'Habitability' }).click()
    await expect.poll(() => requestOf(page)).toBe(`GET ${shown}`)
    await page.getByText(/^The response was 200, after \d+ ms\.$/).waitFor()
    expect(sent.at(-1)).toEqual({ method: 'GET', url: shown, body: null })
    await expectTable(page, shown)
    const copy = page.getByRole('button', { name: 'Copy the request' })
    await copy.click()
    await page
      .getByRole('status')
      .filter({ hasText: /Copied|The text is selected/ })
      .waitFor()
    await page.getByRole('button', { name: 'Reset filters' }).click()
    await expect
      .poll(() => requestOf(page))
      .toBe(`GET ${here.galaxy.url}/planets?sort=-habitabilityIndex&fields=${FIELDS}&limit=50`)
  })

  it('goes on by cursor, and back', async () => {
    const { page } = await openExplorer('desktop-light', '?sort=name&type=gas_giant')
    const first = await requestOf(page)
    const names = await untilStill(() => page.locator('tbody th').allTextContents())
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect.poll(() => page.locator('caption').textContent()).toMatch(/^Planets 51 to 100 of /)
    await expect.poll(() => requestOf(page)).toMatch(/&limit=50&cursor=[\w-]+$/)
    await page.waitForURL(/sort=name&offset=50$/)
    await expectTable(page, (await requestOf(page)).replace('GET ', ''))
    await page.reload()
    await expect.poll(() => page.locator('caption').textContent()).toMatch(/^Planets 51 to 100 of /)
    await expect.poll(() => requestOf(page)).toMatch(/&limit=50&offset=50$/)
    await page.getByRole('button', { name: 'Previous page' }).click()
    await expect.poll(() => requestOf(page)).toBe(first)
    await expect.poll(() => page.locator('tbody th').allTextContents()).toEqual(names)
  })

  it('shows the last page for an offset past the end', async () => {
    const { page } = await openExplorer('desktop-light', '?type=dwarf,ice_giant&offset=99999')
    await expect.poll(() => page.locator('caption').textContent()).toMatch(/^Planets ([\d,]+) to ([\d,]+) of \2$/)
    await expect.poll(() => page.getByRole('button', { name: 'Next page' }).isDisabled()).toBe(true)
  })

  it.each(['phone-light', 'desktop-dark'] as const)('sends the same query in three ways, on %s', async (screen) => {
    const tab = await openExplorer(screen, '?q=trappist&sort=name')
    const { page } = tab
    const sent = recordReads(page)
    const choice = page.getByLabel('This table is the answer to')
    const query = { name: 'trappist', sort: 'name', fields: FIELDS.split(','), limit: 50 }
    const names = await untilStill(() => page.locator('tbody th').allTextContents())
    expect(names).toHaveLength(7)
    const search = `${here.galaxy.url}/planets/search?${encodeURIComponent(JSON.stringify(query))}`
    await choice.selectOption('GET /planets/search')
    await expect.poll(() => requestOf(page)).toBe(`GET ${search}`)
    await page.getByText(/^The response was 200/).waitFor()
    await choice.selectOption('QUERY /planets')
    await expect
      .poll(() => requestOf(page))
      .toBe(`QUERY ${here.galaxy.url}/planets\nContent-Type: application/json\n\n${JSON.stringify(query)}`)
    await page.getByText(/^The response was 200/).waitFor()
    expect(sent).toEqual([
      { method: 'GET', url: search, body: null },
      { method: 'QUERY', url: `${here.galaxy.url}/planets`, body: JSON.stringify(query) },
    ])
    await expect.poll(() => page.locator('tbody th').allTextContents()).toEqual(names)
    await page.locator('#table').scrollIntoViewIfNeeded()
    await takeScreenshot(page, screen, 'explorer-query')
    expect(await findPageFaults(tab)).toEqual([])
  })

  it('never shows the answer to an earlier request after that to a later one', async () => {
    const { page } = await openExplorer('desktop-light')
    const name = page.getByLabel('Name', { exact: true })
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/planets?name=mars*', async (route) => {
      await held
      await route.continue().catch(() => {})
    })
    await name.fill('mars')
    await expect.poll(() => requestOf(page)).toContain('name=mars&')
    await page.getByText('Waiting for the response').waitFor()
    const isOfMars = (request: Request) => request.url().includes('name=mars&')
    const ended = Promise.race([
      page.waitForEvent('requestfinished', isOfMars),
      page.waitForEvent('requestfailed', isOfMars),
    ])
    await name.fill('venus')
    await expect.poll(() => requestOf(page)).toContain('name=venus&')
    await expect.poll(() => page.locator('tbody th').first().textContent()).toBe('Venus')
    release()
    await ended
    expect(await untilStill(() => page.locator('tbody th').first().textContent())).toBe('Venus')
    await expect.poll(() => requestOf(page)).toContain('name=venus&')
  })

  it('says what to do if the API refuses or cannot be reached, keeps the table, and sends again', async () => {
    const tab = await openExplorer('desktop-light', '?q=trappist')
    const { page } = tab
    const notice = page.getByRole('alert')
    const name = page.getByLabel('Name', { exact: true })
    await page.route(LIST, (route) => refuse(route, 429, { 'Retry-After': '17' }))
    await name.fill('trappist-1')
    await notice.getByText(/Wait 17 seconds/).waitFor()
    await page.getByText(/^The response was 429/).waitFor()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(7)
    await page.locator('#table').scrollIntoViewIfNeeded()
    await takeScreenshot(page, 'desktop-light', 'explorer-refused')
    const caused = /Failed to load resource|the answer to GET/
    expect(await findPageFaults(tab, caused)).toEqual([])
    await page.unroute(LIST)
    await page.route(LIST, (route) => route.abort())
    await page.getByRole('button', { name: 'Send again' }).click()
    await notice.getByText(/cannot be reached/).waitFor()
    await page.unroute(LIST)
    await name.fill('venus')
    await expect.poll(() => page.locator('tbody th').allTextContents()).toContain('Venus')
    await notice.waitFor({ state: 'detached' })
    expect(await tab.recording.takeFaults(caused)).toEqual([])
  })

  it('says what the API cannot do, and does that with all planets', async () => {
    const { page } = await openExplorer('desktop-light', '?host=trappist&sort=mass')
    const sent = recordReads(page)
    await page.getByText('The list of planets cannot filter by host star, or sort by mass.').waitFor()
    await expect.poll(() => requestOf(page)).toBe(`GET ${here.galaxy.url}/catalogue`)
    await expect.poll(() => page.locator('tbody tr').count()).toBe(7)
    await page.getByLabel('Unknown type').check()
    await page.getByText('The list of planets cannot filter by host star, or find planets without a type').waitFor()
    await page.locator('#picture').getByText('No planet matches', { exact: true }).waitFor()
    await page.getByText('No planet matches the filters.').waitFor()
    expect(sent).toEqual([])
    await page.getByRole('button', { name: 'Reset filters' }).click()
    await page.getByText('The list of planets cannot sort by mass.').waitFor()
    await page.getByLabel('Dwarf').check()
    await page.getByRole('button', { name: 'Planet', exact: true }).click()
    await expect.poll(() => requestOf(page)).toContain('/planets?sort=name&type=dwarf&')
  })

  it('finds in the picture what the API finds', async () => {
    const planets = listPlanets((await bodyOf(await fetch(`${here.galaxy.url}/catalogue`))).columns)
    for (const [filters, query] of [
      [{ name: 'KEPLER-18' }, 'name=KEPLER-18'],
      [{ name: '-1 b' }, 'name=-1+b'],
      [{ kinds: ['dwarf'] }, 'type=dwarf'],
      [{ habitabilityMin: 0.85 }, 'minHabitabilityIndex=0.85'],
    ] as const) {
      const { isShown } = select(planets, { ...NO_FILTERS, ...filters })
      const found = planets.filter((_, index) => isShown[index] === 1).map(({ id }) => id)
      const { data } = await bodyOf(await fetch(`${here.galaxy.url}/planets?${query}&fields=name&limit=100`))
      // Other tests create planets at the same time, with later ids.
      const ids = data.map(({ id }: { id: number }) => id).filter((id: number) => id <= planets.length)
      expect(ids.length).toBeGreaterThan(0)
      expect(found.slice(0, ids.length)).toEqual(ids)
    }
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
    await page.route(LIST, (route) => fulfilWithPlanets(route, SCRIPT_PAYLOADS))
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

/** The request of the table as the page shows it. */
async function requestOf(page: Page): Promise<string> {
  return (await page.locator('#request code').textContent()) ?? ''
}

/** The reads of planets that a page sends from now on. */
function recordReads(page: Page): { method: string; url: string; body: string | null }[] {
  const reads: ReturnType<typeof recordReads> = []
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (!/\/planets(?:\/search)?$/.test(url.pathname)) return
    reads.push({ method: request.method(), url: url.href, body: request.postData() })
  })
  return reads
}

/** Expects that the table has the planets that a request returns. */
async function expectTable(page: Page, url: string): Promise<void> {
  const { data } = await bodyOf(await fetch(url))
  const names = data.map(({ name }: { name: string }) => name)
  expect(names.length).toBeGreaterThan(1)
  await expect.poll(() => page.locator('tbody th').allTextContents()).toEqual(names)
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

/** A page of planets with these names. */
function fulfilWithPlanets(route: Route, names: readonly string[]): Promise<void> {
  const data = names.map((name, index) => ({ id: index + 1, name }))
  return route.fulfill({ json: { data, meta: { offset: 0, total: names.length, nextCursor: null } } })
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
