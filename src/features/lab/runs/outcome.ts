import type { JudgedCase, LabJudgement, LabStep } from '../../../../laboratory/case.ts'
import { decisiveOf, outcomeOf } from '../../../../laboratory/outcome.ts'
import { decodeUtf8 } from '../../../lib/text.ts'
import type { LabResult } from '../../../schemas/lab-run.ts'

/** A stored result, as `queries.ts` reads it. */
interface Recorded {
  requests: number
  requestId: string
  steps: readonly LabStep[]
  /** Hexadecimal. */
  received: string | null
}

export function presentResult(judged: JudgedCase, recorded: Recorded): LabResult {
  const { verdict, reason, at } = outcomeOf(judged, recorded.steps)
  return {
    case: judged.id,
    level: judged.level,
    verdict,
    requests: recorded.requests,
    reason,
    at,
    ...writeReceived(recorded.received, decisiveOf(judged, recorded.steps)?.encoding ?? null),
    expected: judged.wire,
    requestId: recorded.requestId,
  }
}

/** The part that was judged, as the judge wrote it. */
function writeReceived(
  received: string | null,
  encoding: LabJudgement['encoding'],
): Pick<LabResult, 'received' | 'encoding'> {
  if (received === null) return { received: null, encoding: null }
  const bytes = Uint8Array.fromHex(received)
  if (encoding !== null) return { received: bytes.toBase64(), encoding }
  // The bytes are those of a text that the judge has cut.
  return { received: decodeUtf8(bytes, true) ?? null, encoding }
}

export function bytesOfReceived(received: string | null, encoding: 'base64' | null): Uint8Array | null {
  if (received === null) return null
  return encoding === null ? new TextEncoder().encode(received) : Uint8Array.fromBase64(received)
}
