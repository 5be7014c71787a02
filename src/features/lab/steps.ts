import type { Arrived, JudgedCase, Judgement, LabStep } from '../../../laboratory/case.ts'
import { RECEIVED_MAX_BYTES } from '../../../laboratory/judge/index.ts'
import { RETRY_MEMORY_MS, RETRY_STEPS_MAX } from '../../../laboratory/retry-scripts.ts'
import { type Role, stepOf } from '../../../laboratory/step.ts'
import { sha256, toBase64Url } from '../../lib/sha256.ts'
import { bytesOfReceived } from './runs/outcome.ts'
import type { NewStep, StoredResult } from './runs/queries.ts'

// What a request to a case is, and what is kept of it.

/** What is recorded of a request, without the ids. */
export type MadeStep = Omit<NewStep, 'caseId' | 'requestId'>

/** Bytes of the digest of a key: enough to tell the keys of one case apart. */
const DIGEST_BYTES = 16

const ALWAYS = Number.MAX_SAFE_INTEGER
const NEVER = 0

/** What is recorded of a request: only the part that was judged. */
export async function makeStep(judged: JudgedCase, role: Role, arrived: Arrived, now: Date): Promise<MadeStep> {
  const { step, key, judgement } = stepOf(judged, role, arrived, now.getTime())
  const { at, begins } = step
  if (begins) return { step, received: null, stepsMax: 1, beginsAfter: ALWAYS }
  const isRetry = judged.script !== undefined
  return {
    step: {
      ...step,
      ...(key !== undefined && { key: toBase64Url((await sha256(key)).subarray(0, DIGEST_BYTES)) }),
    },
    received: judgement ? partOf(judgement) : null,
    ...(isRetry
      ? { keepsFault: true, stepsMax: RETRY_STEPS_MAX, beginsAfter: at - RETRY_MEMORY_MS + 1 }
      : // A response is judged together with the GET before the PUT.
        { stepsMax: judged.answer ? 2 : 1, beginsAfter: NEVER }),
  }
}

/** What is known about a case after one request at the bench that keeps nothing. */
export function stepsAlone({ answer }: JudgedCase, { step, received }: MadeStep, requestId: string): StoredResult {
  // There, nobody knows whether the GET came first.
  const before: LabStep[] = answer && !step.begins ? [{ at: step.at, begins: true }] : []
  return { caseId: '', requests: 1, requestId, steps: [...before, step], received: received?.toHex() ?? null }
}

function partOf({ received, encoding }: Judgement): Uint8Array | null {
  return bytesOfReceived(received, encoding)?.subarray(0, RECEIVED_MAX_BYTES) ?? null
}
