import { join } from 'node:path'
import { HOST, ORIGIN } from '../../src/domain/service-origin.ts'

// The local runtime serves paths of its own at the port of the Worker, before the Worker and to everybody: stored
// objects, handlers that run on request, e-mail that it stores. No option closes them. So the first code of the
// runtime, which is a file of Miniflare, gets a check before it.

/** Who may pass the check. */
export interface Passage {
  /** The text that runs the scheduled job, which only the process that starts the service knows. Empty: none does */
  cron: string
  /** Whether wrangler's proxy is before this runtime. It sends control requests and headers of its own. */
  isBehindProxy: boolean
}

/** The variable with the text that runs the scheduled job, for the process of `wrangler dev`. */
export const CRON_VARIABLE = 'GALAXY_CRON'

/** Where the scheduled job runs. */
export const SCHEDULED_PATH = '/cdn-cgi/local/scheduled'

/** Where the user does, with `--test-scheduled`. */
export const TEST_SCHEDULED_PATH = '/__scheduled'

/** The end of the path of the file. */
export const ENTRY = join('miniflare', 'dist', 'src', 'workers', 'core', 'entry.worker.js')

/** How the file exports what it serves. */
const EXPORT = 'entry_worker_default as default'

/**
 * How the file answers if something fails before or after the Worker: with the stack, which has paths of the machine.
 */
const SHOWN_ERROR = 'new Response(e?.stack ?? String(e), { status: 500 })'

/**
 * How much of a body the runtime reads after the response, in bytes. If there is more, it ends the connection. Then
 * whoever still sends the body may find the end of the connection before the response.
 */
export const READ_AFTER_RESPONSE_BYTES = 64 * 1024

/** How long such a response stays unfinished after its last byte, in milliseconds, so that it arrives first. */
const HELD_MS = 500

/**
 * The check, as source code of the runtime. Only two kinds of paths stay open: those by which wrangler controls its
 * proxy, which require a secret of wrangler, and those that run the scheduled job, with the right text. Miniflare takes
 * the URL from its header instead, if there is one, so both must be open. Without wrangler's proxy, nobody may control
 * anything, and none of these headers is allowed: a client could choose its own URL.
 *
 * Miniflare obeys more headers. One of them leads to another Worker of the runtime, on every path: wrangler's proxy for
 * its debugger is one. So of these headers, only those stay open that wrangler sends itself.
 *
 * It also removes the header by which the Worker knows that Cloudflare's edge is before it and ends connections to
 * clients (src/events/held-connections.ts). Here, a client could say so itself, and nothing would cut its sockets off.
 *
 * Miniflare would also take the scheme from `X-Forwarded-Proto`, unless it has its own header with the URL. The service
 * reads no header of a proxy, because a client can send it too. So the check sets that header.
 *
 * The runtime fails if a request has no path, such as `OPTIONS *`, or if its host has characters that no host has. It
 * makes the URL of the text of `Host` and the path, so a text that is no host could change the path. Behind wrangler's
 * proxy, the Worker no longer sees that text.
 *
 * A response never shows an error of the runtime, which contains paths of the machine. The terminal shows it.
 *
 * If a request is refused before its body was read, the end of the response is held back for a moment. wrangler's proxy
 * sends the body on to this runtime, and if the connection ends meanwhile, it answers 500 instead of the response. A
 * client itself would take a connection whose end is held back for one that it can use again.
 */
function checkOf({ cron, isBehindProxy }: Passage): string {
  return `
const RESERVED = /^\\/(?:cdn-cgi|__cf_local)\\//
const SCHEDULED = ${JSON.stringify([SCHEDULED_PATH, TEST_SCHEDULED_PATH])}
const CRON = ${JSON.stringify(cron)}
const CONTROL = '/cdn-cgi/ProxyWorker/'
const { ORIGINAL_URL, PROXY_SHARED_SECRET, DISABLE_PRETTY_ERROR, ERROR_STACK, CF_BLOB } = CoreHeaders
const OPEN_HEADERS = ${isBehindProxy} ? [ORIGINAL_URL, PROXY_SHARED_SECRET, DISABLE_PRETTY_ERROR] : []
const CONTROL_HEADERS = [...OPEN_HEADERS, CF_BLOB]

function isValid(url) {
  return URL.canParse(url) && ${ORIGIN}.test(new URL(url).origin)
}

function hasValidHost({ headers }) {
  return ${HOST}.test(headers.get('Host') ?? '')
}

function isControlled(url) {
  return ${isBehindProxy} && new URL(url).pathname.startsWith(CONTROL)
}

function isOpen(url) {
  const { pathname, searchParams } = new URL(url)
  if (SCHEDULED.includes(pathname)) return CRON !== '' && searchParams.get('cron') === CRON
  return !RESERVED.test(pathname) || isControlled(url)
}

function hasOpenHeaders(urls, headers) {
  const isControl = urls.every(isControlled)
  const open = isControl ? CONTROL_HEADERS : OPEN_HEADERS
  return Object.values(CoreHeaders).every((name) => open.includes(name) || !headers.has(name))
}

function withoutEdge(request) {
  if (!request.headers.has('CF-Ray')) return request
  const changed = new Request(request)
  changed.headers.delete('CF-Ray')
  return changed
}

const FAILURE = 'Internal Server Error'

async function answer(request, env, context) {
  const passed = new Request(withoutEdge(request))
  passed.headers.set(DISABLE_PRETTY_ERROR, 'true')
  if (!passed.headers.has(ORIGINAL_URL)) passed.headers.set(ORIGINAL_URL, request.url)
  const response = await entry_worker_default.fetch(passed, env, context)
  if (!response.headers.has(ERROR_STACK)) return response
  // This writes the error to the terminal, and makes a page that shows it.
  await maybePrettifyError(request, response, env)
  return new Response(FAILURE, { status: 500 })
}

function mayHaveUnreadBody(request) {
  const length = request.headers.get('Content-Length')
  return request.body !== null && (length === null || Number(length) > ${READ_AFTER_RESPONSE_BYTES})
}

function held(response) {
  const { status, statusText, headers, body } = response
  const length = headers.has('Content-Encoding') ? null : headers.get('Content-Length')
  const { readable, writable } = length === null ? new IdentityTransformStream() : new FixedLengthStream(Number(length))
  const end = async () => {
    await body.pipeTo(writable, { preventClose: true })
    await scheduler.wait(${HELD_MS})
    await writable.close()
  }
  end().catch(() => {})
  return new Response(readable, { status, statusText, headers })
}

const closed_entry = {
  async fetch(request, env, context) {
    const urls = [request.url, request.headers.get(ORIGINAL_URL) ?? request.url]
    if (!hasValidHost(request) || !urls.every(isValid)) return new Response('Bad Request', { status: 400 })
    const isAllowed = urls.every(isOpen) && hasOpenHeaders(urls, request.headers)
    if (!isAllowed) return new Response('Not Found', { status: 404 })
    const mayHold = ${isBehindProxy} && mayHaveUnreadBody(request)
    const response = await answer(request, env, context)
    return mayHold && response.status >= 400 && response.body ? held(response) : response
  },
}
`
}

/**
 * Puts the check before the code of the runtime.
 *
 * @throws Error if the code is not as expected. So nothing starts that is not closed
 */
export function closeEntry(source: string, passage: Passage): string {
  const replaced = [
    [EXPORT, 'closed_entry as default'],
    [SHOWN_ERROR, 'new Response(FAILURE, { status: 500 })'],
  ].reduce((code, [from = '', to = '']) => {
    const parts = code.split(from)
    if (parts.length !== 2) throw new Error(`${ENTRY} cannot be closed`)
    return parts.join(to)
  }, source)
  for (const used of ['CoreHeaders = {', 'function maybePrettifyError(request, response, env)']) {
    if (!source.includes(used)) throw new Error(`${ENTRY} cannot be closed`)
  }
  return replaced + checkOf(passage)
}
