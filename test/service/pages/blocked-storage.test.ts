import { afterEach, describe, expect, it } from 'vitest'
import { chromium, useBrowser } from '../in-browser.ts'
import { findBarriers, findOverflow, JUDGED_SCREENS, openOn, takeScreenshot } from './pages.ts'

// A browser that blocks cookies and the storage of sites. Reading the storage throws there.

const BLOCKED = `
  for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
    Object.defineProperty(globalThis, name, { get() { throw new DOMException('Access is denied.', 'SecurityError') } })
  }
  Object.defineProperty(Document.prototype, 'cookie', { get: () => '', set() {} })`

describe.skipIf(!chromium)('if the browser blocks cookies and storage,', () => {
  const here = useBrowser()
  afterEach(here.closeTabs)

  it.each(JUDGED_SCREENS)('the API reference says why no request can be sent, on %s', async (screen) => {
    const { page } = await openOn(here, screen)
    await page.addInitScript(BLOCKED)
    await page.goto(`${here.galaxy.url}/docs`)
    await page.getByRole('status').filter({ hasText: 'Your browser blocks the storage of this site' }).waitFor()
    await page.getByRole('link', { name: 'POST /planets', exact: true }).waitFor()
    await takeScreenshot(page, screen, 'docs-blocked')
    expect([...(await findBarriers(page)), ...(await findOverflow(page))]).toEqual([])
  })

  it('the API reference says that it could not be loaded, if it could not', async () => {
    const { page } = await here.open()
    await page.route('**/standalone.js', (route) => route.abort())
    await page.goto(`${here.galaxy.url}/docs`)
    await page.getByRole('status').filter({ hasText: 'The API reference could not be loaded' }).waitFor()
  })

  it.each([
    ['/', '.status-line'],
    ['/walk', 'form button'],
    ['/account', 'form button'],
    ['/docs/events', 'form button'],
    ['/explore/planets/4', '[role=tab]'],
  ])('%s works without', async (path, part) => {
    const { page, recording } = await here.open()
    await page.addInitScript(BLOCKED)
    await page.goto(here.galaxy.url + path)
    await page.locator(part).first().waitFor()
    expect(await recording.takeFaults()).toEqual([])
  })
})
