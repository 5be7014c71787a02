import { parseHttpDate } from '../../lib/http-date.ts'

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
