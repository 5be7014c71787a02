import { decodeUtf8 } from '../../../lib/text.ts'
import type { LabJudgement, LabResult, LabStep } from '../../../schemas/lab-run.ts'
import type { JudgedCase } from '../case.ts'
import { type Outcome, SCRIPTS } from '../scripts.ts'

/** A stored result, as `queries.ts` reads it. */
interface Recorded {
  requests: number
  requestId: string
  steps: readonly LabStep[]
  /** Hexadecimal. */
  received: string | null
}

const INCOMPLETE: Outcome = { verdict: 'incomplete', reason: null, at: null }
const UNREAD: Outcome = { verdict: 'fail', reason: 'The PUT came before its GET.', at: null }

/** What a case has come to. Pure, so a verdict is the same when the request is answered and when the run is read. */
export function outcomeOf(judged: JudgedCase, steps: readonly LabStep[]): Outcome {
  const script = judged.script === undefined ? undefined : SCRIPTS[judged.script]
  const judgement = decisiveOf(judged, steps)
  if (script) {
    const outcome = script.outcomeOf(steps)
    return judgement && (judgement.verdict === 'fail' || outcome.verdict === 'pass') ? outcomeIn(judgement) : outcome
  }
  if (judgement) {
    const isUnread = judged.answer !== undefined && judged.method === 'PUT' && !steps[0]?.begins
    return isUnread && judged.level !== 'open' && judgement.verdict !== 'fail' ? UNREAD : outcomeIn(judgement)
  }
  // RFC 9110, 15.4: a client MAY follow a redirect.
  if (judged.redirect) return { verdict: 'info', reason: 'not followed', at: null }
  // An open response may be refused: then no PUT comes. The last variant says so.
  const refused = judged.level === 'open' ? judged.variants?.at(-1)?.[0] : undefined
  return refused === undefined ? INCOMPLETE : { verdict: 'info', reason: refused, at: null }
}

const outcomeIn = ({ verdict, reason, at }: LabJudgement): Outcome => ({ verdict, reason, at })

/** The judgement that decides: of retries that of the first request that failed, otherwise that of the last one. */
function decisiveOf({ script }: JudgedCase, steps: readonly LabStep[]): LabJudgement | undefined {
  const failed = steps.find(({ judgement }) => judgement?.verdict === 'fail')
  if (script === undefined) return steps.at(-1)?.judgement
  return (failed ?? steps.find(({ judgement }) => judgement))?.judgement
}

/** A result of a run, as clients see it. */
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

/** The bytes of the part that was judged. */
export function bytesOfReceived(received: string | null, encoding: 'base64' | null): Uint8Array | null {
  if (received === null) return null
  return encoding === null ? new TextEncoder().encode(received) : Uint8Array.fromBase64(received)
}
