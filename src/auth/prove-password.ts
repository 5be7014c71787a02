import { countAttempt, forgiveAttempt, judgeAttempt } from '../stores/rate-limits.ts'
import { replaceHash, type StoredUser, selectByEmail } from '../stores/users.ts'
import { addressLimit, emailLimit, requireWithin, spendAttempt } from './limits.ts'
import { hashPassword, isOutdated, verifyPassword } from './passwords.ts'
import type { AuthContext } from './scheme.ts'

export interface PasswordCredentials {
  email: string
  password: string
}

/** An account whose password was just proved. */
export type ProvedAccount = StoredUser & { passwordHash: string }

/**
 * Finds out whether a password is the one of an e-mail's account; every place that takes a password asks here. An unknown
 * e-mail and a wrong password cost the same. The attempt is counted before the password is looked at, so that parallel
 * guesses cannot slip through, and taken back where it was right.
 *
 * @param counted What counts for the client's address: every attempt, or only those that fail
 * @returns The account, undefined where it was not proved, and headers that tell where the client's address stands
 * @throws ProblemError 429
 */
export async function provePassword(
  { email, password }: PasswordCredentials,
  { services, session, clientAddress, now }: AuthContext,
  counted: 'all' | 'failures',
): Promise<{ account: ProvedAccount | undefined; headers: Record<string, string> }> {
  const { config } = services
  const byAddress = addressLimit(config, clientAddress)
  const headers = await spendAttempt(session.db, byAddress, now)
  // Only now: what one address tries beyond its limit must not use up the limit of somebody's e-mail.
  const byEmail = emailLimit(config, email)
  const [[forEmail], [user]] = await session.db.batch([
    countAttempt(session.db, byEmail, now),
    selectByEmail(session.db, email),
  ])
  requireWithin(judgeAttempt(byEmail, forEmail, now))
  const account = await prove(user, password, config.passwordIterations)
  if (!account) return { account, headers }
  await forgiveAttempt(session.db, counted === 'all' ? [byEmail] : [byAddress, byEmail])
  if (!isOutdated(account.passwordHash, config.passwordIterations)) return { account, headers }
  const passwordHash = await hashPassword(password, config.passwordIterations)
  await replaceHash(session.db, account, passwordHash)
  return { account: { ...account, passwordHash }, headers }
}

async function prove(
  user: StoredUser | undefined,
  password: string,
  iterations: number,
): Promise<ProvedAccount | undefined> {
  const passwordHash = user?.passwordHash ?? null
  const isRight = await verifyPassword(password, passwordHash, iterations)
  return user && isRight && passwordHash !== null ? { ...user, passwordHash } : undefined
}
