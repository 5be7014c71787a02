import type { Database } from '../db/client.ts'
import { normaliseEmail } from '../domain/email.ts'
import { ProblemError } from '../domain/problems.ts'
import type { Config } from '../env.ts'
import { EMAIL_MAX } from '../schemas/user.ts'
import { countAttempt, judgeAttempt, type RateLimit, type RateLimitState } from '../stores/rate-limits.ts'

const HOUR_SECONDS = 60 * 60
const INBOXES_PER_HOUR = 10
// From all addresses together, so that a stranger who knows an e-mail cannot lock its owner out alone.
const EMAIL_FACTOR = 10

/** Sign-ups from one client address. */
export function signupLimit(config: Config, clientAddress: string): RateLimit {
  return { key: `signup/address/${clientAddress}`, attempts: config.signupsPerHour, windowSeconds: HOUR_SECONDS }
}

/** Registrations of OAuth clients that nobody owns, from one client address: as many as sign-ups. */
export function registrationLimit(config: Config, clientAddress: string): RateLimit {
  return { key: `register/address/${clientAddress}`, attempts: config.signupsPerHour, windowSeconds: HOUR_SECONDS }
}

/** Inboxes made from one client address: each takes room that nobody has signed in for. */
export function inboxLimit(clientAddress: string): RateLimit {
  return { key: `inbox/address/${clientAddress}`, attempts: INBOXES_PER_HOUR, windowSeconds: HOUR_SECONDS }
}

/** Attempts at a password from one client address. */
export function addressLimit(config: Config, clientAddress: string): RateLimit {
  return {
    key: `password/address/${clientAddress}`,
    attempts: config.tokenAttempts,
    windowSeconds: config.tokenWindowSeconds,
  }
}

/** Failed attempts at the password of one account, wherever they come from. */
export function emailLimit(config: Config, email: string): RateLimit {
  return {
    key: `password/email/${emailKey(email)}`,
    attempts: config.tokenAttempts * EMAIL_FACTOR,
    windowSeconds: config.tokenWindowSeconds,
  }
}

/** What is remembered of an address from which an account was signed in to: its owner is not locked out there. */
export function knownAddressKey(email: string, clientAddress: string): string {
  return `password/known/${emailKey(email)}/${clientAddress}`
}

/** What is typed for an e-mail may be of any length; what is stored of it is not. */
function emailKey(email: string): string {
  return normaliseEmail(email).slice(0, EMAIL_MAX)
}

/**
 * Counts an attempt.
 *
 * @throws ProblemError 429
 */
export async function spendAttempt(db: Database, limit: RateLimit, now: Date): Promise<RateLimitState> {
  const [counted] = await countAttempt(db, limit, now)
  const state = judgeAttempt(limit, counted, now)
  requireWithin(state)
  return state
}

/** The headers that tell a caller where it stands. */
export function rateLimitHeaders(state: RateLimitState): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(state.limit),
    'X-RateLimit-Remaining': String(state.remaining),
    'X-RateLimit-Reset': String(state.resetSeconds),
  }
}

/** @throws ProblemError 429 */
export function requireWithin(state: RateLimitState): void {
  if (!state.exceeded) return
  throw new ProblemError('too-many-requests', `Too many attempts. Try again in ${state.resetSeconds} seconds.`, {
    headers: { ...rateLimitHeaders(state), 'Retry-After': String(state.resetSeconds) },
  })
}
