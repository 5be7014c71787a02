import { afterAll, describe, expect, it } from 'vitest'
import { bodyOf } from '../galaxy.ts'
import { chromium, useBrowser } from '../in-browser.ts'
import { ownAddress } from '../own-address.ts'
import { findPageFaults, JUDGED_SCREENS, openOn, takeScreenshot } from './pages.ts'

describe.skipIf(!chromium)('the pages of the laboratory', () => {
  const here = useBrowser()

  afterAll(here.closeTabs)

  it('are in the navigation', async () => {
    const { page } = await openOn(here, 'desktop-light')
    await page.goto(here.galaxy.url)
    await page.getByRole('link', { name: 'Laboratory', exact: true }).click()
    await page.getByRole('heading', { name: 'The laboratory' }).waitFor()
  })

  it.each(JUDGED_SCREENS)('report on a run on the screen %s', async (screen) => {
    const tab = await openOn(here, screen)
    await tab.page.goto(`${await makeRun()}/report`)
    await tab.page.getByText('5 of 93 core cases passed.').waitFor()
    for (const summary of await tab.page.locator('summary').all()) await summary.click()
    const hrefs = await tab.page
      .locator('main a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
    // One that failed, one that passed, one that was observed, and one that was not called.
    for (const name of ['query-form-array', 'path-simple-array', 'query-null', 'path-utf8'])
      expect(hrefs).toContain(`/lab#${name}`)
    await takeScreenshot(tab.page, screen, 'lab-report')
    expect(await findPageFaults(tab)).toEqual([])
    await tab.page.getByRole('link', { name: 'query/form-array', exact: true }).click()
    await tab.page.locator(':target', { hasText: 'query/form-array' }).waitFor()
  })

  it.each(JUDGED_SCREENS)('show the scoreboard on the screen %s, with names in one piece', async (screen) => {
    const tab = await openOn(here, screen)
    await tab.page.goto(`${here.galaxy.url}/lab/scoreboard`)
    await tab.page.getByRole('heading', { name: 'Scoreboard' }).waitFor()
    await takeScreenshot(tab.page, screen, 'lab-scoreboard')
    const row = tab.page.getByRole('rowheader', { name: 'openapi-fetch' }).first()
    const size = await row.evaluate((cell) => ({
      width: cell.clientWidth,
      font: parseFloat(getComputedStyle(cell).fontSize),
    }))
    expect(size.width).toBeGreaterThan(6 * size.font)
  })

  /** A run with every kind of outcome. @returns Its URL */
  async function makeRun(): Promise<string> {
    const headers = { 'Content-Type': 'application/json', ...ownAddress() }
    const expect = { 'body/falsy': 'issue 7' }
    const body = JSON.stringify({ tool: 'a client', version: '1', expect, skip: { 'xml/*': 'no XML' } })
    const { url } = await bodyOf(await fetch(`${here.galaxy.url}/lab/runs`, { method: 'POST', headers, body }))
    const get = (path: string) => fetch(`${url}/${path}`)
    const post = (path: string, sent: string | Uint8Array<ArrayBuffer>) =>
      fetch(`${url}/${path}`, { method: 'POST', headers, body: sent })
    await get('path/simple-string/blue')
    await get('path/simple-array/blue,black,brown')
    await get('query/form-string?color=blue')
    await get('query/falsy?flag=false&count=0&text=')
    await get('query/deep-object?color[R]=100&color[G]=200&color[B]=150')
    await get('query/form-array?color=blue%2Cblack%2Cbrown')
    await get('query/null?text=null')
    await get('response/int64')
    await get('xml/attribute')
    await post('body/falsy', '{"flag":false,"count":0}')
    await post('body/strings', `{"text":"${'<b></b>'.repeat(100)}"}`)
    await post('body/bytes', new Uint8Array([255, 0, 1]))
    return url
  }
})
