import { ProblemError } from '../../domain/problems.ts'
import { exampleReply } from '../../http/examples.ts'
import type { HonoContext } from '../../http/pipeline/context.ts'
import type { Route } from '../../http/pipeline/route.ts'
import { DELAY_MAX_SECONDS, parsePreferences } from '../../http/preferences.ts'
import { parsePointer } from '../../lib/json-pointer.ts'
import { CHANGES, isKeywordKind, KINDS, LABELS } from './actions.ts'
import { writeText } from './fault-field.ts'
import { AT_MAX, CUT_MAX_BYTES } from './limits.ts'
import { type FaultTools, perform } from './perform.ts'
import type { FaultStep } from './schemas.ts'

// Preferences (`Prefer`, RFC 7240) with which callers test how their tools handle delays, errors and answers that are
// lost or broken, in every world. Other preferences are ignored here.

type Preferences = ReadonlyMap<string, string>

/**
 * Answers a request as its header `Prefer` says. If the caller requests a status (`code`), the documented example of
 * that status is sent and the handler does not run.
 *
 * @throws ProblemError 400, 406, or 503 if too many requests are held
 */
export async function applyPreferences(
  c: HonoContext,
  next: () => Promise<void>,
  route: Route,
  tools: FaultTools,
): Promise<void> {
  const header = c.req.header('Prefer')
  if (header === undefined || !c.env.services.config.demoControls) return await next()
  const preferences = parsePreferences(header)
  const forced = forceResponse(c, route, preferences)
  const step = readStep(preferences)
  const answer = async () => {
    if (forced) c.res = forced
    else await next()
  }
  const { isApplied, pointer } = await perform(c, route, step, answer, tools)
  if (step.drop) return
  const applied: string[] = []
  if (forced) applied.push(`code=${forced.status}`)
  // A success has only one example, so `example` is only applied to problems.
  if (forced && forced.status >= 400 && preferences.has('example'))
    applied.push(`example=${preferences.get('example')}`)
  if (step.delay !== undefined) applied.push(`delay=${step.delay}`)
  for (const name of CHANGES) if (isApplied && step[name] !== undefined) applied.push(`${name}=${step[name]}`)
  if (pointer !== undefined) applied.push(`at=${writeText(pointer)}`)
  // The operation itself may have applied others.
  if (applied.length > 0) c.res.headers.append('Preference-Applied', applied.join(', '))
}

/**
 * The example response that the caller requests; undefined if the caller requests none, or if its body is a file.
 *
 * @throws ProblemError 400 or 406
 */
function forceResponse(c: HonoContext, route: Route, preferences: Preferences): Response | undefined {
  const code = preferences.get('code')
  if (code === undefined) return undefined
  if (!/^[1-5][0-9]{2}$/.test(code)) throw invalid('code must be a status, such as code=503.')
  return exampleReply(route, Number(code), preferences.get('example'), c.req.raw.headers, c.get('baseUrl'))
}

/** @throws ProblemError 400 */
function readStep(preferences: Preferences): FaultStep & Record<(typeof CHANGES)[number], unknown> {
  if (CHANGES.filter((name) => preferences.has(name)).length > 1) {
    throw invalid(`only one of ${CHANGES.join(', ')} is possible at a time.`)
  }
  const kind = readOneOf(preferences, 'violate', KINDS)
  return {
    drop: readOneOf(preferences, 'drop', ['request', 'response']),
    slow: readSeconds(preferences, 'slow'),
    cut: readBytes(preferences.get('cut')),
    label: readOneOf(preferences, 'label', LABELS),
    violate: kind,
    at: kind && isKeywordKind(kind) ? readPointer(preferences.get('at')) : undefined,
    delay: readSeconds(preferences, 'delay'),
  }
}

/** A preference with a fixed set of values; undefined if it is absent. @throws ProblemError 400 */
function readOneOf<Value extends string>(
  preferences: Preferences,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const text = preferences.get(name)
  const value = values.find((one) => one === text)
  if (text === undefined || value !== undefined) return value
  throw invalid(`${name} can have one of these values: ${values.join(', ')}.`)
}

/**
 * A time in seconds; undefined if none is requested. A time above DELAY_MAX_SECONDS is reduced to it, and the response
 * reports the applied value.
 *
 * @throws ProblemError 400
 */
function readSeconds(preferences: Preferences, name: 'delay' | 'slow'): number | undefined {
  const text = preferences.get(name)
  if (text === undefined) return undefined
  if (/^[0-9]+(?:\.[0-9]{1,3})?$/.test(text)) return Math.min(Number(text), DELAY_MAX_SECONDS)
  throw invalid(`${name} must be a number of seconds, at most ${DELAY_MAX_SECONDS}, such as ${name}=2.`)
}

/** @throws ProblemError 400 */
function readBytes(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const bytes = /^[0-9]{1,7}$/.test(text) ? Number(text) : Infinity
  if (bytes <= CUT_MAX_BYTES) return bytes
  throw invalid(`cut must be a number of bytes from 0 to ${CUT_MAX_BYTES}, such as cut=100.`)
}

/** @throws ProblemError 400 */
function readPointer(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  if (text.length <= AT_MAX && parsePointer(text)) return text
  throw invalid(`at must be a JSON Pointer with at most ${AT_MAX} characters, such as at="/name".`)
}

function invalid(rule: string): ProblemError {
  return new ProblemError('bad-request', `Prefer: ${rule}`)
}
