import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { ReferencePage, STILL } from '../../support/reference-page.ts'
import { chromium, findOperation, useBrowser } from '../in-browser.ts'
import { findOverflow } from './pages.ts'

// The API reference looks as its vendor made it: our stylesheet is for the parts around it.

const createPlanet = findOperation('createPlanet')

/** Registry: the states in which the vendor's parts are compared, one after another. */
const STATES: Record<string, (page: Page, reference: ReferencePage) => Promise<unknown>> = {
  beginning: (page) => page.locator('.client-libraries-tabs').waitFor(),
  client: (_, reference) => reference.try(createPlanet),
}

/** No stylesheet of the page, ours or the vendor's, has a rule for wider screens up to 1535 pixels. */
const WIDTHS = [1280, 390] as const

describe.skipIf(!chromium)('the API reference', () => {
  const here = useBrowser()
  afterEach(here.closeTabs)

  async function open(width: number) {
    const tab = await here.open({ viewport: { width, height: 900 } })
    const reference = new ReferencePage(tab.page, here.galaxy.url)
    await tab.page.addInitScript(STILL)
    await reference.narrow([createPlanet])
    await reference.open()
    return { page: tab.page, reference }
  }

  it.each(WIDTHS)('has the styles of its vendor, %i pixels wide', async (width) => {
    const { page, reference } = await open(width)
    for (const [state, go] of Object.entries(STATES)) {
      await go(page, reference)
      const found = await page.evaluate(FIND_CHANGES)
      expect(found, state).toEqual({ compared: true, changes: [] })
    }
  })

  it('has the tabs of its client libraries in a row on a wide screen', async () => {
    const { page } = await open(WIDTHS[0])
    const tabs = page.locator('.client-libraries-tabs > *')
    const tops = () => tabs.evaluateAll((all) => new Set(all.map((tab) => tab.getBoundingClientRect().top)).size)
    await expect.poll(() => tabs.count()).toBeGreaterThan(3)
    await expect.poll(tops).toBe(1)
  })

  it.each(WIDTHS)('has no text on another, and nothing beside the page, %i pixels wide', async (width) => {
    const { page } = await open(width)
    const indicator = page.locator('[data-testid=auth-indicator]').first()
    const choice = page.getByRole('button', { name: /^Selected Auth Type/ }).first()
    const isBeside = async () => {
      const [title, button] = [await indicator.boundingBox(), await choice.boundingBox()]
      if (!title || !button) return false
      return title.x + title.width <= button.x || title.y + title.height <= button.y
    }
    await expect.poll(isBeside).toBe(true)
    await page.locator('.property-example').first().waitFor({ state: 'attached' })
    await page.addStyleTag({ content: '.property-example-value-list { display: flex !important }' })
    expect(await findOverflow(page)).toEqual([])
  })

  it('draws the list of operations before it requests the bundle', async () => {
    const { page } = await here.open()
    await page.goto(`${here.galaxy.url}/docs`)
    const times = () => page.evaluate<[painted: number, requested: number]>(TIMES)
    await expect.poll(async () => (await times())[1]).toBeGreaterThan(0)
    const [painted, requested] = await times()
    expect(painted).toBeGreaterThan(0)
    expect(requested).toBeGreaterThanOrEqual(painted)
  })
})

/** Runs in the page: when something was painted first, and when the bundle was requested, in milliseconds. */
const TIMES = `[
  performance.getEntriesByName('first-paint')[0]?.startTime ?? 0,
  performance.getEntriesByType('resource').find(({ name }) => name.includes('standalone'))?.startTime ?? 0,
]`

/**
 * Runs in the page: the computed styles of the vendor's elements that our stylesheet changes. Where something hangs
 * depends on the height of our header, so the position of what is out of the flow is left out.
 */
const FIND_CHANGES = `(() => {
  const own = '.skip-link, .site-header, .universe, .site-footer, main, script'
  const elements = [
    ...document.querySelectorAll('#reference *'),
    ...[...document.body.children].filter((child) => !child.matches(own)).flatMap((child) => [child, ...child.querySelectorAll('*')]),
  ]
  const isPlace = (name) =>
    /^(?:top|right|bottom|left|inset.*|transform|max-height|max-block-size|perspective-origin|transform-origin)$/.test(name)
  const names = [...getComputedStyle(document.querySelector('#reference'))]
  const read = () => elements.map((element) => {
    const style = getComputedStyle(element)
    return names.map((name) => style.getPropertyValue(name))
  })
  const sheets = [...document.styleSheets].filter((sheet) => sheet.href !== null)
  const withOurs = read()
  for (const sheet of sheets) sheet.disabled = true
  const without = read()
  for (const sheet of sheets) sheet.disabled = false
  const changes = new Set()
  withOurs.forEach((styles, index) => {
    const isPlaced = getComputedStyle(elements[index]).position !== 'static'
    names.forEach((name, at) => {
      if (styles[at] === without[index][at] || (isPlaced && isPlace(name))) return
      changes.add(name + ': ' + styles[at] + ' instead of ' + without[index][at] + ' at ' + elements[index].outerHTML.slice(0, 80))
    })
  })
  return { compared: sheets.length === 1 && elements.length > 100, changes: [...changes].slice(0, 20) }
})()`
