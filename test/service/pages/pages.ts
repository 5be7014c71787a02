import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { ROOT } from '../../../scripts/lib/root.ts'
import type { Tab } from '../../support/browser.ts'
import type { Surroundings } from '../in-browser.ts'
import { findMarkupFaults } from './markup.ts'

/** Where screenshots of every state of the pages go, for people to look at. Ignored by git. */
const SCREENSHOTS = join(ROOT, 'dist', 'screenshots')

/**
 * No test judges a screenshot, and taking one can take longer than the test, so they are taken if somebody wants them.
 */
const TAKES_SCREENSHOTS = process.env.SCREENSHOTS === '1'

/** The kinds of screens on which every page has to work. */
export const SCREENS = {
  'desktop-light': { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  'desktop-dark': { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  'phone-light': { viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true, isMobile: true },
  'phone-dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true, isMobile: true },
} as const

export type ScreenName = keyof typeof SCREENS

/**
 * Those on which the states of a page are judged. Layout depends on the width alone and colours on the scheme alone
 * (styles.test.ts), so two screens that differ in both find what all four would. What
 * only wide screens show is also judged in the dark (explorer.test.ts).
 */
export const JUDGED_SCREENS: readonly ScreenName[] = TAKES_SCREENSHOTS
  ? (Object.keys(SCREENS) as ScreenName[])
  : ['desktop-light', 'phone-dark']

/** Opens a tab on one of the screens. */
export async function openOn(here: Surroundings, screen: ScreenName): Promise<Tab> {
  return await here.open({ ...SCREENS[screen] })
}

/** Lets a tab show only the planets of the catalogue: other tests create planets at the same time. */
export async function switchLiveOff(page: Page): Promise<void> {
  await page.addInitScript("sessionStorage.setItem('galaxy.tab.live', 'off')")
}

/** With SCREENSHOTS=1, takes a screenshot of the whole page. */
export async function takeScreenshot(page: Page, screen: ScreenName, state: string): Promise<void> {
  if (TAKES_SCREENSHOTS) await page.screenshot({ path: join(SCREENSHOTS, `${state}-${screen}.png`), fullPage: true })
}

/**
 * What is wrong with a page: accessibility, its HTML, the width of the screen, and what the tab has recorded.
 *
 * @param expected What is not wrong here
 */
export async function findPageFaults(tab: Tab, ...expected: RegExp[]): Promise<string[]> {
  const barriers = await findBarriers(tab.page, { expected })
  const faults = [...barriers, ...(await findMarkupFaults(await tab.page.content()))]
  return [...faults, ...(await findTabFaults(tab, ...expected))]
}

/** The same without accessibility, which takes longest, for a state whose accessibility another test judges. */
export async function findTabFaults({ page, recording }: Tab, ...expected: RegExp[]): Promise<string[]> {
  return [...(await findOverflow(page)), ...(await recording.takeFaults(...expected))]
}

/**
 * Every finding of axe-core, also those that it cannot decide. It is loaded through the browser's debugger, to which
 * the policy of the page does not apply.
 *
 * @param part A selector of the part of the page to judge, if the rest was judged before
 * @param expected Findings that are no faults here
 */
export async function findBarriers(
  page: Page,
  { part = 'html', expected = [] }: { part?: string; expected?: readonly RegExp[] } = {},
): Promise<string[]> {
  if (await page.evaluate('typeof axe === "undefined"')) await page.evaluate(AXE)
  return await untilAtRest(async () => {
    // While a colour changes, it is none of those that a reader sees.
    await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished))')
    const { violations, incomplete } = await page.evaluate<Pick<AxeResults, 'violations' | 'incomplete'>>(
      `axe.run(${JSON.stringify(part)}, ${AXE_OPTIONS})`,
    )
    const findings = [...violations, ...incomplete].flatMap(({ id, nodes }) =>
      nodes.map(({ html }) => `${id}: ${html}`),
    )
    return findings.filter((finding) => !expected.some((pattern) => pattern.test(finding)))
  })
}

/** How long a page may take until it shows the effect of what was done last. */
const REST_TIMEOUT_MS = 20_000
const REST_POLL_MS = 100
/** Longer than a page needs to change, and shorter than any of its notices stays. */
const CHANGE_MS = 3000

/** Judges a page until nothing is wrong, or until a fault is not one of a moment in which the page changes. */
async function untilAtRest(judge: () => Promise<string[]>): Promise<string[]> {
  const end = performance.now() + CHANGE_MS
  for (;;) {
    const faults = await judge()
    if (faults.length === 0 || performance.now() > end) return faults
    await sleep(REST_POLL_MS)
  }
}

/** Minified, because each browser profile compiles it again. */
const AXE = readFileSync(join(ROOT, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8')

/** axe would otherwise also describe every element that is as it should be, and leave the size of touch targets out. */
const AXE_OPTIONS =
  "{ resultTypes: ['violations', 'incomplete'], selectors: false, rules: { 'target-size': { enabled: true } } }"

/** Reads a page until it shows the same twice, a moment apart. */
export async function untilStill<Value>(read: () => Promise<Value>): Promise<Value> {
  const end = performance.now() + REST_TIMEOUT_MS
  for (let before = await read(); ; ) {
    await sleep(REST_POLL_MS)
    const now = await read()
    if (isDeepStrictEqual(now, before)) return now
    if (performance.now() > end) throw new Error(`the page does not come to rest: ${JSON.stringify(now)}`)
    before = now
  }
}

/** A page that is wider than the screen has to be scrolled sideways. */
export async function findOverflow(page: Page): Promise<string[]> {
  return await untilAtRest(async () => {
    const width = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    return width > 0 ? [`the page is ${width} pixels wider than the screen`] : []
  })
}
