import { hashPassword } from '../../auth/passwords.ts'
import type { RequestContext } from '../../http/context.ts'
import { type Fault, ProblemError } from '../../lib/errors.ts'
import { countCodePoints } from '../../lib/text.ts'
import { presentUser, type SignUp, type User } from '../../schemas/user.ts'
import { insertUser, normaliseEmail } from '../../stores/users.ts'
import { signupLimit, spendAttempt } from './limits.ts'

const PASSWORD_MIN = 6
const PASSWORD_MAX = 256

/**
 * Makes an account. Two round trips: the attempt is counted before the costly hash, then the account is stored.
 *
 * @throws ProblemError 403, 409, 422, 429
 */
export async function signUp(
  { email, password, name }: SignUp,
  { services, session, clientAddress, now }: RequestContext,
): Promise<{ user: User; headers: Record<string, string> }> {
  const { config } = services
  if (!config.signupOpen) throw new ProblemError('signup-closed', 'This deployment takes no new accounts.')
  requireUsablePassword(password, email)
  const headers = await spendAttempt(session.db, signupLimit(config, clientAddress), now)
  const passwordHash = await hashPassword(password, config.passwordIterations)
  const user = await insertUser(session.db, { email, name, passwordHash }, now)
  if (!user) {
    throw new ProblemError('conflict', 'There is an account with this e-mail address.', {
      headers,
      faults: [{ pointer: '/email', detail: 'belongs to an account' }],
    })
  }
  return { user: presentUser(user), headers }
}

function requireUsablePassword(password: string, email: string): void {
  const faults: Fault[] = []
  const length = countCodePoints(password)
  if (length < PASSWORD_MIN || length > PASSWORD_MAX) {
    faults.push({ pointer: '/password', detail: `must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters` })
  }
  if (normaliseEmail(password) === normaliseEmail(email)) {
    faults.push({ pointer: '/password', detail: 'must not be the e-mail address' })
  }
  if (faults.length > 0) throw new ProblemError('unprocessable-content', 'This password cannot be used.', { faults })
}
