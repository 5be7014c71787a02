import { join } from 'node:path'

// wrangler's runtime serves paths of its own at the port of the Worker, before the Worker and to everybody: stored objects,
// handlers that run on request, e-mail that it stores. No option of wrangler closes them. So the first code of the runtime,
// which is a file of Miniflare, gets a check before it.

/** The variable with the text that runs the scheduled job, which only `npm start` knows. */
export const CRON_VARIABLE = 'GALAXY_CRON'

/** Where `npm start` runs the scheduled job. */
export const SCHEDULED_PATH = '/cdn-cgi/local/scheduled'

/** Where the user does, with `--test-scheduled`. */
export const TEST_SCHEDULED_PATH = '/__scheduled'

/** The end of the path of the file. */
export const ENTRY = join('miniflare', 'dist', 'src', 'workers', 'core', 'entry.worker.js')

/** How the file exports what it serves. */
const EXPORT = 'entry_worker_default as default'

/**
 * The check, as source code of the runtime. Only two kinds of paths stay open: those by which wrangler controls its
 * proxy, which require a secret of wrangler, and those that run the scheduled job, with the right text. Miniflare takes
 * the URL from its header instead, if there is one, so both must be open.
 *
 * Miniflare obeys more headers. One of them leads to another Worker of the runtime, on every path: wrangler's proxy for
 * its debugger is one. So of these headers, only those stay open that wrangler sends itself.
 *
 * It also removes the header by which the Worker knows that Cloudflare's edge is before it and ends connections to
 * clients (src/events/held-connections.ts). Here, a client could say so itself, and nothing would cut its sockets off.
 */
function checkOf(cron: string): string {
  return `
const RESERVED = /^\\/(?:cdn-cgi|__cf_local)\\//
const SCHEDULED = ${JSON.stringify([SCHEDULED_PATH, TEST_SCHEDULED_PATH])}
const CRON = ${JSON.stringify(cron)}
const CONTROL = '/cdn-cgi/ProxyWorker/'
const { ORIGINAL_URL, PROXY_SHARED_SECRET, DISABLE_PRETTY_ERROR, CF_BLOB } = CoreHeaders
const OPEN_HEADERS = [ORIGINAL_URL, PROXY_SHARED_SECRET, DISABLE_PRETTY_ERROR]
const CONTROL_HEADERS = [...OPEN_HEADERS, CF_BLOB]

function isOpen(url) {
  const { pathname, searchParams } = new URL(url)
  if (SCHEDULED.includes(pathname)) return CRON !== '' && searchParams.get('cron') === CRON
  return !RESERVED.test(pathname) || pathname.startsWith(CONTROL)
}

function hasOpenHeaders(urls, headers) {
  const isControl = urls.every((url) => new URL(url).pathname.startsWith(CONTROL))
  const open = isControl ? CONTROL_HEADERS : OPEN_HEADERS
  return Object.values(CoreHeaders).every((name) => open.includes(name) || !headers.has(name))
}

function withoutEdge(request) {
  if (!request.headers.has('CF-Ray')) return request
  const changed = new Request(request)
  changed.headers.delete('CF-Ray')
  return changed
}

const closed_entry = {
  fetch(request, env, context) {
    const urls = [request.url, request.headers.get(ORIGINAL_URL) ?? request.url]
    const isAllowed = urls.every((url) => URL.canParse(url) && isOpen(url)) && hasOpenHeaders(urls, request.headers)
    if (!isAllowed) return new Response('Not Found', { status: 404 })
    return entry_worker_default.fetch(withoutEdge(request), env, context)
  },
}
`
}

/**
 * Puts the check before the code of the runtime.
 *
 * @throws Error if the code is not as expected. So nothing starts that is not closed
 */
export function closeEntry(source: string, cron: string): string {
  const parts = source.split(EXPORT)
  if (parts.length !== 2 || !source.includes('CoreHeaders = {')) throw new Error(`${ENTRY} cannot be closed`)
  return parts.join('closed_entry as default') + checkOf(cron)
}
