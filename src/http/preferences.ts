import { createMiddleware } from 'hono/factory'
import { ProblemError } from '../lib/errors.ts'
import type { HonoEnv } from './context.ts'
import { exampleReply } from './examples.ts'
import type { Route } from './route.ts'

// What a caller may ask for with `Prefer` (RFC 7240) to see how its tools take it. Other preferences are ignored.

const DELAY_MAX_SECONDS = 10
const APPLIED = 'Preference-Applied'

/** Waits as long as the caller wants, and answers with the documented example of the status that it wants. */
export function applyPreferences(route: Route) {
  return createMiddleware<HonoEnv>(async function applyPreferences(c, next) {
    if (!c.env.config.demoControls) return next()
    const preferences = parsePreferences(c.req.header('Prefer') ?? '')
    const delay = preferences.get('delay')
    const code = preferences.get('code')
    const forced =
      code === undefined ? undefined : exampleReply(route, parseCode(code), c.req.raw.headers, c.var.baseUrl)
    const seconds = delay === undefined ? 0 : parseDelay(delay)
    if (seconds > 0) await c.env.wait(seconds * 1000)
    if (forced) c.res = forced
    else await next()
    const applied = [...(forced ? [`code=${code}`] : []), ...(delay === undefined ? [] : [`delay=${seconds}`])]
    if (applied.length > 0) c.header(APPLIED, applied.join(', '))
  })
}

// A preference and its parameters, up to a comma that is not part of a quoted string.
const PREFERENCE = /(?:"(?:\\.|[^"\\])*"|[^",])+/g

const NAME_AND_VALUE = /^\s*([\w-]+)\s*(?:=\s*(?:"([^"]*)"|([^;"]*?))\s*)?(?:;.*)?$/

/** The preferences of a Prefer header, without their parameters; of one that is repeated the first counts (section 2). */
function parsePreferences(header: string): Map<string, string> {
  const preferences = new Map<string, string>()
  for (const preference of header.match(PREFERENCE) ?? []) {
    const [, name = '', quoted, value = ''] = NAME_AND_VALUE.exec(preference) ?? []
    const key = name.toLowerCase()
    if (!preferences.has(key)) preferences.set(key, quoted ?? value)
  }
  return preferences
}

function parseCode(text: string): number {
  if (/^[1-5][0-9]{2}$/.test(text)) return Number(text)
  throw new ProblemError('bad-request', 'Prefer: code takes a status, such as code=503.')
}

/** Seconds; what is beyond the limit means the limit, and the answer says so. */
function parseDelay(text: string): number {
  if (/^[0-9]+(?:\.[0-9]+)?$/.test(text)) return Math.min(Number(text), DELAY_MAX_SECONDS)
  throw new ProblemError('bad-request', `Prefer: delay takes seconds, ${DELAY_MAX_SECONDS} at most, such as delay=2.`)
}
