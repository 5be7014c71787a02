import { createMiddleware } from 'hono/factory'
import { ProblemError } from '../domain/problems.ts'
import { discardResponse } from '../lib/http.ts'
import { exampleReply } from './examples.ts'
import type { HonoContext, HonoEnv } from './pipeline/context.ts'
import type { Route } from './pipeline/route.ts'

// Preferences (`Prefer`, RFC 7240) with which callers can test how their tools handle delays, errors and lost
// responses. Other preferences are ignored.

/** The longest delay that a caller can request, with `Prefer: delay` or at the echo. */
export const DELAY_MAX_SECONDS = 10

/**
 * Waits as long as the caller requests (`delay`). If the caller requests a status (`code`), the documented example of
 * that status is sent and the handler does not run. If the caller requests that the response is lost (`drop`), the
 * handler runs, but no response is sent.
 */
export function applyPreferences(route: Route) {
  return createMiddleware<HonoEnv>(async function applyPreferences(c, next) {
    const header = c.req.header('Prefer')
    if (header === undefined || !c.env.services.config.demoControls) return next()
    const preferences = parsePreferences(header)
    const forcedResponse = forceResponse(c, route, preferences)
    const isLost = parseDrop(preferences.get('drop'))
    const seconds = parseDelay(preferences.get('delay'))
    if (seconds) await c.env.services.wait(seconds * 1000)
    if (forcedResponse) c.res = forcedResponse
    else await next()
    if (isLost) return await loseResponse(c)
    const appliedPreferences: string[] = []
    if (forcedResponse) appliedPreferences.push(`code=${forcedResponse.status}`)
    // A success has only one example, so `example` is only applied to problems.
    const isProblem = forcedResponse !== undefined && forcedResponse.status >= 400
    if (isProblem && preferences.has('example')) appliedPreferences.push(`example=${preferences.get('example')}`)
    if (seconds !== undefined) appliedPreferences.push(`delay=${seconds}`)
    if (appliedPreferences.length > 0) c.res.headers.set('Preference-Applied', appliedPreferences.join(', '))
  })
}

/**
 * The example response that the caller requests; undefined if the caller requests none, or if its body is a file.
 *
 * @throws ProblemError 400 or 406
 */
function forceResponse(c: HonoContext, route: Route, preferences: ReadonlyMap<string, string>): Response | undefined {
  const code = preferences.get('code')
  if (code === undefined) return undefined
  if (!/^[1-5][0-9]{2}$/.test(code)) {
    throw new ProblemError('bad-request', 'Prefer: code must be a status, such as code=503.')
  }
  return exampleReply(route, Number(code), preferences.get('example'), c.req.raw.headers, c.get('baseUrl'))
}

/**
 * Parses a delay in seconds; undefined if none is requested. A delay above DELAY_MAX_SECONDS is reduced to it, and the
 * response reports the applied value.
 *
 * @throws ProblemError 400
 */
function parseDelay(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^[0-9]+(?:\.[0-9]{1,3})?$/.test(text)) return Math.min(Number(text), DELAY_MAX_SECONDS)
  throw new ProblemError(
    'bad-request',
    `Prefer: delay must be a number of seconds, at most ${DELAY_MAX_SECONDS}, such as delay=2.`,
  )
}

/**
 * Whether the caller requests that the response is lost.
 *
 * @throws ProblemError 400
 */
function parseDrop(value: string | undefined): boolean {
  if (value === undefined) return false
  if (value === 'response') return true
  throw new ProblemError('bad-request', 'The only value of Prefer: drop is drop=response.')
}

/**
 * Replaces the response with one whose body fails before its first byte. The runtime then closes the connection and
 * sends nothing. If a proxy has already received the head, the head contains only the status 502.
 */
async function loseResponse(c: HonoContext): Promise<void> {
  await discardResponse(c.res)
  const lost = new ReadableStream({
    start: (controller) => controller.error(new Error('the response is dropped, as Prefer: drop=response requests')),
  })
  // Without this line, Hono would add the headers of the lost response to the new one.
  c.res = undefined
  c.res = new Response(lost, { status: 502 })
}

// A preference and its parameters, up to a comma outside a quoted string (RFC 9110, section 5.6.4). A quoted string
// that is never closed extends to the end.
const PREFERENCE = /(?:"(?:\\.|[^"\\])*"?|[^",])+/gs
// Up to a semicolon outside a quoted string.
const WITHOUT_PARAMETERS = /^(?:"(?:\\.|[^"\\])*"?|[^";])*/s

/**
 * The preferences of a Prefer header by name, without their parameters. If a preference is repeated, its first value is
 * used (RFC 7240, section 2).
 */
function parsePreferences(header: string): Map<string, string> {
  const preferences = new Map<string, string>()
  for (const item of header.match(PREFERENCE) ?? []) {
    const [preference = ''] = WITHOUT_PARAMETERS.exec(item) ?? []
    const [name = '', ...value] = preference.split('=')
    const key = name.trim().toLowerCase()
    if (!preferences.has(key)) preferences.set(key, unquote(value.join('=').trim()))
  }
  return preferences
}

/** The content of a quoted string; any other text unchanged. */
function unquote(text: string): string {
  const [, quoted] = /^"(.*)"$/s.exec(text) ?? []
  return quoted === undefined ? text : quoted.replaceAll(/\\(.)/gs, '$1')
}
