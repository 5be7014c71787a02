import { hashPassword } from '../../auth/passwords.ts'
import { provePassword } from '../../auth/prove-password.ts'
import type { Caller } from '../../auth/scheme.ts'
import { requireUsablePassword } from '../../auth/usable-password.ts'
import { ProblemError } from '../../domain/problems.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import type { PasswordChange } from '../../schemas/user.ts'
import { changePassword as storePassword } from '../../stores/users.ts'

/**
 * Everything created under the old password ends: tokens, API keys, grants to clients, and sign-ins in browsers.
 *
 * @throws ProblemError 403 if the account has no password or the current password is wrong; 422 if the new password
 * cannot be used; 429 after too many wrong passwords; 503 if too many passwords are being checked
 */
export async function changePassword(
  { currentPassword, newPassword }: PasswordChange,
  { id, email }: Caller,
  context: RequestContext,
): Promise<void> {
  if (email === null)
    throw new ProblemError('forbidden', 'This account has no password, because you sign in through another provider.')
  requireUsablePassword(newPassword, email, '/newPassword')
  const { account, headers } = await provePassword({ email, password: currentPassword }, context, 'failures')
  // If this account was deleted since the authentication, its e-mail address can belong to another account by now.
  if (account?.id !== id) throw wrongPassword(headers)
  const { services, session } = context
  const { passwordWork, config } = services
  const passwordHash = await passwordWork.run(
    (yieldTurn) => hashPassword(newPassword, config.passwordIterations, yieldTurn),
    services,
  )
  // Nothing is stored if another request has changed the password since it was proved.
  if (!(await storePassword(session, account, passwordHash))) throw wrongPassword()
}

function wrongPassword(headers: Record<string, string> = {}): ProblemError {
  return new ProblemError('forbidden', 'The current password is wrong.', {
    headers,
    faults: [{ pointer: '/currentPassword', detail: 'is not the password of this account' }],
  })
}
