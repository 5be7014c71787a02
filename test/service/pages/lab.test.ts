import { afterAll, describe, it } from 'vitest'
import { chromium, useBrowser } from '../in-browser.ts'
import { openOn } from './pages.ts'

describe.skipIf(!chromium)('the pages of the laboratory', () => {
  const here = useBrowser()

  afterAll(here.closeTabs)

  it('are in the navigation', async () => {
    const { page } = await openOn(here, 'desktop-light')
    await page.goto(here.galaxy.url)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Laboratory' }).click()
    await page.getByRole('heading', { name: 'The laboratory' }).waitFor()
  })
})
