import { parseHttpDate } from '../../lib/time.ts'
import type { Verdict } from '../../stores/callbacks/attempts.ts'
import type { ClaimedDelivery } from '../../stores/callbacks/claims.ts'
import type { Attempt } from './attempt.ts'

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

const JITTER = 0.2
const RETRY_AFTER_MAX_SECONDS = 6 * 60 * 60

/** What the time of the next attempt depends on. */
export interface RetryFacts {
  /** Seconds before each retry. */
  schedule: readonly number[]
  /** Retries so far. */
  retries: number
  /** The header of the answer, if it had one. */
  retryAfter: string | null
  now: Date
  /** From 0 to 1. */
  random: number
}

/**
 * When to try again: after the delay of the schedule, give or take a fifth, so that many that fail together do not come
 * back together; not before the receiver wants it, where that is within six hours.
 *
 * @returns Undefined where the schedule has no more
 */
export function nextAttemptAt({ schedule, retries, retryAfter, now, random }: RetryFacts): Date | undefined {
  const delay = schedule[retries]
  if (delay === undefined) return undefined
  const jittered = delay * (1 - JITTER + 2 * JITTER * random)
  const wanted = Math.min(parseRetryAfter(retryAfter, now) ?? 0, RETRY_AFTER_MAX_SECONDS)
  return new Date(now.getTime() + Math.round(Math.max(jittered, wanted) * 1000))
}

/** The seconds that a Retry-After header asks for (RFC 9110, section 10.2.3); undefined of what is none. */
function parseRetryAfter(value: string | null, now: Date): number | undefined {
  const text = value?.trim() ?? ''
  if (/^[0-9]+$/.test(text)) return Number(text)
  const time = parseHttpDate(text)
  return time === undefined ? undefined : (time - now.getTime()) / 1000
}
