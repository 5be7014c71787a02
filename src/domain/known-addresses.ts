// The record of successful sign-ins with a password: one row of `rate_limits` for each account and client address. It is
// kept for some time after the last sign-in, so it also says when that was.

/**
 * How long a sign-in is remembered, in days. For this time, the client address is exempt from the lock-out of the account.
 */
export const KNOWN_DAYS = 30
export const KNOWN_MS = KNOWN_DAYS * 24 * 60 * 60 * 1000

/**
 * The prefix of the keys of these records. The e-mail address of the account follows, then `/` and the client address.
 */
export const KNOWN_PREFIX = 'password/known/'
