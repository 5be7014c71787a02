import type { Verdict } from '../../stores/callbacks/attempts.ts'
import type { ClaimedDelivery } from '../../stores/callbacks/claims.ts'
import type { Attempt } from './attempt.ts'
import { nextAttemptAt } from './backoff.ts'

const NO_CONTENT = 204
const GONE = 410
const REDIRECTS = [301, 302, 303, 307, 308]

/** Says what follows from an attempt, as docs/callbacks.md tells receivers. */
export function judge(
  attempt: Attempt,
  { webhookId, retries }: Pick<ClaimedDelivery, 'webhookId' | 'retries'>,
  schedule: readonly number[],
  now: Date,
  random: number,
): Verdict {
  const isSubscription = webhookId !== null
  if (isAccepted(attempt)) {
    return over('delivered', { endsCallbacks: !isSubscription && attempt.status === NO_CONTENT })
  }
  if (isSubscription && attempt.status === GONE) return over('failed', { isGone: true })
  const next = attempt.isRefused
    ? undefined
    : nextAttemptAt({ schedule, retries, retryAfter: attempt.retryAfter, now, random })
  if (!next) return over('failed')
  return { status: 'pending', nextAttemptAt: next, endsCallbacks: false, isGone: false }
}

/** Whether a whole answer came, and it is one of success. */
function isAccepted({ status, error }: Attempt): boolean {
  return error === undefined && status !== undefined && status >= 200 && status < 300
}

/** Why an attempt failed, in words for the log; undefined where it did not. */
export function explainFailure(attempt: Attempt): string | undefined {
  if (attempt.error !== undefined) return attempt.error
  if (isAccepted(attempt)) return undefined
  const isRedirect = REDIRECTS.includes(attempt.status ?? 0)
  return `the receiver returned ${attempt.status}${isRedirect ? '; redirects are not followed' : ''}`
}

function over(status: 'delivered' | 'failed', more: Partial<Verdict> = {}): Verdict {
  return { nextAttemptAt: undefined, endsCallbacks: false, isGone: false, ...more, status }
}
