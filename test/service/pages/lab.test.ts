import { afterAll, describe, expect, it } from 'vitest'
import { chromium, useBrowser } from '../in-browser.ts'
import { findPageFaults, JUDGED_SCREENS, openOn, takeScreenshot } from './pages.ts'

describe.skipIf(!chromium)('the pages of the laboratory', () => {
  const here = useBrowser()

  afterAll(here.closeTabs)

  it.each(JUDGED_SCREENS)('explain it and its cases on the screen %s', async (screen) => {
    const tab = await openOn(here, screen)
    await tab.page.goto(here.galaxy.url)
    await tab.page.getByRole('link', { name: 'Laboratory', exact: true }).click()
    await tab.page.getByRole('heading', { name: 'The laboratory' }).waitFor()
    await takeScreenshot(tab.page, screen, 'lab')
    await tab.page.getByRole('link', { name: /^query/ }).click()
    await expect.poll(() => tab.page.evaluate('location.hash')).toBe('#query')
    expect(await findPageFaults(tab)).toEqual([])
  })
})
