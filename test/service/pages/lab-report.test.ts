import { afterAll, describe, expect, it } from 'vitest'
import { bodyOf } from '../galaxy.ts'
import { chromium, useBrowser } from '../in-browser.ts'
import { ownAddress } from '../own-address.ts'
import { findPageFaults, JUDGED_SCREENS, openOn, takeScreenshot } from './pages.ts'

describe.skipIf(!chromium)('the report of a run', () => {
  const here = useBrowser()

  afterAll(here.closeTabs)

  it.each(JUDGED_SCREENS)('shows each outcome on the screen %s', async (screen) => {
    const tab = await openOn(here, screen)
    const { page } = tab
    await page.goto(`${await makeRun()}/report`)
    await page.getByRole('heading', { name: 'Core 5 of 93 passed' }).waitFor()
    await takeScreenshot(page, screen, 'lab-report')
    // The levels and lists open with the keyboard.
    const folded = page.locator('main details:not([open]) > summary')
    for (let left = await folded.count(); left > 0; left--) await folded.first().press('Enter')
    await expect.poll(() => folded.count()).toBe(0)
    await takeScreenshot(page, screen, 'lab-report-unfolded')
    expect(await findPageFaults(tab)).toEqual([])
  })

  it.each(JUDGED_SCREENS)('has the difference in one column on the screen %s', async (screen) => {
    const { page } = await openOn(here, screen)
    await page.goto(`${await makeRun()}/report`)
    for (const id of ['query/form-array', 'multipart/text', 'body/strings']) {
      const marks = page.locator('.lab-difference', { hasText: id }).locator('mark')
      const places = await marks.evaluateAll((all) => all.map((mark) => Math.round(mark.getBoundingClientRect().x)))
      expect(places).toHaveLength(2)
      expect(new Set(places).size).toBe(1)
    }
  })

  it('leads to what differs in a group', async () => {
    const { page } = await openOn(here, 'desktop-light')
    await page.goto(`${await makeRun()}/report`)
    await page.getByRole('navigation', { name: 'What differs: core' }).getByRole('link', { name: 'body' }).click()
    await page.locator('h3:target', { hasText: 'body' }).waitFor()
  })

  it.each(JUDGED_SCREENS)('of no call says how to call on the screen %s', async (screen) => {
    const tab = await openOn(here, screen)
    await tab.page.goto(`${await beginRun()}/report`)
    await tab.page.getByText('No case was called yet.').waitFor()
    await takeScreenshot(tab.page, screen, 'lab-report-empty')
    expect(await findPageFaults(tab)).toEqual([])
  })

  const headers = () => ({ 'Content-Type': 'application/json', ...ownAddress() })

  async function beginRun(over: object = {}): Promise<string> {
    const body = JSON.stringify({ tool: 'a client', version: '1', ...over })
    return (await bodyOf(await fetch(`${here.galaxy.url}/lab/runs`, { method: 'POST', headers: headers(), body }))).url
  }

  /** A run with every kind of outcome. @returns Its URL */
  async function makeRun(): Promise<string> {
    const url = await beginRun({ expect: { 'body/falsy': 'issue 7' }, skip: { 'xml/*': 'no XML' } })
    const get = (path: string) => fetch(`${url}/${path}`, { redirect: 'manual' })
    const post = (path: string, body: string | Uint8Array<ArrayBuffer>, type = 'application/json') =>
      fetch(`${url}/${path}`, { method: 'POST', headers: { ...headers(), 'Content-Type': type }, body })
    await get('path/simple-string/blue')
    await get('path/simple-array/blue,black,brown')
    await get('path/label-string/blue')
    await get('query/form-string?color=blue')
    await get('query/falsy?flag=false&count=0&text=')
    await get('query/deep-object?color[R]=100&color[G]=200&color[B]=150')
    await get('query/form-array?color=blue%2Cblack%2Cbrown')
    await get('query/null?text=null')
    await get('redirect/301-get')
    await get('response/int64')
    await get('xml/attribute')
    await post('body/falsy', '{"flag":false,"count":0}')
    await post('body/strings', `{"text":"${'<b></b>'.repeat(100)}"}`)
    await post('body/bytes', new Uint8Array([0, 65, 255, 1]), 'application/octet-stream')
    await post('multipart/text', '{"name":"blue"}')
    return url
  }
})
