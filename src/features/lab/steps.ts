import { maskCredentials } from '../../domain/mask-credentials.ts'
import { sha256, toBase64Url } from '../../lib/sha256.ts'
import { countBytes, replaceUnserialisable } from '../../lib/text.ts'
import type { LabJudgement, LabStep } from '../../schemas/lab-run.ts'
import type { Arrived, JudgedCase, Judgement } from './case.ts'
import { judge, RECEIVED_MAX_BYTES } from './judge/index.ts'
import { bytesOfReceived } from './runs/outcome.ts'
import type { NewStep, StoredResult } from './runs/queries.ts'
import { RETRY_MEMORY_MS, RETRY_STEPS_MAX, SCRIPTS } from './scripts.ts'

// What a request to a case is, and what is kept of it.

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

/** What is recorded of a request, without the ids. */
export type MadeStep = Omit<NewStep, 'caseId' | 'requestId'>

/** Bytes of a reason, as JSON, that are kept. Of retries, a case keeps several. */
const REASON_MAX_BYTES = 512
const RETRY_REASON_MAX_BYTES = 128
/** Bytes of the digest of a key: enough to tell the keys of one case apart. */
const DIGEST_BYTES = 16
/** Characters of a method in a reason. */
const METHOD_MAX = 20

const ALWAYS = Number.MAX_SAFE_INTEGER
const NEVER = 0

/** What is recorded of a request: only the part that was judged. */
export async function makeStep(judged: JudgedCase, role: Role, arrived: Arrived, now: Date): Promise<MadeStep> {
  const at = now.getTime()
  if (role === 'begin') return { step: { at, begins: true }, received: null, stepsMax: 1, beginsAfter: ALWAYS }
  if (judged.script !== undefined) return await makeScriptStep(judged, judged.script, arrived, at)
  const judgement = judgeAt(judged, arrived)
  // A response is judged together with the GET before the PUT.
  const stepsMax = judged.answer ? 2 : 1
  return {
    step: { at, judgement: keep(judgement, REASON_MAX_BYTES) },
    received: partOf(judgement),
    stepsMax,
    beginsAfter: NEVER,
  }
}

/** Judges a request. Where a redirect ends, its method counts too. */
function judgeAt(judged: JudgedCase, arrived: Arrived): Judgement {
  const { redirect } = judged
  const { method, rest } = arrived
  if (redirect && method !== redirect.method && isSamePath(rest, `/${redirect.target}`)) {
    const reason = `The method should be ${redirect.method} here, and was ${maskCredentials(method).slice(0, METHOD_MAX)}.`
    return { verdict: 'fail', reason, at: null, received: null, encoding: null }
  }
  return judge(judged, arrived)
}

/** Each request of a retry is judged, and then what they show together (scripts.ts). */
async function makeScriptStep(judged: JudgedCase, name: string, arrived: Arrived, at: number): Promise<MadeStep> {
  const script = SCRIPTS[name]
  const key = script?.comparesKeys ? arrived.headers.get('Idempotency-Key') : null
  const due = script?.dueAt?.(at)
  const judgement = judge(judged, arrived)
  const isPassed = judgement.verdict === 'pass'
  const step = {
    at,
    ...(due !== undefined && { due }),
    ...(key !== null && { key: toBase64Url((await sha256(key)).subarray(0, DIGEST_BYTES)) }),
    ...(!isPassed && { judgement: keep(judgement, RETRY_REASON_MAX_BYTES) }),
  }
  const received = isPassed && !judged.body ? null : partOf(judgement)
  return { step, received, keepsFault: true, stepsMax: RETRY_STEPS_MAX, beginsAfter: at - RETRY_MEMORY_MS + 1 }
}

/** What is known about a case after one request at the bench that keeps nothing. */
export function stepsAlone({ answer }: JudgedCase, { step, received }: MadeStep, requestId: string): StoredResult {
  // There, nobody knows whether the GET came first.
  const before: LabStep[] = answer && !step.begins ? [{ at: step.at, begins: true }] : []
  return { caseId: '', requests: 1, requestId, steps: [...before, step], received: received?.toHex() ?? null }
}

function keep({ verdict, reason, at, encoding }: Judgement, maxBytes: number): LabJudgement {
  return { verdict, reason: reason === null ? null : cut(replaceUnserialisable(reason), maxBytes), at, encoding }
}

/** A text of which the JSON fits. It ends in dots if it was cut. */
function cut(text: string, maxBytes: number): string {
  if (countBytes(JSON.stringify(text)) <= maxBytes) return text
  const characters = [...text]
  while (countBytes(JSON.stringify(`${characters.join('')}…`)) > maxBytes) characters.length -= 8
  return `${characters.join('')}…`
}

function partOf({ received, encoding }: Judgement): Uint8Array | null {
  return bytesOfReceived(received, encoding)?.subarray(0, RECEIVED_MAX_BYTES) ?? null
}
