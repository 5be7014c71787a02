import { type CheckResult, testOf } from '../../domain/receiver-tests.ts'
import type { ReceiverCheck } from '../../schemas/receiver-test.ts'
import type { FoundCheck } from '../../stores/callbacks/receiver-tests.ts'

export function presentCheck({
  id,
  webhookId,
  publicKey,
  event,
  results,
  createdAt,
  endedAt,
}: FoundCheck): ReceiverCheck {
  const count = (verdict: CheckResult['verdict']) => results.filter((result) => result.verdict === verdict).length
  const summary = {
    right: count('right'),
    wrong: count('wrong'),
    skipped: count('skipped'),
    notSent: count('not-sent'),
  }
  return {
    id,
    webhookId,
    signing: publicKey === null ? 'v1' : 'v1a',
    event,
    state: endedAt ? 'done' : 'running',
    passed: endedAt ? summary.right > 0 && summary.wrong + summary.notSent === 0 : null,
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    summary,
    results: results.map(({ defect, verdict, reason, statuses, deliveryId }) => ({
      defect,
      expected: testOf(defect).expected,
      verdict,
      reason,
      statuses,
      deliveryId,
    })),
  }
}
