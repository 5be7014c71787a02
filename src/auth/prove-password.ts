import { countAttempt, forgiveAttempt, isKeyRemembered, judgeAttempt, rememberKey } from '../stores/rate-limits.ts'
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

/** How long a client address stays exempt from the lock-out of an account after a sign-in to that account. */
const KNOWN_MS = 30 * 24 * 60 * 60 * 1000

/** An account whose password was just proved. */
export type ProvedAccount = StoredUser & { passwordHash: string }

/**
 * Checks the password of an e-mail address. Every endpoint that accepts a password uses this function. An unknown
 * e-mail address and a wrong password take the same time. The attempt is counted before the password is checked, so
 * that parallel guesses cannot pass the limit. If the password is right, the attempt for the e-mail address is taken
 * back. If too many passwords are being checked, this password is not checked. An attempt that was already counted then
 * stays counted.
 *
 * @param attempts Which attempts count for the client's address: all of them, or only failures
 * @returns The account (undefined if the password is wrong), and the headers with the client address's remaining
 * attempts
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
  const addressState = await spendAttempt(db, addressLimit(config, clientAddress), now)
  const headers = rateLimitHeaders(addressState)
  // The attempt for the e-mail address is counted only now, because attempts above the limit of a client address must
  // not use up the limit of an e-mail address.
  const limit = emailLimit(config, email)
  const [[countedAttempt], [user]] = await db.batch([countAttempt(db, limit, now), selectByEmail(db, email)])
  const emailState = judgeAttempt(limit, countedAttempt, now)
  const knownAddress = knownAddressKey(email, clientAddress)
  if (emailState.exceeded && !(await isKeyRemembered(db, knownAddress, now))) requireWithinLimit(emailState)
  const iterations = config.passwordIterations
  const proof = await passwordWork.run((yieldTurn) => verifyAndUpgrade(user, password, iterations, yieldTurn), services)
  if (!proof) return { account: undefined, headers }
  const { account, upgradedHash } = proof
  const forgiveness = attempts === 'failures' ? [forgiveAttempt(db, addressState)] : []
  const knownUntil = new Date(now.getTime() + KNOWN_MS)
  await db.batch([forgiveAttempt(db, emailState), rememberKey(db, knownAddress, knownUntil), ...forgiveness])
  if (upgradedHash === undefined) return { account, headers }
  await replaceHash(db, account, upgradedHash)
  return { account: { ...account, passwordHash: upgradedHash }, headers }
}

/**
 * Verifies the password of a user. If the cost of the stored hash is outdated, the password is hashed again.
 *
 * @returns Undefined if the password is wrong. `upgradedHash` is undefined if the stored hash is not outdated
 */
async function verifyAndUpgrade(
  user: StoredUser | undefined,
  password: string,
  iterations: number,
  yieldTurn: YieldTurn,
): Promise<{ account: ProvedAccount; upgradedHash: string | undefined } | undefined> {
  const passwordHash = user?.passwordHash ?? null
  const isRight = await verifyPassword(password, passwordHash, iterations, yieldTurn)
  if (!user || !isRight || passwordHash === null) return undefined
  const account = { ...user, passwordHash }
  if (!isOutdated(passwordHash, iterations)) return { account, upgradedHash: undefined }
  await yieldTurn()
  return { account, upgradedHash: await hashPassword(password, iterations, yieldTurn) }
}
