import { requireActive } from '../../auth/authenticate.ts'
import { bearer } from '../../auth/bearer.ts'
import { hashPassword, isOutdated, verifyPassword } from '../../auth/passwords.ts'
import type { RequestContext } from '../../http/context.ts'
import { ProblemError } from '../../lib/errors.ts'
import type { Credentials, Token } from '../../schemas/user.ts'
import { countAttempt, forgiveAttempt, judgeAttempt } from '../../stores/rate-limits.ts'
import { replaceHash, type StoredUser, selectByEmail } from '../../stores/users.ts'
import { addressLimit, emailLimit, requireWithin, spendAttempt } from './limits.ts'

/**
 * Gives a token for an e-mail and a password. An unknown e-mail and a wrong password cost the same and are answered the
 * same. The attempt is counted before the password is looked at, so that parallel guesses cannot slip through.
 *
 * @throws ProblemError 401, 403, 429
 */
export async function signIn(
  { email, password }: Credentials,
  { services, session, clientAddress, baseUrl, now }: RequestContext,
): Promise<{ token: Token; headers: Record<string, string> }> {
  const { config, tokens } = services
  const headers = await spendAttempt(session.db, addressLimit(config, clientAddress), now)
  // Only now: what one address tries beyond its limit must not use up the limit of somebody's e-mail.
  const byEmail = emailLimit(config, email)
  const [[forEmail], [account]] = await session.db.batch([
    countAttempt(session.db, byEmail, now),
    selectByEmail(session.db, email),
  ])
  requireWithin(judgeAttempt(byEmail, forEmail, now))
  const user = await provePassword(account, password, config.passwordIterations)
  if (!user) throw refuse(headers)
  await forgiveAttempt(session.db, byEmail.key)
  requireActive(user, headers)
  if (isOutdated(user.passwordHash, config.passwordIterations)) {
    await replaceHash(session.db, user, await hashPassword(password, config.passwordIterations))
  }
  const claims = { userId: user.id, passwordGeneration: user.passwordGeneration }
  return { token: { token: await tokens.issue(claims, baseUrl, now) }, headers }
}

type UserWithPassword = StoredUser & { passwordHash: string }

async function provePassword(
  user: StoredUser | undefined,
  password: string,
  iterations: number,
): Promise<UserWithPassword | undefined> {
  const passwordHash = user?.passwordHash ?? null
  const proved = await verifyPassword(password, passwordHash, iterations)
  return user && proved && passwordHash !== null ? { ...user, passwordHash } : undefined
}

function refuse(headers: Record<string, string>): ProblemError {
  return new ProblemError('unauthorized', 'The e-mail address or the password is wrong.', {
    headers: { ...headers, 'WWW-Authenticate': bearer.challenge() },
  })
}
