import { type Session, write } from '../db/port.ts'
import { normaliseEmail } from '../domain/email.ts'
import { KNOWN_PREFIX } from '../domain/known-addresses.ts'
import { ProblemError } from '../domain/problems.ts'
import type { Config } from '../env.ts'
import { EMAIL_MAX } from '../schemas/user.ts'
import { countAttempt, judgeAttempt, type RateLimit, type RateLimitState } from '../stores/rate-limits.ts'

const HOUR_SECONDS = 60 * 60
// The limit of an e-mail address is this many times the limit of a client address. Otherwise, an attacker with a single
// client address could lock out the owner of an e-mail address.
const EMAIL_FACTOR = 10

export function signupLimit(config: Config, clientAddress: string): RateLimit {
  const attemptsMax = config.signupsPerHour
  return { name: 'sign-up', key: `signup/address/${clientAddress}`, attemptsMax, windowSeconds: HOUR_SECONDS }
}

/** For OAuth clients without an owner. It allows as many attempts as the limit of sign-ups. */
export function registrationLimit(config: Config, clientAddress: string): RateLimit {
  const attemptsMax = config.signupsPerHour
  return { name: 'clients', key: `register/address/${clientAddress}`, attemptsMax, windowSeconds: HOUR_SECONDS }
}

/** The limit of new inboxes. They need no authentication, but they use storage. */
export function inboxLimit({ inboxLimit: { perHour, countsPer } }: Config, clientAddress: string): RateLimit {
  const key = countsPer === 'address' ? `inbox/address/${clientAddress}` : 'inbox/world'
  return { name: 'inboxes', key, attemptsMax: perHour, windowSeconds: HOUR_SECONDS }
}

/** How many runs of the laboratory one client address can make in an hour. */
export const LAB_RUNS_PER_HOUR = 120

/** The limit of new runs of the laboratory. They need no authentication, but they use storage. */
export function labRunLimit(clientAddress: string): RateLimit {
  const key = `lab-run/address/${clientAddress}`
  return { name: 'lab-runs', key, attemptsMax: LAB_RUNS_PER_HOUR, windowSeconds: HOUR_SECONDS }
}

export function universeLimit(config: Config, clientAddress: string): RateLimit {
  const attemptsMax = config.universesPerHour
  return { name: 'universes', key: `universe/address/${clientAddress}`, attemptsMax, windowSeconds: HOUR_SECONDS }
}

/** The limit of codes for devices. They need no user, but they use storage. */
export function deviceCodeLimit(config: Config, clientAddress: string): RateLimit {
  const attemptsMax = config.deviceCodesPerHour
  return { name: 'device-codes', key: `device/address/${clientAddress}`, attemptsMax, windowSeconds: HOUR_SECONDS }
}

/**
 * The limits of wrong user codes of devices (RFC 8628, section 5.1). A user code has 34 bits.
 *
 * @param userId Undefined if no user is signed in
 */
export function userCodeLimits(clientAddress: string, userId: number | undefined): RateLimit[] {
  const holders = [`address/${clientAddress}`, ...(userId === undefined ? [] : [`user/${userId}`])]
  const [attemptsMax, windowSeconds] = [10, 10 * 60]
  return holders.map((holder) => ({ name: 'user-codes', key: `user-code/${holder}`, attemptsMax, windowSeconds }))
}

export function passwordLimitOfAddress(config: Config, clientAddress: string): RateLimit {
  return {
    name: 'passwords',
    key: `password/address/${clientAddress}`,
    attemptsMax: config.passwordAttempts,
    windowSeconds: config.passwordWindowSeconds,
  }
}

/** The limit of failed password attempts for one e-mail address, from all client addresses together. */
export function passwordLimitOfEmail(config: Config, email: string): RateLimit {
  return {
    name: 'passwords-of-account',
    key: `password/email/${emailKey(email)}`,
    attemptsMax: config.passwordAttempts * EMAIL_FACTOR,
    windowSeconds: config.passwordWindowSeconds,
  }
}

/**
 * Key of the record that somebody has signed in to an account from a client address. The limit of failed attempts for
 * the e-mail address does not apply to requests from this client address, so the owner is not locked out.
 */
export function knownAddressKey(email: string, clientAddress: string): string {
  return `${KNOWN_PREFIX}${emailKey(email)}/${clientAddress}`
}

/** The e-mail address as a part of a key. It is cut, because a client can send a text of any length. */
function emailKey(email: string): string {
  return normaliseEmail(email).slice(0, EMAIL_MAX)
}

/** @throws ProblemError 429 if the limit is exceeded */
export async function spendAttempt(session: Session, limit: RateLimit, now: Date): Promise<RateLimitState> {
  const [[countedAttempt]] = await write(session, [countAttempt(limit, now)])
  const state = judgeAttempt(limit, countedAttempt, now)
  requireWithinLimit(state)
  return state
}

/** Those that many services send, and the structured fields of draft-ietf-httpapi-ratelimit-headers-11. */
export function rateLimitHeaders({
  name,
  limit,
  windowSeconds,
  remaining,
  resetSeconds,
}: Omit<RateLimitState, 'key' | 'resetsAt' | 'isExceeded'>): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(resetSeconds),
    'RateLimit-Policy': `"${name}";q=${limit};w=${windowSeconds}`,
    RateLimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  }
}

/** @throws ProblemError 429 */
export function requireWithinLimit(state: RateLimitState): void {
  if (!state.isExceeded) return
  const { key, limit, windowSeconds } = state
  throw new ProblemError('too-many-requests', `Too many attempts. Try again in ${state.resetSeconds} seconds.`, {
    rateLimit: { key, limit, windowSeconds },
    headers: { ...rateLimitHeaders(state), 'Retry-After': String(state.resetSeconds) },
  })
}
