import type { JudgedCase, LabJudgement, LabStep, Outcome } from './case.ts'
import { SCRIPTS } from './retry-scripts.ts'

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
  if (judged.redirect)
    return { verdict: 'info', reason: 'The redirect was not followed: a client may leave that undone.', at: null }
  // An open response may be refused: then no PUT comes. The last variant says so.
  const refused = judged.level === 'open' ? judged.variants?.at(-1)?.[0] : undefined
  return refused === undefined ? INCOMPLETE : { verdict: 'info', reason: refused, at: null }
}

const outcomeIn = ({ verdict, reason, at }: LabJudgement): Outcome => ({ verdict, reason, at })

/** The judgement that decides: of retries that of the first request that failed, otherwise that of the last one. */
export function decisiveOf({ script }: JudgedCase, steps: readonly LabStep[]): LabJudgement | undefined {
  const failed = steps.find(({ judgement }) => judgement?.verdict === 'fail')
  if (script === undefined) return steps.at(-1)?.judgement
  return (failed ?? steps.find(({ judgement }) => judgement))?.judgement
}
