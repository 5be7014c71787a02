import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { ROOT } from '../../../scripts/lib/wrangler.ts'
import type { Tab } from '../../support/browser.ts'
import type { Surroundings } from '../in-browser.ts'

/** Screenshots of every state of the pages, for people to look at. Ignored by git. */
export const SCREENSHOTS = join(ROOT, 'dist', 'screenshots')

/** The screens on which every page has to work. */
export const SCREENS = {
  'desktop-light': { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  'desktop-dark': { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  'phone-light': { viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true, isMobile: true },
  'phone-dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true, isMobile: true },
} as const

export type ScreenName = keyof typeof SCREENS

/** Opens a tab on one of the screens. */
export async function openOn(here: Surroundings, screen: ScreenName): Promise<Tab> {
  return await here.open({ ...SCREENS[screen] })
}

/** Takes a screenshot of the whole page. */
export async function takeScreenshot(page: Page, screen: ScreenName, state: string): Promise<void> {
  await mkdir(SCREENSHOTS, { recursive: true })
  await page.screenshot({ path: join(SCREENSHOTS, `${state}-${screen}.png`), fullPage: true })
}

/** What is wrong with a page: accessibility, the width of the screen, and what the tab has recorded. */
export async function findPageFaults({ page, recording }: Tab, ...expected: RegExp[]): Promise<string[]> {
  return [...(await findBarriers(page)), ...(await findOverflow(page)), ...(await recording.takeFaults(...expected))]
}

/** Every finding of axe-core, also those that it cannot decide. It is loaded through the browser's debugger, to which the policy of the page does not apply. */
export async function findBarriers(page: Page): Promise<string[]> {
  // While a colour changes, it is none of those that a reader sees.
  await page.evaluate('Promise.all(document.getAnimations().map(({ finished }) => finished))')
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(axe.source)
  const { violations, incomplete } = await page.evaluate<Pick<axe.AxeResults, 'violations' | 'incomplete'>>('axe.run()')
  return [...violations, ...incomplete].flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}

/** A page that is wider than the screen has to be scrolled sideways. */
export async function findOverflow(page: Page): Promise<string[]> {
  const width = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  return width > 0 ? [`the page is ${width} pixels wider than the screen`] : []
}
