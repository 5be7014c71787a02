import { gzipSync } from 'node:zlib'
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core'
import { makeStateFolder } from '../test/service/galaxy.ts'
import { npmStart } from '../test/service/npm-start.ts'
import { freePort } from '../test/service/ports.ts'
import { findChromium } from '../test/support/browser.ts'
import { type Finding, median } from './measure.ts'

/** A phone or an old laptop: the CPU of this machine, slowed down. */
const SLOWDOWN = 4
const ROUNDS = 5
const FIRST_VIEW_MS = 1500
const FILTER_MS = 50
const SCRIPT_KIB = 150
const FRAMES_PER_SECOND = 60
/** What a reader types, letter by letter, and takes back. */
const TYPED = ['k', 'ke', 'kep', 'ke', 'k', '']

/** Measures the explorer in Chromium. Every figure is a median of page loads with an empty cache. */
export async function measurePages(): Promise<Finding[]> {
  const executablePath = findChromium()
  if (!executablePath) {
    console.log('Pages: skipped, because there is no Chromium. CHROMIUM can name one.')
    return []
  }
  const state = await makeStateFolder()
  const galaxy = await npmStart(['--port', String(await freePort()), '--persist-to', state.folder])
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  try {
    return await measureExplorer(browser, galaxy.url)
  } finally {
    await browser.close()
    await galaxy.stop()
    await state.remove()
  }
}

async function measureExplorer(browser: Browser, url: string): Promise<Finding[]> {
  const slow: Visit[] = []
  const fast: Visit[] = []
  // The first visit of all waits for the service to read its planets.
  await visit(browser, url, 1)
  for (let round = 0; round < ROUNDS; round++) {
    slow.push(await visit(browser, url, SLOWDOWN))
    fast.push(await visit(browser, url, 1))
  }
  console.log(`The explorer in Chromium without a graphics processor, medians of ${ROUNDS} visits`)
  console.table([describe(`CPU slowed down ${SLOWDOWN} times`, slow), describe('CPU as it is', fast)])
  const [first, filter, script, frames] = ['firstView', 'filter', 'scriptKib', 'frames'] as const
  return [
    { name: `first view, of ${FIRST_VIEW_MS} ms, slow CPU`, ratio: pick(slow, first) / FIRST_VIEW_MS, atMost: 1 },
    { name: `filter over all points, of ${FILTER_MS} ms, slow CPU`, ratio: pick(slow, filter) / FILTER_MS, atMost: 1 },
    { name: `script of the first view, of ${SCRIPT_KIB} KiB`, ratio: pick(fast, script) / SCRIPT_KIB, atMost: 1 },
    {
      name: `frames while zooming, of ${FRAMES_PER_SECOND} per second`,
      ratio: pick(fast, frames) / FRAMES_PER_SECOND,
      // A frame can be late: the machine does other work too.
      atLeast: 0.9,
    },
  ]
}

/** What one visit measures. Times in milliseconds. */
interface Visit {
  firstView: number
  filter: number
  frames: number
  scriptKib: number
}

function pick(visits: readonly Visit[], figure: keyof Visit): number {
  return median(visits.map((each) => each[figure]))
}

function describe(machine: string, visits: readonly Visit[]) {
  return {
    machine,
    'first view, ms': Math.round(pick(visits, 'firstView')),
    'filter, ms': Math.round(pick(visits, 'filter')),
    'frames per second while zooming': Math.round(pick(visits, 'frames')),
    'script after gzip, KiB': Math.round(pick(visits, 'scriptKib')),
  }
}

async function visit(browser: Browser, url: string, slowdown: number): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  try {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    const scripts = collectScripts(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    await page.goto(url)
    const firstView = await waitForMark(page)
    const scriptKib = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0) / 1024
    await settle(page, session)
    return { firstView, scriptKib, filter: await timeFilter(page), frames: await countFrames(page) }
  } finally {
    await context.close()
  }
}

/** The sizes of the scripts after compression, as a CDN would send them. `npm start` sends them as they are. */
function collectScripts(page: Page): Promise<number>[] {
  const sizes: Promise<number>[] = []
  page.on('response', (response) => {
    if (response.request().resourceType() === 'script')
      sizes.push(response.body().then((body) => gzipSync(body).length))
  })
  return sizes
}

/** The time from the begin of the navigation to the end of the first frame with all points. */
async function waitForMark(page: Page): Promise<number> {
  for (;;) {
    // No waitForFunction: it evaluates text, which the policy of the page forbids.
    const start = await page.evaluate<number | undefined>(
      "performance.getEntriesByName('explorer-drawn')[0]?.startTime",
    )
    if (start !== undefined) return start
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Waits until what follows the first view is done. */
async function settle(page: Page, session: CDPSession): Promise<void> {
  await page.locator('#table th button').first().waitFor({ state: 'attached' })
  await page.locator('.status-line').waitFor()
  await session.send('HeapProfiler.collectGarbage')
}

/** The median time from a letter in the search to the end of the frame that shows its points. */
async function timeFilter(page: Page): Promise<number> {
  const times = await page.evaluate<number[]>(`(async () => {
    const field = document.querySelector('[name="q"]')
    field.scrollIntoView({ block: 'center' })
    const times = []
    for (const text of ${JSON.stringify(TYPED)}) {
      await new Promise((resolve) => setTimeout(resolve, 400))
      await new Promise(requestAnimationFrame)
      const start = performance.now()
      field.value = text
      field.dispatchEvent(new Event('input', { bubbles: true }))
      await new Promise((resolve) => requestAnimationFrame(() => {
        // A message arrives after the frame was drawn.
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = resolve
        port2.postMessage(0)
      }))
      times.push(performance.now() - start)
    }
    return times
  })()`)
  return median(times)
}

/** Frames per second during three seconds of zooming in and out. */
async function countFrames(page: Page): Promise<number> {
  return await page.evaluate<number>(`(async () => {
    const picture = document.querySelector('#picture')
    const { left, top } = picture.getBoundingClientRect()
    const start = performance.now()
    let frames = 0
    while (performance.now() - start < 3000) {
      const deltaY = frames++ % 40 < 20 ? -4 : 4
      const place = { clientX: left + 300, clientY: top + 200 }
      picture.dispatchEvent(new WheelEvent('wheel', { ctrlKey: true, deltaY, ...place, cancelable: true }))
      await new Promise(requestAnimationFrame)
    }
    return frames / 3
  })()`)
}
