import { maskCredentials } from '../src/domain/mask-credentials.ts'
import { countBytes, replaceUnserialisable } from '../src/lib/text.ts'
import type { Arrived, JudgedCase, Judgement, LabStep } from './case.ts'
import { judgeRequest } from './judge/index.ts'
import { SCRIPTS } from './retry-scripts.ts'

/**
 * What a request means to its case. `begin`: the GET of a response, the redirect itself, the GET before a POST. `end`:
 * where a redirect leads, with any method. `judge`: any other request.
 */
export type Role = 'begin' | 'end' | 'judge'

/** @param rest The path after the name of the case */
export function roleOf(judged: JudgedCase, { rest }: { rest: string }, method: string): Role {
  const { redirect, id, path } = judged
  const isRead = method === 'GET' || method === 'HEAD'
  if (redirect) return isSamePath(rest, path.slice(`/${id}`.length)) ? 'begin' : 'end'
  return isRead && beginsWithRead(judged) && rest === '' ? 'begin' : 'judge'
}

/** Whether a path is a plain one. A hop may encode any of its characters (RFC 3986, 6.2.2.2), and join slashes. */
function isSamePath(path: string, plain: string): boolean {
  const decoded = path.replaceAll(/%([2-7][\da-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  return decoded.replace(/^\/+/, '/') === plain
}

/** Whether a GET comes before the request that is judged. */
function beginsWithRead({ answer, script }: JudgedCase): boolean {
  return answer !== undefined || (script !== undefined && SCRIPTS[script]?.first !== undefined)
}

/** The methods that a case takes. Where a redirect leads, it takes all of them. */
export function methodsOf(judged: JudgedCase, role: Role): string[] {
  if (role === 'end') return ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
  const methods = [...new Set([...(beginsWithRead(judged) ? ['GET'] : []), judged.method])]
  return [...methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])), 'OPTIONS']
}

/** Characters of a method in a reason. */
const METHOD_MAX = 20

/** Judges a request. Where a redirect ends, its method counts too. */
function judgeAt(judged: JudgedCase, arrived: Arrived): Judgement {
  const { redirect } = judged
  const { method, rest } = arrived
  if (redirect && method !== redirect.method && isSamePath(rest, `/${redirect.target}`)) {
    const reason = `The method should be ${redirect.method} here, and was ${maskCredentials(method).slice(0, METHOD_MAX)}.`
    return { part: null, verdict: 'fail', reason, at: null, received: null, encoding: null }
  }
  return judgeRequest(judged, arrived)
}

/** Bytes of a reason, as JSON, that a step has, because a run keeps it. Of retries, a case keeps several steps. */
const REASON_MAX_BYTES = 512
const RETRY_REASON_MAX_BYTES = 128

/** A reason that every format can write, and of which the JSON fits. It ends in dots if it was cut. */
function shorten(reason: string | null, { script }: JudgedCase): string | null {
  if (reason === null) return null
  const maxBytes = script === undefined ? REASON_MAX_BYTES : RETRY_REASON_MAX_BYTES
  const text = replaceUnserialisable(reason)
  if (countBytes(JSON.stringify(text)) <= maxBytes) return text
  const characters = [...text]
  while (countBytes(JSON.stringify(`${characters.join('')}…`)) > maxBytes) characters.length -= 8
  return `${characters.join('')}…`
}

/** What a request shows of its case. */
export interface SeenStep {
  step: LabStep
  /** The Idempotency-Key, if all requests of the case need the same. */
  key?: string
  /** What the step does not have of it: the part that was judged. Absent if nothing was. */
  judgement?: Judgement
}

/** What a request at a time (milliseconds since 1970) shows of its case. */
export function stepOf(judged: JudgedCase, role: Role, arrived: Arrived, at: number): SeenStep {
  if (role === 'begin') return { step: { at, begins: true } }
  const judgement = judgeAt(judged, arrived)
  const { received: _, ...kept } = { ...judgement, reason: shorten(judgement.reason, judged) }
  const script = judged.script === undefined ? undefined : SCRIPTS[judged.script]
  if (!script) return { step: { at, judgement: kept }, judgement }
  const due = script.dueAt?.(at)
  const key = script.comparesKeys ? arrived.headers.get('Idempotency-Key') : null
  // Each request of a retry is judged, and then what they show together.
  const isPassed = judgement.verdict === 'pass'
  return {
    step: { at, ...(due !== undefined && { due }), ...(!isPassed && { judgement: kept }) },
    ...(key !== null && { key }),
    ...((!isPassed || judged.body) && { judgement }),
  }
}
