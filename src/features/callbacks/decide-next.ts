import { parseHttpDate } from '../../lib/http-date.ts'
import type { Verdict } from '../../stores/callbacks/attempts.ts'
import type { LeasedDelivery } from '../../stores/callbacks/leases.ts'
import type { Attempt } from './attempt.ts'

const NO_CONTENT = 204
const GONE = 410
const REDIRECTS = [301, 302, 303, 307, 308]

/**
 * Decides what follows an attempt, as docs/callbacks.md describes.
 *
 * @param schedule Seconds before each retry
 * @param random From 0 to 1
 */
export function decideNext(
  attempt: Attempt,
  { webhookId, retries }: Pick<LeasedDelivery, 'webhookId' | 'retries'>,
  schedule: readonly number[],
  now: Date,
  random: number,
): Verdict {
  const isSubscription = webhookId !== null
  if (isAccepted(attempt)) {
    // With 204, the receiver of a planet's callbacks says that it wants no more of them.
    return finalVerdict('delivered', { endsCallbacks: !isSubscription && attempt.status === NO_CONTENT })
  }
  // With 410, the receiver ends its subscription.
  if (isSubscription && attempt.status === GONE) return finalVerdict('failed', { isGone: true })
  const retryAt = attempt.isRefused
    ? undefined
    : chooseRetryTime({ schedule, retries, retryAfter: attempt.retryAfter, now, random })
  if (!retryAt) return finalVerdict('failed')
  return { status: 'pending', nextAttemptAt: retryAt, endsCallbacks: false, isGone: false }
}

/** Whether there is a complete response with a 2xx status. */
export function isAccepted({ status, error }: Pick<Attempt, 'status' | 'error'>): boolean {
  return error === undefined && status !== undefined && status >= 200 && status < 300
}

/** Why an attempt failed, for the log; undefined if it succeeded. */
export function explainFailure(attempt: Attempt): string | undefined {
  if (attempt.error !== undefined) return attempt.error
  if (isAccepted(attempt)) return undefined
  const isRedirect = attempt.status !== undefined && REDIRECTS.includes(attempt.status)
  return `the receiver returned ${attempt.status}${isRedirect ? '; redirects are not followed' : ''}`
}

function finalVerdict(status: 'delivered' | 'failed', details: Partial<Verdict> = {}): Verdict {
  return { nextAttemptAt: undefined, endsCallbacks: false, isGone: false, ...details, status }
}

/** The largest random change of a delay, as a fraction of the delay. */
const JITTER = 0.2
const RETRY_AFTER_MAX_SECONDS = 6 * 60 * 60

/** The inputs for the time of the next attempt. */
export interface RetryFacts {
  /** Seconds before each retry. */
  schedule: readonly number[]
  /** Retries so far. */
  retries: number
  /** The header `Retry-After` of the response; null if it has none. */
  retryAfter: string | null
  now: Date
  /** From 0 to 1. */
  random: number
}

/**
 * The delay comes from the schedule. It is changed at random by up to 20 %, so that deliveries that fail together are
 * not retried together. If the receiver asks for a longer delay with Retry-After, the service waits that long instead.
 * The header cannot make it wait longer than six hours.
 *
 * @returns Undefined if the schedule has no more retries
 */
export function chooseRetryTime({ schedule, retries, retryAfter, now, random }: RetryFacts): Date | undefined {
  const delay = schedule[retries]
  if (delay === undefined) return undefined
  // `random` selects a factor from 1 - JITTER to 1 + JITTER.
  const jittered = delay * (1 - JITTER + 2 * JITTER * random)
  const requested = Math.min(parseRetryAfter(retryAfter, now) ?? 0, RETRY_AFTER_MAX_SECONDS)
  return new Date(now.getTime() + Math.round(Math.max(jittered, requested) * 1000))
}

/** The seconds that a Retry-After header asks for (RFC 9110, section 10.2.3); undefined if its value is not valid. */
function parseRetryAfter(value: string | null, now: Date): number | undefined {
  const text = value?.trim() ?? ''
  if (/^[0-9]+$/.test(text)) return Number(text)
  const time = parseHttpDate(text, now)
  return time === undefined ? undefined : (time - now.getTime()) / 1000
}
