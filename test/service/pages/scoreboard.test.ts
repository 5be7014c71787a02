import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FIRST_STATE, readState, writeState } from '../../../browser/scoreboard/address.ts'
import { type Board, boardOf } from '../../../laboratory/scoreboard/results.ts'
import { CASES } from '../../../laboratory/suite/suite.ts'
import { readScoreboard } from '../../../scripts/lib/scoreboard.ts'
import type { Tab } from '../../support/browser.ts'
import { unescapeHtml } from '../../support/pages.ts'
import { chromium, useBrowser } from '../in-browser.ts'
import { shareGalaxy } from '../prepared-state.ts'
import { readAttributes } from './markup.ts'
import { findPageFaults, findTabFaults, SCREENS, takeScreenshot } from './pages.ts'

// The scoreboard and the pages of its clients, as docs/lab.md describes them.

const PATH = '/lab/scoreboard'
const scoreboard = await readScoreboard()
const clients = Object.values(scoreboard).flatMap((inLanguage) => Object.entries(inLanguage))
const galaxy = shareGalaxy()
const read = async (path: string) => await (await fetch(galaxy.url + path)).text()

const WIDE = { ...SCREENS['desktop-dark'], viewport: { width: 1280, height: 900 } }
const NARROW = SCREENS['phone-light']

/** The cases that the page shows at first. */
const SHOWN = CASES.filter(({ versions }) => versions.includes('3.1'))

/** The names of the clients of a version, of a language or of all. */
const clientsOf = (board: Board, inLanguage = clients) =>
  inLanguage
    .filter(([, { document }]) => boardOf(document) === board)
    .map(([name]) => name)
    .toSorted()

describe('the state in the address', () => {
  const known = {
    sort: ['client', 'core', 'extended'],
    language: ['', 'Go'],
    level: ['', 'core'],
    group: ['', 'query'],
    openapi: ['3.1', '3.2'],
    clients: ['ogen', 'orval'],
  }
  const readText = (text: string) => readState(new URLSearchParams(text), known)

  it.each([
    '',
    '?sort=extended',
    '?sort=-core&language=Go&level=core&group=query&text=no+such+text&openapi=3.2&differ=1&clients=ogen,orval',
    '?clients=',
  ])('%j is written as it is read', (text) => {
    const { state, ignored } = readText(text)
    expect(writeState(state)).toBe(text)
    expect(ignored).toEqual([])
  })

  it.each([
    ['sort=nothing&language=Go', '?language=Go', ['sort=nothing']],
    ['language=Cobol&level=&text=&differ=yes', '', ['language=Cobol', 'differ=yes']],
    ['clients=orval,nobody', '?clients=orval', ['clients=nobody']],
    ['clients=nobody', '', ['clients=nobody']],
    ['colour=blue', '', ['colour=blue']],
    ['openapi=4.0&level=core', '?level=core', ['openapi=4.0']],
    [`group=${'x'.repeat(100)}`, '', [`group=${'x'.repeat(54)}`]],
  ])('of %s, what does not exist is ignored', (text, written, ignored) => {
    const result = readText(text)
    expect([writeState(result.state), result.ignored]).toEqual([written, ignored])
  })

  it('of nothing is the first one', () => {
    expect(readText('').state).toBe(FIRST_STATE)
  })
})

describe('the pages', () => {
  it('have at most 90 KB compressed with all that they load', async () => {
    const sizeOf = async (path: string) =>
      gzipSync(Buffer.from(await (await fetch(galaxy.url + path)).arrayBuffer())).length
    for (const path of [PATH, ...clients.map(([name]) => `${PATH}/${name}`)]) {
      const page = await read(path)
      const loaded = [...readAttributes(page, 'link', 'href'), ...readAttributes(page, 'script', 'src')]
      const files = [...new Set(loaded)].filter((url) => url.startsWith('/'))
      const sizes = await Promise.all(files.map(sizeOf))
      const rest = sizes.reduce((sum, size) => sum + size, 0)
      expect(gzipSync(page).length + rest, path).toBeLessThan(90_000)
    }
  })

  it('lead from each sign to its evidence, but from what passed', async () => {
    const links = readAttributes(await read(PATH), 'a', 'href')
    for (const [name, { cells }] of clients) {
      const page = await read(`${PATH}/${name}`)
      const anchors = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
      const wanted = Object.entries(cells)
        .filter(([, { verdict }]) => verdict !== 'pass')
        .map(([id]) => id.replace('/', '-'))
      const linked = links.filter((link) => link.startsWith(`${PATH}/${name}#`)).map((link) => link.split('#')[1])
      expect(linked.toSorted(), name).toEqual(wanted.toSorted())
      expect(wanted.filter((anchor) => !anchors.includes(anchor))).toEqual([])
      expect(new Set(anchors).size).toBe(anchors.length)
    }
  })

  it('begin with the client that passes most core cases, and have a legend of the signs', async () => {
    const page = await read(PATH)
    const [, rows = ''] = page.split('id="client-table"')
    const core = [...rows.matchAll(/<\/th><td class="board-level" data-figure="(\d+)"/g)].map(([, figure]) =>
      Number(figure),
    )
    expect(core).toHaveLength(clients.length)
    expect(core).toEqual(core.toSorted((one, other) => other - one))
    const [, legend = ''] = /<ul class="board-legend"[^>]*>(.*?)<\/ul>/s.exec(page) ?? []
    const verdicts = new Set(clients.flatMap(([, { cells }]) => Object.values(cells).map(({ verdict }) => verdict)))
    // What was not finished has the sign of what was not called.
    verdicts.delete('incomplete')
    expect(readAttributes(legend, 'li', 'class').toSorted()).toEqual([...verdicts].toSorted())
  })

  it('say the day of the runs once', async () => {
    const days = new Set(clients.map(([, { date }]) => date))
    const page = await read(PATH)
    for (const day of days) expect(page.split(day).length - 1).toBeLessThanOrEqual(1)
  })

  it.each(clients)('%s has its version, the command that repeats its run, and its neighbours', async (name, client) => {
    const page = await read(`${PATH}/${name}`)
    const { version, driver, command = 'It reads the document when it is used.' } = client
    for (const text of [version, `${driver}/columns.ts`, `npm run scoreboard -- ${name}<`, command])
      expect(unescapeHtml(page)).toContain(text)
    expect(page).toMatch(/(?:Previous|Next): /)
  })

  it('begin with the cause of most cases, and say if no request came', async () => {
    const page = await read(`${PATH}/openapi-generator-kotlin`)
    const [, causes = ''] = page.split('<h2 id="causes">')
    const counts = [...causes.matchAll(/<\/h3><p>(\d+) case/g)].map(([, count]) => Number(count))
    expect(counts.length).toBeGreaterThan(10)
    expect(counts).toEqual(counts.toSorted((one, other) => other - one))
    expect(page).toContain('<em>No request came.</em>')
    expect(page).toContain('href="https://github.com/OpenAPITools/openapi-generator/issues/19928"')
  })

  it('say of retries which request was judged, and what was missing', async () => {
    const evidenceOf = async (client: string, id: string) =>
      (await read(`${PATH}/${client}`)).split(`<div class="evidence" id="${id}">`)[1]?.split('</div>')[0]
    expect(await evidenceOf('ogen', 'retry-same-key')).toContain(
      '<em>The first POST came with the Idempotency-Key lab-1, and is right. No second one came.</em>',
    )
    const twice = await evidenceOf('openapi-generator-kotlin', 'retry-post-once')
    expect(twice).toContain('<em>The first POST came, and is right. A second one came, which is right by itself too.')
    expect(twice).toContain('The POST came again without Idempotency-Key.')
    expect(await evidenceOf('kubb-fetch', 'retry-same-key')).toContain('<em>This is the first POST that is wrong.</em>')
  })

  it('say that a request was refused before a case could judge it', async () => {
    const page = await read(`${PATH}/oapi-codegen`)
    expect(page).toContain('<em>The request was refused with 400 before a case could judge it.</em>')
    expect(page).not.toContain('<em>No request came.</em></p><p>The client says: <code>the response has the status')
  })

  it('have code for what stands between backticks', async () => {
    for (const [name] of clients) {
      const text = (await read(`${PATH}/${name}`)).replaceAll(/<code>.*?<\/code>/gs, '').replaceAll(/<[^>]*>/g, '')
      expect(text, name).not.toContain('`')
    }
  })

  it('of a case name the clients that passed', async () => {
    for (const { id } of CASES.filter(({ group }) => group === 'query')) {
      const page = await (await fetch(`${galaxy.url}/lab/cases/${id}`, { headers: { Accept: 'text/html' } })).text()
      const passed = clients.filter(([, { cells }]) => cells[id]?.verdict === 'pass').map(([name]) => name)
      const linked = readAttributes(page, 'a', 'href').filter((link) => link.startsWith(`${PATH}/`))
      expect(passed.filter((name) => !linked.includes(`${PATH}/${name}`))).toEqual([])
    }
  })

  it('of the laboratory and of the service lead to the scoreboard', async () => {
    const laboratory = await read('/lab')
    expect(laboratory.replaceAll(/\s+/g, ' ')).toContain(
      `${clients.length} clients compared: <a href="${PATH}">the scoreboard</a>`,
    )
    expect(laboratory.indexOf('clients compared')).toBeLessThan(laboratory.indexOf('id="bench"'))
    const home = await (await fetch(galaxy.url, { headers: { Accept: 'text/html' } })).text()
    expect(readAttributes(home, 'a', 'href')).toContain(PATH)
  })

  it('lead to the next client until the last one', async () => {
    const seen: string[] = []
    let [path] = readAttributes(await read(PATH), 'a', 'href').filter((link) => link.startsWith(`${PATH}/`))
    while (path !== undefined && !seen.includes(path)) {
      seen.push(path)
      path = / class="neighbour" href="([^"]*)">Next/.exec(
        (await read(path)).replaceAll(/<a class="neighbour" href="[^"]*">Previous[^<]*<\/a>/g, ''),
      )?.[1]
    }
    expect(seen.toSorted()).toEqual(clients.map(([name]) => `${PATH}/${name}`).toSorted())
  })
})

/**
 * The links of lists and tables that are lower than 24 pixels, and the controls that are lower than 44. Those of the bench
 * are left out: its fields have to fit on the first screen.
 */
async function findLowTargets(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const isLow = (limit: number) => (one: Element) => {
      const { height } = one.getBoundingClientRect()
      return height > 0 && height < limit - 0.5
    }
    const links = [...document.querySelectorAll('main :is(li, th, td, dt) > a, main nav a')].filter(isLow(24))
    const all = [...document.querySelectorAll('main :is(summary, select, input, button)')]
    const controls = all
      .filter((one) => !one.closest('.bench'))
      .filter(
        // A box is touched by its label.
        (one) => isLow(44)(one.matches('[type="checkbox"]') ? (one.closest('label') ?? one) : one),
      )
    return [...links, ...controls].map(({ outerHTML }) => outerHTML.slice(0, 100))
  })
}

describe.skipIf(!chromium)('in a browser', () => {
  const here = useBrowser()

  afterAll(here.closeTabs)

  /** Opens the scoreboard. */
  async function open(options: Parameters<typeof here.open>[0], query = ''): Promise<Tab> {
    const tab = await here.open(options)
    await tab.page.goto(here.galaxy.url + PATH + query)
    return tab
  }

  /** axe cannot decide on colours that are out of sight sideways. They are those of what is in sight. */
  const OUT_OF_SIGHT = /^color-contrast: <(?:span class="score"|td>|td class="board-version"|code>)/

  const namesOf = (page: Page) => page.locator('#client-table tbody tr:visible th').allTextContents()
  const shownClients = (page: Page) => page.locator('#case-table thead th[data-client]:visible').allTextContents()
  const shownCases = (page: Page) => page.locator('#case-table tbody tr:visible').count()

  it('both pages are without faults on a wide screen in the dark', async () => {
    const tab = await open(WIDE)
    await tab.page.getByText('182 cases of').waitFor()
    await takeScreenshot(tab.page, 'desktop-dark', 'lab-scoreboard')
    expect(await findPageFaults(tab, OUT_OF_SIGHT)).toEqual([])
    await tab.page.goto(`${here.galaxy.url}${PATH}/openapi-generator-kotlin#body-one-of`)
    await tab.page.locator(':target').waitFor()
    await takeScreenshot(tab.page, 'desktop-dark', 'lab-scoreboard-client')
    expect(await findPageFaults(tab, OUT_OF_SIGHT)).toEqual([])
  })

  it('both pages are without faults on a narrow screen in the light', async () => {
    const tab = await open(NARROW)
    await tab.page.getByText('182 cases of').waitFor()
    await takeScreenshot(tab.page, 'phone-light', 'lab-scoreboard')
    expect(await findPageFaults(tab, OUT_OF_SIGHT)).toEqual([])
    await tab.page.goto(`${here.galaxy.url}${PATH}/openapi-generator-kotlin#body-one-of`)
    await tab.page.locator(':target').waitFor()
    await takeScreenshot(tab.page, 'phone-light', 'lab-scoreboard-client')
    expect(await findPageFaults(tab, OUT_OF_SIGHT)).toEqual([])
  })

  describe('on a wide screen', () => {
    let page: Page
    beforeAll(async () => {
      page = (await open(WIDE)).page
    })

    it('heads and names stay in sight', async () => {
      for (const table of ['#client-table', '#case-table']) {
        await page.locator(`${table} tbody tr`).nth(15).scrollIntoViewIfNeeded()
        await page.evaluate(
          (selector) => document.querySelector(`${selector} tbody tr:nth-child(15)`)?.scrollIntoView(),
          table,
        )
        const box = await page.locator(`${table} thead th`).first().boundingBox()
        expect(box?.y).toBe(0)
      }
    })

    it('nothing is said about scrolling', async () => {
      await page.getByText('182 cases of').waitFor()
      await expect.poll(() => page.getByText('which scrolls in both directions').isVisible()).toBe(false)
    })

    it('with all cases, the page is short enough', () => expectHeight(page, 7_500))
  })

  describe('on a narrow screen', () => {
    let page: Page
    beforeAll(async () => {
      page = (await open(NARROW)).page
    })

    it('a table that goes on behind an edge shows it, and says what is there', async () => {
      const frame = page.locator('.board-frame').first()
      const edges = () => frame.evaluate(({ dataset }) => Object.keys(dataset).toSorted())
      await expect.poll(edges).toEqual(['below', 'right'])
      const hint = page.getByText('which scrolls in both directions')
      await expect.poll(() => hint.isVisible()).toBe(true)
      await expect.poll(() => hint.textContent()).toContain('path, query, header')
      // The first group is in sight, in part.
      const box = await page.locator('#client-table tbody .board-group:visible').first().boundingBox()
      expect(box?.x).toBeLessThan(390 - 24)
      await page.getByLabel('Clients', { exact: true }).evaluate((board) => board.scrollTo(9999, 9999))
      await expect.poll(edges).toEqual([])
      await page.getByLabel('Clients', { exact: true }).evaluate((board) => board.scrollTo(0, 9999))
      await expect.poll(edges).toEqual(['right'])
    })

    it('heads, names and the figures of both levels stay in sight', async () => {
      const places = await page.evaluate(() => {
        const board = document.querySelector('[aria-label="Clients"]')
        board?.scrollTo(200, 300)
        const boxOf = (selector: string, index = 0) =>
          document.querySelectorAll(`#client-table ${selector}`)[index]?.getBoundingClientRect()
        const frame = board?.getBoundingClientRect()
        const [head, name] = [boxOf('thead th'), boxOf('tbody tr:not([hidden]) th', 11)]
        return {
          top: (head?.top ?? 0) - (frame?.top ?? 0),
          left: (name?.left ?? 0) - (frame?.left ?? 0),
          width: name?.width,
        }
      })
      expect(places.top).toBeLessThan(3)
      expect(places.left).toBeLessThan(3)
      expect(places.width).toBeLessThanOrEqual(0.4 * 390)
      await page.evaluate(() => document.querySelector('[aria-label="Clients"]')?.scrollTo(0, 0))
      for (const cell of await page.locator('#client-table tbody tr:visible').first().locator('td.board-level').all()) {
        const box = await cell.boundingBox()
        expect((box?.x ?? 390) + (box?.width ?? 0)).toBeLessThan(390)
      }
    })

    it('names are in few pieces, none of which is cut within a word', async () => {
      const row = page.getByRole('rowheader', { name: 'openapi-generator-typescript-axios' }).first()
      const lines = await row.evaluate((cell) => {
        const range = document.createRange()
        range.selectNodeContents(cell)
        return new Set([...range.getClientRects()].map(({ top }) => top)).size
      })
      expect(lines).toBeLessThanOrEqual(2)
    })

    it('with all cases, the page is short enough', () => expectHeight(page, 13_000))
  })

  /** Shows all cases, and measures the page. */
  async function expectHeight(page: Page, limit: number): Promise<void> {
    const [count, height] = await page.evaluate(() => {
      const rows = [...document.querySelectorAll<HTMLElement>('#case-table tbody tr')]
      for (const row of rows) row.hidden = false
      return [rows.length, document.documentElement.scrollHeight]
    })
    expect(count).toBe(206)
    expect(height).toBeLessThanOrEqual(limit)
  }

  it('the clients are sorted by each column, by mouse, keyboard and address', async () => {
    const tab = await open(WIDE, '?sort=extended')
    const { page } = tab
    const figures = async () =>
      await page
        .locator('#client-table tbody tr')
        .evaluateAll((rows) =>
          rows.map((row) =>
            [...row.querySelectorAll<HTMLElement>('.board-level')].map(({ dataset }) => Number(dataset.figure)),
          ),
        )
    const descending = (values: readonly (number | undefined)[]) => values.toSorted((one = 0, other = 0) => other - one)
    const extended = (await figures()).map(([, second]) => second)
    expect(extended).toEqual(descending(extended))
    const head = (name: string) => page.locator(`[data-sort="${name}"]`)
    await expect.poll(() => head('extended').getAttribute('aria-sort')).toBe('descending')
    await expect.poll(() => head('core').getAttribute('aria-sort')).toBe('none')

    await page.getByRole('button', { name: 'core' }).focus()
    await page.keyboard.press('Enter')
    const core = (await figures()).map(([first]) => first)
    expect(core).toEqual(descending(core))
    await expect.poll(() => new URL(page.url()).search).toBe('')
    await page.keyboard.press('Enter')
    expect((await figures()).map(([first]) => first)).toEqual(core.toReversed())
    await expect.poll(() => head('core').getAttribute('aria-sort')).toBe('ascending')
    await expect.poll(() => new URL(page.url()).search).toBe('?sort=-core')

    await page.getByRole('button', { name: 'Client' }).click()
    const names = await namesOf(page)
    expect(names).toEqual(names.toSorted((one, other) => one.localeCompare(other)))
    await expect.poll(() => head('client').getAttribute('aria-sort')).toBe('ascending')
    expect(await findTabFaults(tab)).toEqual([])
  })

  it('a language filters both tables, and is in the address', async () => {
    const { page } = await open(WIDE)
    await page.getByLabel('Language').first().selectOption('Go')
    const inGo = clientsOf('3.1', Object.entries(scoreboard.Go))
    await expect.poll(async () => (await namesOf(page)).toSorted()).toEqual(inGo)
    await expect.poll(async () => (await shownClients(page)).toSorted()).toEqual(inGo)
    await expect.poll(() => new URL(page.url()).search).toBe('?language=Go')
    await page.reload()
    await expect.poll(async () => (await namesOf(page)).toSorted()).toEqual(inGo)
    await expect.poll(() => page.getByLabel('Language').last().inputValue()).toBe('Go')
  })

  it('a version of OpenAPI chooses cases and clients, and is in the address', async () => {
    const { page } = await open(WIDE)
    await page.locator('[data-choice="openapi"]').first().selectOption('3.2')
    await expect.poll(() => shownCases(page)).toBe(203)
    expect((await namesOf(page)).toSorted()).toEqual(clientsOf('3.2'))
    expect((await shownClients(page)).toSorted()).toEqual(clientsOf('3.2'))
    // None of PHP reads it, so none has failed.
    await page.getByLabel('Language').first().selectOption('PHP')
    await expect.poll(() => page.getByText('There is no such client of OpenAPI 3.2 here yet.').isVisible()).toBe(true)
    await page.getByLabel('Language').first().selectOption('')
    await expect.poll(() => new URL(page.url()).search).toBe('?openapi=3.2')
    await page.reload()
    await expect.poll(() => page.locator('[data-choice="openapi"]').last().inputValue()).toBe('3.2')
    await page.locator('[data-choice="openapi"]').last().selectOption('3.1')
    await expect.poll(() => shownCases(page)).toBe(SHOWN.length)
    await expect.poll(() => namesOf(page)).toHaveLength(clientsOf('3.1').length)
  })

  it('the cases are filtered by level, group, and whether clients differ', async () => {
    const { page } = await open(WIDE, '?level=core&group=query')
    const wanted = SHOWN.filter(({ level, group }) => level === 'core' && group === 'query')
    await expect.poll(() => shownCases(page)).toBe(wanted.length)
    await page.getByLabel('Group').selectOption('')
    await expect.poll(() => shownCases(page)).toBe(SHOWN.filter(({ level }) => level === 'core').length)
    await page.getByLabel('Level').selectOption('')
    await page.getByLabel('Language').last().selectOption('Go')
    await page.getByLabel('Only where clients differ').check()
    const signs = await page
      .locator('#case-table tbody tr:visible')
      .evaluateAll((rows) =>
        rows.map((row) => [...row.querySelectorAll('td:not([hidden])')].map((cell) => cell.textContent)),
      )
    expect(signs.length).toBeGreaterThan(5)
    expect(signs.filter((row) => new Set(row).size === 1)).toEqual([])
    await expect.poll(() => new URL(page.url()).search).toBe('?language=Go&differ=1')
    await expect.poll(() => page.getByText(`${signs.length} cases of 3 clients`).count()).toBe(1)
  })

  it('three clients are compared at first on a narrow screen, and no cell lies behind another', async () => {
    const { page } = await open(NARROW)
    const best = (await namesOf(page)).slice(0, 3)
    await expect.poll(() => shownClients(page)).toEqual(best)
    const hidden = await page.evaluate(() => {
      const board = document.querySelector('[aria-label="Cases"]')
      return (board?.scrollWidth ?? 0) - (board?.clientWidth ?? 0)
    })
    expect(hidden).toBe(0)
    await page.getByText('Clients to compare').click()
    await page.getByRole('button', { name: 'Choose none' }).click()
    await expect.poll(() => shownClients(page)).toEqual([])
    await page.getByRole('checkbox', { name: 'bruno', exact: true }).check()
    await page.getByRole('checkbox', { name: 'ogen', exact: true }).check()
    await expect.poll(() => shownClients(page)).toEqual(['ogen', 'bruno'])
    await expect.poll(() => new URL(page.url()).search).toBe('?clients=ogen,bruno')
  })

  it('what the address asks for and is not here is said, and ignored', async () => {
    const { page } = await open(WIDE, '?sort=beauty&language=%3Cscript%3Ealert(1)%3C/script%3E')
    const status = page.getByText('is ignored')
    await expect.poll(() => status.textContent()).toContain('sort=beauty and language=<script>alert(1)</script>')
    await expect.poll(() => namesOf(page)).toHaveLength(clientsOf('3.1').length)
    await page.getByLabel('Level').selectOption('core')
    await expect.poll(() => status.isVisible()).toBe(false)
  })

  it('without JavaScript, the tables are complete, and the page says what needs it', async () => {
    const { page } = await open({ ...NARROW, javaScriptEnabled: false }, '?language=Go')
    await expect.poll(() => page.locator('noscript p').isVisible()).toBe(true)
    await expect.poll(() => namesOf(page)).toHaveLength(clients.length)
    await expect.poll(() => shownClients(page)).toHaveLength(clients.length)
    await expect.poll(() => shownCases(page)).toBe(CASES.length)
    await expect.poll(() => page.locator('select:visible, button:visible').count()).toBe(0)
  })

  it('the cases are filtered by a text in their ids and titles', async () => {
    const { page } = await open(WIDE, '?group=query')
    const wanted = (text: string) =>
      CASES.filter(({ id, group, title }) => group === 'query' && `${id} ${title}`.toLowerCase().includes(text))
    await page.getByLabel('Text').pressSequentially('Array ')
    expect(wanted('array').length).toBeGreaterThan(3)
    await expect.poll(() => shownCases(page)).toBe(wanted('array').length)
    await expect.poll(() => new URL(page.url()).search).toBe('?group=query&text=Array')
    await page.reload()
    await expect.poll(() => page.getByLabel('Text').inputValue()).toBe('Array')
    await expect.poll(() => shownCases(page)).toBe(wanted('array').length)
    // In a title, and in no id.
    await page.getByLabel('Text').fill('characters that divide')
    await expect.poll(() => shownCases(page)).toBe(wanted('characters that divide').length)
    await page.getByLabel('Text').fill('nothing has this')
    await expect.poll(() => page.getByText('0 cases of').count()).toBe(1)
  })

  it.each([
    ['wide', WIDE],
    ['narrow', NARROW],
  ] as const)('a sign leads to the cause and the evidence, also in a folded list: %s', async (_, screen) => {
    const client = 'openapi-generator-kotlin'
    const { page } = await open(screen, `?clients=${client}`)
    for (const id of ['path-matrix-object', 'path-matrix-array-explode']) {
      await page.locator(`a[href="${PATH}/${client}#${id}"]`, { hasText: 'failed' }).click()
      const evidence = page.locator(`#${id}`)
      await expect.poll(() => evidence.evaluate((one) => one.closest('details')?.open ?? true)).toBe(true)
      await expect.poll(() => evidence.getByRole('rowheader', { name: 'expected' }).isVisible()).toBe(true)
      for (const part of [evidence.locator('.evidence-cause'), evidence.getByRole('rowheader', { name: 'sent' })]) {
        await expect.poll(() => part.isVisible()).toBe(true)
        const box = await part.boundingBox()
        expect(box?.y).toBeGreaterThanOrEqual(0)
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(screen.viewport.height)
      }
      await page.goBack()
    }
    await expect.poll(() => page.locator('.evidence-cause:visible').count()).toBe(0)
  })

  it.each(['/lab', PATH, `${PATH}/openapi-generator-kotlin`, '/lab/cases/query/form-array'])(
    'what is touched on %s is high enough on a narrow screen',
    async (path) => {
      const { page } = await here.open(NARROW)
      await page.goto(here.galaxy.url + path)
      await page.waitForLoadState('networkidle')
      await page.evaluate(() => {
        for (const details of document.querySelectorAll('main details')) details.setAttribute('open', '')
      })
      expect(await findLowTargets(page)).toEqual([])
    },
  )
})
