import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Response as BrowserResponse,
  type ConsoleMessage,
  chromium,
  type Page,
} from 'playwright-core'
import type { Conformance } from './conformance.ts'

/**
 * Debian's Chromium without a window, and the one with. The former needs less than half of the CPU time for a test with
 * many pages, because it has no browser window to draw.
 */
const DEBIAN_CHROMIUMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
// Without `reducedMotion`: for a reader who wants less of it, Scalar gives every element a transition of each of its
// properties, however short. Chromium then starts thousands of them at each keystroke.
const DESKTOP = { viewport: { width: 1440, height: 900 } } as const
const JUDGED_BODY_MAX = 1_000_000
// Less than a test may take (vitest.config.ts). Several files share the machine, and some of them leave it no time for a
// while.
const STEP_TIMEOUT_MS = 90_000
const ANIMATION_SPEED = 1000
const REFUSAL = /^Failed to load resource: the server responded with a status of (\d+) /
const REFUSAL_TIMEOUT_MS = 5_000
const REFUSAL_POLL_MS = 20

/** The path of Chromium on this machine: the one in CHROMIUM, or the one at which Debian installs it. */
export function findChromium(): string | undefined {
  return process.env.CHROMIUM || DEBIAN_CHROMIUMS.find((path) => existsSync(path))
}

/**
 * Pages live for seconds, so to optimize their code, or to collect garbage in several threads, takes longer than it
 * saves. Without these flags, the tests of three files with many pages take a third more CPU time.
 */
const V8_FLAGS = '--max-opt=1 --single-threaded-gc'

/**
 * A name of this machine for the browser. Over http, its pages are no secure context, as those of any host but
 * localhost.
 */
export const PLAIN_HOST = 'galaxy.test'

/** Starts Chromium. Each test opens its tabs in profiles of their own. */
async function startBrowser(): Promise<Browser> {
  // The sandbox of Chromium does not start for the root user of a container. There is no GPU, so a process of its own
  // for it only takes time.
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--in-process-gpu',
    `--js-flags=${V8_FLAGS}`,
    `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
  ]
  const executablePath = findChromium()
  if (!executablePath) throw new Error('Chromium is not installed')
  return await chromium.launch({ executablePath, args })
}

let shared: Browser | undefined

/**
 * The Chromium of the test files that share this process. It ends with the process. If it has crashed, a new one
 * starts.
 */
export async function shareBrowser(): Promise<Browser> {
  if (!shared?.isConnected()) shared = await startBrowser()
  return shared
}

/** Closes all tabs of a browser, also those of other groups of tests. */
export async function closeAllTabs(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => context.close()))
}

/** A tab in a browser profile of its own, whose activity is recorded. */
export interface Tab {
  page: Page
  recording: Recording
  close(): Promise<void>
}

/**
 * @param origin The only origin that the pages in this tab may call
 * @param conformance Checks every response of that origin
 */
export async function openTab(
  browser: Browser,
  origin: string,
  conformance: Pick<Conformance, 'findFaults'>,
  options: BrowserContextOptions = {},
): Promise<Tab> {
  const context = await browser.newContext({ ...DESKTOP, ...options })
  const recording = new Recording(origin, conformance)
  await recording.listen(context)
  const page = await context.newPage()
  page.setDefaultTimeout(STEP_TIMEOUT_MS)
  await recording.listenBelow(context, page)
  await hurryAnimations(context, page)
  return {
    page,
    recording,
    async close() {
      recording.end()
      // A page may wait for a response that a test makes, and whose making fails with the page.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.close()
    },
  }
}

/** Ends each animation of a page at its first frame. Drawing them all takes a sixth of the time of a test. */
async function hurryAnimations(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page)
  await session.send('Animation.enable')
  await session.send('Animation.setPlaybackRate', { playbackRate: ANIMATION_SPEED })
}

/** What a tab did that its user, or the makers of the service, should not see. */
export class Recording {
  readonly #origin: string
  readonly #conformance: Pick<Conformance, 'findFaults'>
  #faults: string[] = []
  #messages: ConsoleMessage[] = []
  #judgements: Promise<string[]>[] = []
  #refusals = new Set<string>()
  #hasEnded = false

  constructor(origin: string, conformance: Pick<Conformance, 'findFaults'>) {
    this.#origin = origin
    this.#conformance = conformance
  }

  async listen(context: BrowserContext): Promise<void> {
    context.on('request', (request) => this.#noteRequest(request.url()))
    context.on('response', (response) => this.#noteResponse(response))
    context.on('console', (message) => this.#noteMessage(message))
    context.on('weberror', (error) => this.#faults.push(`uncaught: ${error.error().message}`))
    await context.exposeBinding('noteViolation', (_, text: string) => this.#faults.push(`against the policy: ${text}`))
    await context.addInitScript(`addEventListener('securitypolicyviolation', (violation) =>
      noteViolation(violation.effectiveDirective + ' ' + violation.blockedURI))`)
  }

  /** Also listens to the browser's network, which sees requests that no page has made. */
  async listenBelow(context: BrowserContext, page: Page): Promise<void> {
    const session = await context.newCDPSession(page)
    session.on('Network.requestWillBeSent', ({ request }) => this.#noteRequest(request.url))
    await session.send('Network.enable')
  }

  /**
   * All faults since the last call.
   *
   * @param expected Faults that a test causes on purpose
   */
  async takeFaults(...expected: RegExp[]): Promise<string[]> {
    const judgements = await Promise.all(this.#judgements)
    await this.#untilRefusalsAreKnown()
    const messages = this.#messages.filter((message) => !this.#isOfRefusal(message))
    const complaints = messages.map((message) => `${message.type()}: ${message.text()}`)
    const faults = [...this.#faults, ...complaints, ...judgements.flat()]
    this.#faults = []
    this.#messages = []
    this.#judgements = []
    return [...new Set(faults)].filter((fault) => !expected.some((pattern) => pattern.test(fault)))
  }

  /** Ends the recording: what the tab does until it is closed is nobody's fault. */
  end(): void {
    this.#hasEnded = true
  }

  /** The browser can tell of the log before it tells of the response. */
  async #untilRefusalsAreKnown(): Promise<void> {
    const isUnknown = (message: ConsoleMessage) => REFUSAL.test(message.text()) && !this.#isOfRefusal(message)
    const end = performance.now() + REFUSAL_TIMEOUT_MS
    while (this.#messages.some(isUnknown) && performance.now() < end) await sleep(REFUSAL_POLL_MS)
  }

  #noteRequest(url: string): void {
    const { origin, protocol } = new URL(url)
    if (origin !== this.#origin && protocol !== 'data:') this.#faults.push(`a request to ${url}`)
  }

  #noteMessage(message: ConsoleMessage): void {
    if (['error', 'warning'].includes(message.type())) this.#messages.push(message)
  }

  #noteResponse(response: BrowserResponse): void {
    if (!response.url().startsWith(`${this.#origin}/`)) return
    // The expected failures of calls and pages. Everything else that a page requests must exist.
    const mayBeRefused = ['fetch', 'xhr', 'document'].includes(response.request().resourceType())
    if (mayBeRefused && response.status() >= 400) this.#refusals.add(`${response.status()} ${response.url()}`)
    this.#judgements.push(this.#judge(response).catch((error) => this.#describeLost(response, error)))
  }

  /** Chromium logs each refusal, which a page cannot prevent. */
  #isOfRefusal(message: ConsoleMessage): boolean {
    const [, status] = REFUSAL.exec(message.text()) ?? []
    return this.#refusals.has(`${status} ${message.location().url}`)
  }

  /**
   * A response whose window has closed is lost, as the last one of the popup of a sign-in. Any other must be judged.
   */
  #describeLost(response: BrowserResponse, error: unknown): string[] {
    return this.#hasEnded || isOfClosedWindow(response) ? [] : [`${response.url()} cannot be judged: ${error}`]
  }

  async #judge(response: BrowserResponse): Promise<string[]> {
    const headers = await response.allHeaders()
    const status = (await isConfirmation(response, headers)) ? 304 : response.status()
    if (status >= 300 && status < 400) return []
    const asked = { method: response.request().method(), path: new URL(response.url()).pathname }
    // The files that pages load are not operations. Reading them all would take longer than many a test.
    if (status < 300 && asked.path.includes('/assets/')) return []
    const body = await readBody(response)
    if (body && body.byteLength > JUDGED_BODY_MAX) return []
    const faults = await this.#conformance.findFaults(asked, new Response(body, { status, headers }))
    return faults.map((fault) => `the answer to ${asked.method} ${asked.path}: ${fault}`)
  }
}

function isOfClosedWindow(response: BrowserResponse): boolean {
  try {
    return response.frame().page().isClosed()
  } catch {
    // The window was closed before its first page was there.
    return true
  }
}

/** Whether a response was a 304. The browser reports it as 200, because it has the body already. */
async function isConfirmation(response: BrowserResponse, headers: Record<string, string>): Promise<boolean> {
  const asked = await response.request().allHeaders()
  return 'if-none-match' in asked && !('content-type' in headers)
}

/**
 * The body of a response; empty if there is none, if the browser has discarded it, or if it is a stream, which does not
 * end.
 */
async function readBody(response: BrowserResponse): Promise<Uint8Array<ArrayBuffer> | null> {
  if (response.request().resourceType() === 'eventsource') return null
  const body = await response.body().catch(() => undefined)
  const isThere = body !== undefined && (body.byteLength > 0 || 'content-type' in (await response.allHeaders()))
  return isThere ? new Uint8Array(body) : null
}
