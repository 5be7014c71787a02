import { afterEach, describe, expect, it } from 'vitest'
import { chromium, useBrowser } from '../in-browser.ts'
import { openOn, untilStill } from './pages.ts'
import { WalkPage } from './walk-page.ts'

// How the walk shows what was sent.

const LINE_MAX_PX = 40
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/

describe.runIf(chromium)('the walk shows', () => {
  const here = useBrowser()

  afterEach(() => here.closeTabs())

  async function getToken(screen: 'desktop-light' | 'phone-dark') {
    const { page } = await openOn(here, screen)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const walk = new WalkPage(page)
    await walk.open(here.galaxy.url)
    await walk.click('signup', 'token')
    return { page, walk }
  }

  it.each(['desktop-light', 'phone-dark'] as const)(
    'both ends of a token, and copies it whole, on %s',
    async (screen) => {
      const { page } = await getToken(screen)
      const shown = page.locator('details[open] .exchange-response .token')
      const isCut = () =>
        shown
          .locator('span')
          .first()
          .evaluate((start) => start.scrollWidth > start.clientWidth)
      await expect.poll(isCut).toBe(true)
      await expect.poll(async () => (await shown.boundingBox())?.height).toBeLessThan(LINE_MAX_PX)
      const token = (await shown.textContent()) ?? ''
      expect(token).toMatch(TOKEN)
      await page.getByRole('button', { name: 'Copy the whole token' }).click()
      await page.getByText('Copied').waitFor()
      await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).toBe(token)
    },
  )

  it('the headers of CORS only if asked, and how far the person has come', async () => {
    const { page } = await getToken('desktop-light')
    const response = page.locator('details[open] .exchange-response')
    const cors = response.getByText('access-control-allow-origin')
    await expect.poll(() => cors.isVisible()).toBe(false)
    await response.getByText('Headers of CORS').click()
    await cors.waitFor()
    const bar = page.getByRole('progressbar', { name: 'Progress of the tour' })
    await expect.poll(() => bar.getAttribute('value')).toBe('2')
  })

  it('a request and its response on one line', async () => {
    const { page } = await getToken('desktop-light')
    const topOf = (name: string) => page.locator('details[open]').getByRole('heading', { name }).first().boundingBox()
    const [request, response] = await untilStill(async () => [await topOf('Request'), await topOf('Response')])
    expect(request?.y).toBe(response?.y)
    expect(request?.height).toBe(response?.height)
  })
})
