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
  if (redirect) return isSameName(rest, path.slice(`/${id}/`.length)) ? 'begin' : 'end'
  return isRead && beginsWithRead(judged) ? 'begin' : 'judge'
}

/** Whether a path is a plain name. A hop may encode any of its characters (RFC 3986, 6.2.2.2). */
function isSameName(path: string, name: string): boolean {
  return path.replaceAll(/%([2-7][\da-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))) === name
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

/** Bytes of a reason, as JSON, that are kept. */
const REASON_MAX_BYTES = 512
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
  return { step: { at, judgement: keep(judgement) }, received: partOf(judgement), stepsMax, beginsAfter: NEVER }
}

/** Judges a request. Where a redirect ends, its path and its method count too. */
function judgeAt(judged: JudgedCase, arrived: Arrived): Judgement {
  const { redirect } = judged
  const { method, rest } = arrived
  if (redirect && !isSameName(rest, redirect.target)) {
    return {
      verdict: 'fail',
      reason: 'The redirect does not lead here.',
      at: 0,
      received: maskCredentials(rest),
      encoding: null,
    }
  }
  if (redirect && method !== redirect.method) {
    const reason = `The method should be ${redirect.method} here, and was ${maskCredentials(method).slice(0, METHOD_MAX)}.`
    return { verdict: 'fail', reason, at: null, received: null, encoding: null }
  }
  return judge(judged, arrived)
}

async function makeScriptStep(judged: JudgedCase, name: string, { headers }: Arrived, at: number): Promise<MadeStep> {
  const script = SCRIPTS[name]
  const key = script?.key ? headers.get('Idempotency-Key') : null
  const due = script?.dueAt?.(at)
  const step = {
    at,
    ...(due !== undefined && { due }),
    ...(script?.key === 'same' && key !== null && { key: toBase64Url((await sha256(key)).subarray(0, DIGEST_BYTES)) }),
    ...(script?.key === 'given' && { judgement: judgeKey(key, givenKey(judged)) }),
  }
  // The key that a case gives is a part of its request. If it is missing, an empty text arrived.
  const shown = key ?? (script?.key === 'given' ? '' : null)
  const received =
    shown === null ? null : new TextEncoder().encode(maskCredentials(shown)).subarray(0, RECEIVED_MAX_BYTES)
  return { step, received, stepsMax: RETRY_STEPS_MAX, beginsAfter: at - RETRY_MEMORY_MS + 1 }
}

/** The Idempotency-Key that a case gives to its client. */
function givenKey({ parameters = [] }: JudgedCase): string {
  const expected = parameters.find(({ name }) => name === 'Idempotency-Key')?.expected
  return expected?.is === 'text' ? expected.value : ''
}

function judgeKey(key: string | null, given: string): LabJudgement {
  if (key === given) return { verdict: 'pass', reason: null, at: null, encoding: null }
  if (key === null) return { verdict: 'fail', reason: 'The Idempotency-Key is missing.', at: 0, encoding: null }
  const same = [...given].findIndex((character, index) => key[index] !== character)
  const at = same < 0 ? given.length : same
  return { verdict: 'fail', reason: 'The Idempotency-Key is another one.', at, encoding: null }
}

/** What is known about a case after one request at the bench that keeps nothing. */
export function stepsAlone({ answer }: JudgedCase, { step, received }: MadeStep, requestId: string): StoredResult {
  // There, nobody knows whether the GET came first.
  const before: LabStep[] = answer && !step.begins ? [{ at: step.at, begins: true }] : []
  return { caseId: '', requests: 1, requestId, steps: [...before, step], received: received?.toHex() ?? null }
}

function keep({ verdict, reason, at, encoding }: Judgement): LabJudgement {
  return { verdict, reason: reason === null ? null : cut(replaceUnserialisable(reason)), at, encoding }
}

/** A text of which the JSON fits. It ends in dots if it was cut. */
function cut(text: string): string {
  if (countBytes(JSON.stringify(text)) <= REASON_MAX_BYTES) return text
  const characters = [...text]
  while (countBytes(JSON.stringify(`${characters.join('')}…`)) > REASON_MAX_BYTES) characters.length -= 8
  return `${characters.join('')}…`
}

function partOf({ received, encoding }: Judgement): Uint8Array | null {
  return bytesOfReceived(received, encoding)?.subarray(0, RECEIVED_MAX_BYTES) ?? null
}
