import { countAttempt, forgiveAttempt, isRemembered, judgeAttempt, remember } from '../stores/rate-limits.ts'
import { replaceHash, type StoredUser, selectByEmail } from '../stores/users.ts'
import {
  addressLimit,
  emailLimit,
  knownAddressKey,
  rateLimitHeaders,
  requireWithinLimit,
  spendAttempt,
} from './limits.ts'
import type { YieldTurn } from './password-work.ts'
import { hashPassword, isOutdated, verifyPassword } from './passwords.ts'
import type { AuthContext } from './scheme.ts'

export interface PasswordCredentials {
  email: string
  password: string
}

/** How long a client address that has signed in to an account stays exempt from the lock-out of that account. */
const KNOWN_MS = 30 * 24 * 60 * 60 * 1000

/** An account whose password was just proved. */
export type ProvedAccount = StoredUser & { passwordHash: string }

/**
 * Checks the password of an e-mail address; every endpoint that accepts a password uses this function. An unknown
 * e-mail address and a wrong password take the same time. The attempt is counted before the password is checked, so
 * that parallel guesses cannot pass the limit. If the password is right, the count is taken back. If too many passwords
 * are being checked, the password is not checked; an attempt that was already counted then stays counted.
 *
 * @param attempts Which attempts count for the client's address: all of them, or only failures
 * @returns The account (undefined if the password is wrong), and the headers with the remaining attempts of the address
 * @throws ProblemError 429, 503
 */
export async function provePassword(
  { email, password }: PasswordCredentials,
  { services, session, clientAddress, now }: AuthContext,
  attempts: 'all' | 'failures',
): Promise<{ account: ProvedAccount | undefined; headers: Record<string, string> }> {
  const { config, passwordWork } = services
  const { db } = session
  passwordWork.requireRoom(services)
  const byAddress = await spendAttempt(db, addressLimit(config, clientAddress), now)
  const headers = rateLimitHeaders(byAddress)
  // Only now, because attempts above the limit of a client address must not use up the limit of an e-mail address.
  const limit = emailLimit(config, email)
  const [[counted], [user]] = await db.batch([countAttempt(db, limit, now), selectByEmail(db, email)])
  const byEmail = judgeAttempt(limit, counted, now)
  const known = knownAddressKey(email, clientAddress)
  if (byEmail.exceeded && !(await isRemembered(db, known, now))) requireWithinLimit(byEmail)
  const iterations = config.passwordIterations
  const proved = await passwordWork.run((yieldTurn) => prove(user, password, iterations, yieldTurn), services)
  if (!proved) return { account: undefined, headers }
  const { account, upgraded } = proved
  const forAddress = attempts === 'failures' ? [forgiveAttempt(db, byAddress)] : []
  const until = new Date(now.getTime() + KNOWN_MS)
  await db.batch([forgiveAttempt(db, byEmail), remember(db, known, until), ...forAddress])
  if (upgraded === undefined) return { account, headers }
  await replaceHash(db, account, upgraded)
  return { account: { ...account, passwordHash: upgraded }, headers }
}

/**
 * @returns Undefined if the password is wrong. `upgraded` is a new hash, if the cost of the stored hash is outdated.
 */
async function prove(
  user: StoredUser | undefined,
  password: string,
  iterations: number,
  yieldTurn: YieldTurn,
): Promise<{ account: ProvedAccount; upgraded: string | undefined } | undefined> {
  const passwordHash = user?.passwordHash ?? null
  const isRight = await verifyPassword(password, passwordHash, iterations, yieldTurn)
  if (!user || !isRight || passwordHash === null) return undefined
  const account = { ...user, passwordHash }
  if (!isOutdated(passwordHash, iterations)) return { account, upgraded: undefined }
  await yieldTurn()
  return { account, upgraded: await hashPassword(password, iterations, yieldTurn) }
}
