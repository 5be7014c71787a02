import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { chromium, useBrowser } from '../in-browser.ts'
import { findOverflow, switchLiveOff, untilStill } from './pages.ts'

// Where the parts of all pages stand, at the width of a phone, of a laptop and of a large screen. What scripts add is
// judged with each page.

const PATHS = [
  '/',
  '/walk',
  '/account',
  '/docs/events',
  '/docs',
  '/lab',
  '/guides',
  '/guides/callbacks',
  '/problems',
  '/problems/not-found',
  '/explore/planets/5',
  '/nowhere',
]
const PHONE = { width: 390, height: 844 }
const VIEWPORTS = [PHONE, { width: 1280, height: 900 }, { width: 1920, height: 1080 }]
const NAVIGATION_MAX_PX = 64
const HOLE_MAX_PX = 200

describe.runIf(chromium)('the pages', () => {
  const here = useBrowser()

  afterEach(() => here.closeTabs())

  it.each(VIEWPORTS)('have one grid at a width of $width', async (viewport) => {
    const { page } = await here.open({ viewport, javaScriptEnabled: false })
    const places = new Set<string>()
    for (const path of PATHS) {
      await page.goto(here.galaxy.url + path)
      for (const part of ['.brand', 'main h1', '.site-footer p']) places.add(await leftOf(page, part))
      expect(await findOverflow(page), path).toEqual([])
      const navigation = await page.locator('.site-header').boundingBox()
      expect(navigation?.height, path).toBeLessThanOrEqual(NAVIGATION_MAX_PX)
    }
    expect([...places]).toHaveLength(1)
  })

  it('name the laboratory and testing at their end', async () => {
    const { page } = await here.open({ viewport: PHONE, javaScriptEnabled: false })
    for (const path of PATHS) {
      await page.goto(here.galaxy.url + path)
      const footer = page.getByRole('contentinfo')
      await footer.getByRole('link', { name: 'Testing' }).waitFor()
      await footer.getByRole('link', { name: 'Laboratory' }).waitFor()
    }
    await page.goto(here.galaxy.url)
    await page.getByRole('main').getByRole('link', { name: 'Testing' }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'laboratory' }).click()
    await page.waitForURL('**/lab')
  })

  it.each([PHONE, { width: 1280, height: 900 }])(
    'have no hole in the first one at a width of $width',
    async (viewport) => {
      const { page } = await here.open({ viewport })
      await switchLiveOff(page)
      await page.goto(here.galaxy.url)
      await page.getByText('This page has received no new planets yet.').waitFor({ state: 'attached' })
      // The browser draws the table only when it is near.
      await page.locator('#table').scrollIntoViewIfNeeded()
      const hole = await untilStill(() => page.evaluate<number>(LARGEST_HOLE))
      expect(hole).toBeLessThan(HOLE_MAX_PX)
    },
  )

  it.each(['/account', '/account#sign-up', '/docs/events'])('have forms with one edge: %s', async (path) => {
    for (const viewport of VIEWPORTS) {
      const { page } = await here.open({ viewport })
      await page.goto(here.galaxy.url + path)
      await page.locator('form').first().waitFor()
      const fields = page.locator('main :is(input:not([type=checkbox]), select)')
      const edges = await fields.evaluateAll((all) =>
        all.map((field) => field.getBoundingClientRect()).map(({ left, right }) => `${left} to ${right}`),
      )
      expect(edges.length).toBeGreaterThan(1)
      expect(new Set(edges).size, edges.join()).toBe(1)
    }
  })
})

/** Where the content of an element begins. */
async function leftOf(page: Page, selector: string): Promise<string> {
  const box = await page.locator(selector).first().boundingBox()
  return String(box?.x)
}

/** The largest height at which nothing stands between the header and the footer, in CSS pixels. */
const LARGEST_HOLE = `(() => {
  const parts = document.querySelectorAll('.site-header, .site-footer, main :is(h1, h2, p, li, td, th, label, select, input, button, pre, canvas)')
  const boxes = [...parts].map((part) => part.getBoundingClientRect()).filter(({ height }) => height > 0)
  boxes.sort((one, other) => one.top - other.top)
  let [end, hole] = [boxes[0].bottom, 0]
  for (const { top, bottom } of boxes) {
    hole = Math.max(hole, top - end)
    end = Math.max(end, bottom)
  }
  return Math.round(hole)
})()`
