import { createMiddleware } from 'hono/factory'
import { ProblemError } from '../domain/problems.ts'
import { exampleReply } from './examples.ts'
import type { HonoContext, HonoEnv } from './pipeline/context.ts'
import type { Route } from './pipeline/route.ts'

// Preferences (`Prefer`, RFC 7240) that let callers test how their tools handle delays and errors. Other preferences
// are ignored.

/** The longest delay that a caller can ask for, here and at the echo. */
export const DELAY_MAX_SECONDS = 10

/** Waits as long as the caller requests, and sends the documented example of the status that it requests. */
export function applyPreferences(route: Route) {
  return createMiddleware<HonoEnv>(async function applyPreferences(c, next) {
    if (!c.env.services.config.demoControls) return next()
    const preferences = parsePreferences(c.req.header('Prefer') ?? '')
    const forced = force(c, route, preferences)
    const seconds = parseDelay(preferences.get('delay'))
    if (seconds) await c.env.services.wait(seconds * 1000)
    if (forced) c.res = forced
    else await next()
    const applied = [
      ...(forced ? [`code=${forced.status}`] : []),
      // A success has only one example, so only a problem confirms the choice.
      ...(forced && forced.status >= 400 && preferences.has('example')
        ? [`example=${preferences.get('example')}`]
        : []),
      ...(seconds === undefined ? [] : [`delay=${seconds}`]),
    ]
    if (applied.length > 0) c.header('Preference-Applied', applied.join(', '))
  })
}

function force(c: HonoContext, route: Route, preferences: ReadonlyMap<string, string>): Response | undefined {
  const code = preferences.get('code')
  if (code === undefined) return undefined
  if (!/^[1-5][0-9]{2}$/.test(code)) {
    throw new ProblemError('bad-request', 'Prefer: code must be a status, such as code=503.')
  }
  return exampleReply(route, Number(code), preferences.get('example'), c.req.raw.headers, c.var.baseUrl)
}

/**
 * Seconds. A longer delay is reduced to the maximum, and the response reports the applied value.
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

// A preference and its parameters, up to a comma outside a quoted string (RFC 9110, section 5.6.4).
const PREFERENCE = /(?:"(?:\\.|[^"\\])*"?|[^",])+/gs
// Up to a semicolon outside a quoted string.
const WITHOUT_PARAMETERS = /^(?:"(?:\\.|[^"\\])*"?|[^";])*/s

/**
 * The preferences of a Prefer header, without their parameters. If one is repeated, the first counts (RFC 7240, section
 * 2).
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
