import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { benchFormsOf } from '../../../laboratory/suite/forms/index.ts'
import { CASES } from '../../../laboratory/suite/suite.ts'
import { bodyOf } from '../galaxy.ts'
import { chromium, useBrowser } from '../in-browser.ts'
import { ownAddress } from '../own-address.ts'
import { findPageFaults, takeScreenshot } from './pages.ts'

// The bench of the laboratory, its page, and the pages of cases, at both widths of their contract.

const WIDTHS = {
  wide: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  narrow: { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true, isMobile: true },
} as const
const NAMES = ['wide', 'narrow'] as const
const HEIGHTS = { wide: 4500, narrow: 8000 }

describe.skipIf(!chromium)('the bench', () => {
  const here = useBrowser()

  afterAll(here.closeTabs)

  async function openAt(path: string, width: keyof typeof WIDTHS = 'wide', base = here.galaxy.url) {
    const tab = await here.open({ ...WIDTHS[width] })
    await tab.page.goto(`${base}${path}`)
    return tab
  }

  const verdictOf = (page: Page) => page.getByRole('region', { name: 'Verdict' })

  /** What the verdict begins with, as soon as it is one. */
  const wordOf = async (page: Page) => await verdictOf(page).locator('.bench-word').textContent()

  it.each(NAMES)('is on the first screen of the laboratory, already judged: %s', async (width) => {
    const tab = await openAt('/lab', width)
    await takeScreenshot(tab.page, width === 'wide' ? 'desktop-light' : 'phone-dark', 'lab-bench')
    await expect.poll(() => wordOf(tab.page)).toBe('fail')
    const { height } = WIDTHS[width].viewport
    for (const part of [
      tab.page.getByRole('heading', { level: 1 }),
      tab.page.getByRole('button', { name: 'Send' }),
      verdictOf(tab.page),
    ]) {
      const box = await part.boundingBox()
      expect((box?.y ?? 0) + (box?.height ?? height)).toBeLessThan(height)
    }
    await expect
      .poll(() => tab.page.evaluate<number>('document.documentElement.scrollHeight'))
      .toBeLessThan(HEIGHTS[width])
    expect(await findPageFaults(tab)).toEqual([])
  })

  it('can be read without JavaScript, which it asks for to send', async () => {
    const tab = await here.open({ ...WIDTHS.narrow, javaScriptEnabled: false })
    await tab.page.goto(`${here.galaxy.url}/lab`)
    await expect.poll(() => wordOf(tab.page)).toBe('fail')
    await expect.poll(() => tab.page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
    await expect
      .poll(() => tab.page.locator('noscript').allTextContents())
      .toEqual([
        expect.stringContaining('To send from this page needs JavaScript.'),
        expect.stringContaining('The filter needs JavaScript.'),
      ])
  })

  it.each(NAMES)('sends what was edited, with the keyboard, and shows the verdict: %s', async (width) => {
    const tab = await openAt('/lab', width)
    const { page } = tab
    await page.getByLabel('Form').selectOption('as it should be (pass)')
    await expect.poll(() => verdictOf(page).textContent()).toContain('Not sent yet')
    await page.getByLabel('Method and path').press('Enter')
    await expect.poll(() => wordOf(page)).toBe('pass')
    await page.getByLabel('Method and path').fill('GET /query/form-array?color=blue,red')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => wordOf(page)).toBe('fail')
    const marks = await verdictOf(page)
      .locator('mark')
      .evaluateAll((all) => all.map((one) => [one.textContent, one.getBoundingClientRect().x]))
    // The same byte, in one column.
    expect(marks).toEqual([
      ['r', expect.any(Number)],
      ['b', marks[0]?.[1]],
    ])
    expect(await findPageFaults(tab)).toEqual([])
  })

  it('shows what a person sent as text', async () => {
    const { page } = await openAt('/lab/cases/body/text')
    await page.getByLabel('Body').fill('<script>document.title = "run"</script>')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => wordOf(page)).toBe('fail')
    await expect.poll(() => verdictOf(page).textContent()).toContain('<script>document.title = "run"</script>')
    await expect.poll(() => page.title()).not.toBe('run')
  })

  it('names the header, if one was judged', async () => {
    const { page } = await openAt('/lab/cases/body/object')
    await page.getByLabel('Form').selectOption('labelled as text (fail)')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => verdictOf(page).textContent()).toContain('Content-Type: text/plain;charset=UTF-8')
    await expect.poll(() => verdictOf(page).textContent()).toContain('Content-Type: application/json')
  })

  it.each([
    ['cookie/two', 'GET /cookie/two', 'Cookie: color=blue', 'cannot choose its cookies'],
    ['query/form-array', 'GET /query/form-array?color=größe', '', 'would encode this address again'],
    ['query/form-array', 'GET /query/form-array/../x', '', 'would encode this address again'],
    ['query/form-array', 'GET /query/form-array', 'Host: a', 'cannot set the header Host'],
    ['body/object', 'GET /body/object', 'Content-Type: application/json', 'cannot send a body with GET'],
  ])('says before that a browser cannot send it to %s: %s %s', async (id, target, headers, words) => {
    const { page } = await openAt(`/lab/cases/${id}`)
    await page.getByLabel('Method and path').fill(target)
    await page.getByLabel('Headers').fill(headers)
    const form = page.locator('#bench-fields')
    await expect.poll(() => form.textContent()).toContain(words)
    await expect.poll(() => form.locator('pre code').textContent()).toMatch(/^curl .*\/lab\/try\//)
    await expect.poll(() => page.getByRole('button', { name: 'Send' }).isDisabled()).toBe(true)
  })

  it('sends bytes that are no text, as `\\xNN`', async () => {
    const { page } = await openAt('/lab/cases/multipart/file')
    await page.getByLabel('Form').selectOption('as it should be (pass)')
    await expect.poll(() => page.getByLabel('Body').inputValue()).toContain('\\xfe\\xff')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => wordOf(page)).toBe('pass')
  })

  it('follows redirects, and has curl for what it cannot do', async () => {
    const { page } = await openAt('/lab/cases/redirect/307-post')
    await expect
      .poll(() => page.getByLabel('Form').locator('option').allTextContents())
      .toEqual(['as it should be (pass)'])
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => wordOf(page)).toBe('pass')
    await expect
      .poll(() => page.getByRole('region', { name: 'Bench' }).textContent())
      .toContain('GET for POST (fail): curl ')
  })

  it('shows what GET of a response answers, and sends PUT', async () => {
    const { page } = await openAt('/lab/cases/response/int64')
    await expect
      .poll(() => page.getByRole('region', { name: 'The answer to GET' }).textContent())
      .toContain('9223372036854775807')
    await expect.poll(() => page.getByLabel('Method and path').inputValue()).toBe('PUT /response/int64')
    await page.getByLabel('Form').selectOption('as it should be (pass)')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => wordOf(page)).toBe('pass')
  })

  it('is not on the page of a retry, which says why', async () => {
    const { page } = await openAt('/lab/cases/retry/same-key')
    await expect.poll(() => page.getByRole('region', { name: 'Bench' }).count()).toBe(0)
    await expect.poll(() => page.locator('main').textContent()).toContain('Retries are judged in a run only')
  })

  it('changes to another case on the same page', async () => {
    const { page } = await openAt('/lab')
    await page.getByLabel('Case', { exact: true }).selectOption('body/null')
    await expect.poll(() => page.getByLabel('Method and path').inputValue()).toBe('POST /body/null')
    expect(new URL(page.url()).pathname).toBe('/lab')
    await page.getByRole('link', { name: 'About body/null' }).waitFor()
    await page.getByLabel('Form').selectOption('as it should be (pass)')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => wordOf(page)).toBe('pass')
  })

  it('says in the place of the verdict that the server does not answer, or waits', async () => {
    const { page } = await openAt('/lab')
    await page.route('**/lab/try/**', (route) => route.abort())
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => verdictOf(page).textContent()).toContain('The server cannot be reached.')
    await page.unroute('**/lab/try/**')
    let answer = () => {}
    await page.route('**/lab/try/**', async (route) => {
      await new Promise<void>((resolve) => (answer = resolve))
      await route.continue()
    })
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => verdictOf(page).textContent()).toContain('Waiting for the verdict')
    await expect.poll(() => verdictOf(page).textContent(), { timeout: 20_000 }).toContain('after 5 seconds')
    answer()
    await expect.poll(() => wordOf(page)).toBe('fail')
  })

  it('shows a refusal of the service', async () => {
    const { page } = await openAt('/lab')
    await page.getByLabel('Method and path').fill('GET /query/nothing')
    await page.getByRole('button', { name: 'Send' }).click()
    await expect.poll(() => verdictOf(page).textContent()).toContain('There is no such case here.')
  })

  it('sends to the universe that it is in', async () => {
    const { url } = await bodyOf(await fetch(`${here.galaxy.url}/universes`, { method: 'POST', headers: ownAddress() }))
    const { page } = await openAt('/lab/cases/query/form-array', 'wide', url)
    const sent = page.waitForRequest('**/lab/try/**')
    await page.getByRole('button', { name: 'Send' }).click()
    expect((await sent).url()).toBe(`${url}/lab/try/query/form-array?color=blue%2Cblack%2Cbrown`)
  })

  it('has options that name the verdict of each form', async () => {
    const { page } = await openAt('/lab/cases/query/null')
    const spec = CASES.find(({ id }) => id === 'query/null')
    const wanted = spec ? benchFormsOf(spec).map(({ name, verdict }) => `${name} (${verdict})`) : []
    expect(wanted).toContain('null (info)')
    await expect.poll(() => page.getByLabel('Form').locator('option').allTextContents()).toEqual(wanted)
    const groups = await page
      .getByLabel('Case', { exact: true })
      .locator('optgroup')
      .evaluateAll((all) => all.map((one) => one.getAttribute('label')))
    expect(groups).toEqual([
      'path',
      'query',
      'header',
      'cookie',
      'form',
      'multipart',
      'body',
      'xml',
      'response',
      'redirect',
    ])
  })
})

describe.skipIf(!chromium)('the cases', () => {
  const here = useBrowser()

  afterAll(here.closeTabs)

  it.each(NAMES)('are filtered, which the address keeps: %s', async (width) => {
    const tab = await here.open({ ...WIDTHS[width] })
    const { page } = tab
    await page.goto(`${here.galaxy.url}/lab?level=core&group=nothing`)
    const status = page.locator('#case-count')
    await expect.poll(() => status.textContent()).toBe('There is no group "nothing", so it is ignored. 99 of 206 cases')
    await page.getByLabel('Group').selectOption('query')
    await page.getByLabel('Text').fill('comma')
    await expect.poll(() => status.textContent()).toBe('2 of 206 cases')
    await expect
      .poll(() => page.locator('.lab-group li:visible a').allTextContents())
      .toEqual(['query/form-array', 'query/comma-item'])
    await expect.poll(() => new URL(page.url()).search).toBe('?level=core&group=query&text=comma')
    expect(await findPageFaults(tab)).toEqual([])
    await page.getByRole('link', { name: 'query/comma-item' }).click()
    await page.getByRole('heading', { level: 1, name: 'query/comma-item' }).waitFor()
  })

  it.each(NAMES)('have a page each, with what real clients send: %s', async (width) => {
    for (const id of ['query/form-array', 'multipart/file', 'retry/same-key', 'cookie/two', 'response/bytes']) {
      const tab = await here.open({ ...WIDTHS[width] })
      await tab.page.goto(`${here.galaxy.url}/lab/cases/${id}`)
      await tab.page.getByText('The operation in OpenAPI 3.1').click()
      expect(await findPageFaults(tab)).toEqual([])
    }
  })

  it('open at the anchors that links had before', async () => {
    const { page } = await here.open({ ...WIDTHS.wide })
    await page.goto(`${here.galaxy.url}/lab#query-form-array`)
    await expect.poll(() => page.locator('li:target').isVisible()).toBe(true)
  })
})
