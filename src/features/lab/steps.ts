import type { Arrived, JudgedCase, Judgement, LabJudgement, LabStep } from '../../../laboratory/case.ts'
import { judge, RECEIVED_MAX_BYTES } from '../../../laboratory/judge/index.ts'
import { RETRY_MEMORY_MS, RETRY_STEPS_MAX, SCRIPTS } from '../../../laboratory/retry-scripts.ts'
import { judgeAt, type Role } from '../../../laboratory/role.ts'
import { sha256, toBase64Url } from '../../lib/sha256.ts'
import { countBytes, replaceUnserialisable } from '../../lib/text.ts'
import { bytesOfReceived } from './runs/outcome.ts'
import type { NewStep, StoredResult } from './runs/queries.ts'

// What a request to a case is, and what is kept of it.

/** What is recorded of a request, without the ids. */
export type MadeStep = Omit<NewStep, 'caseId' | 'requestId'>

/** Bytes of a reason, as JSON, that are kept. Of retries, a case keeps several. */
const REASON_MAX_BYTES = 512
const RETRY_REASON_MAX_BYTES = 128
/** Bytes of the digest of a key: enough to tell the keys of one case apart. */
const DIGEST_BYTES = 16

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
