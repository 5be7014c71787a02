import { countAttempt, forgiveAttempt, isRemembered, judgeAttempt, remember } from '../stores/rate-limits.ts'
import { replaceHash, type StoredUser, selectByEmail } from '../stores/users.ts'
import { addressLimit, emailLimit, knownAddressKey, rateLimitHeaders, requireWithin, spendAttempt } from './limits.ts'
import type { Breathe } from './password-work.ts'
import { hashPassword, isOutdated, verifyPassword } from './passwords.ts'
import type { AuthContext } from './scheme.ts'

export interface PasswordCredentials {
  email: string
  password: string
}

/** For so long the owner of an account is let in from an address that was right once, whatever others do to lock it. */
const KNOWN_MS = 30 * 24 * 60 * 60 * 1000

/** An account whose password was just proved. */
export type ProvedAccount = StoredUser & { passwordHash: string }

/**
 * Finds out whether a password is the one of an e-mail's account; every place that takes a password asks here. An unknown
 * e-mail and a wrong password cost the same. The attempt is counted before the password is looked at, so that parallel
 * guesses cannot slip through, and taken back where it was right. One that is refused because too many passwords are being
 * checked is not looked at; if it was counted by then, it stays counted.
 *
 * @param attempts What counts for the client's address: every attempt, or only those that fail
 * @returns The account, undefined where it was not proved, and headers that tell where the client's address stands
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
  // Only now: what one address tries beyond its limit must not use up the limit of somebody's e-mail.
  const limit = emailLimit(config, email)
  const [[counted], [user]] = await db.batch([countAttempt(db, limit, now), selectByEmail(db, email)])
  const byEmail = judgeAttempt(limit, counted, now)
  const known = knownAddressKey(email, clientAddress)
  if (byEmail.exceeded && !(await isRemembered(db, known, now))) requireWithin(byEmail)
  const iterations = config.passwordIterations
  const proved = await passwordWork.run((breathe) => prove(user, password, iterations, breathe), services)
  if (!proved) return { account: undefined, headers }
  const { account, upgraded } = proved
  const forAddress = attempts === 'failures' ? [forgiveAttempt(db, byAddress)] : []
  const until = new Date(now.getTime() + KNOWN_MS)
  await db.batch([forgiveAttempt(db, byEmail), remember(db, known, until), ...forAddress])
  if (upgraded === undefined) return { account, headers }
  await replaceHash(db, account, upgraded)
  return { account: { ...account, passwordHash: upgraded }, headers }
}

/** @returns Undefined if the password is wrong; a new hash of it if the stored one costs anything else than one made now */
async function prove(
  user: StoredUser | undefined,
  password: string,
  iterations: number,
  breathe: Breathe,
): Promise<{ account: ProvedAccount; upgraded: string | undefined } | undefined> {
  const passwordHash = user?.passwordHash ?? null
  const isRight = await verifyPassword(password, passwordHash, iterations, breathe)
  if (!user || !isRight || passwordHash === null) return undefined
  const account = { ...user, passwordHash }
  if (!isOutdated(passwordHash, iterations)) return { account, upgraded: undefined }
  await breathe()
  return { account, upgraded: await hashPassword(password, iterations, breathe) }
}
