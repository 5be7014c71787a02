import { rateLimitHeaders, signupLimit, spendAttempt } from '../../auth/limits.ts'
import { hashPassword } from '../../auth/passwords.ts'
import { ProblemError } from '../../domain/problems.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { presentUser, type SignUp, type User } from '../../schemas/user.ts'
import { insertUser } from '../../stores/users.ts'
import { requireUsablePassword } from './usable-password.ts'

/**
 * Creates an account. Takes two round trips, because the attempt is counted before the costly hash, and the account is
 * stored after it.
 *
 * @throws ProblemError 403, 409, 422, 429, 503
 */
export async function signUp(
  { email, password, name }: SignUp,
  { services, session, clientAddress, now }: RequestContext,
): Promise<{ user: User; headers: Record<string, string> }> {
  const { config, passwordWork } = services
  if (!config.signupOpen) throw new ProblemError('signup-closed', 'This deployment does not accept new accounts.')
  requireUsablePassword(password, email, '/password')
  passwordWork.requireRoom(services)
  const headers = rateLimitHeaders(await spendAttempt(session.db, signupLimit(config, clientAddress), now))
  const passwordHash = await passwordWork.run(
    (yieldTurn) => hashPassword(password, config.passwordIterations, yieldTurn),
    services,
  )
  const user = await insertUser(session.db, { email, name, passwordHash }, now)
  if (!user) {
    throw new ProblemError('conflict', 'An account with this e-mail address already exists.', {
      headers,
      faults: [{ pointer: '/email', detail: 'already belongs to an account' }],
    })
  }
  return { user: presentUser(user), headers }
}
