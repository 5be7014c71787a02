import { DAY_MS } from '../lib/time.ts'

// The record of successful sign-ins with a password: one row of `rate_limits` for each account and client address. A
// row ends KNOWN_MS after the last sign-in, so its end tells when that sign-in was.

/**
 * How long a sign-in is remembered, in days. For this time, the client address is exempt from the lock-out of the
 * account.
 */
export const KNOWN_DAYS = 30
export const KNOWN_MS = KNOWN_DAYS * DAY_MS

/**
 * The prefix of the keys of these records. The e-mail address of the account follows, then `/` and the client address.
 */
export const KNOWN_PREFIX = 'password/known/'
