import { eventOriginOf } from '../../auth/event-origin.ts'
import { provePassword } from '../../auth/prove-password.ts'
import type { Caller } from '../../auth/scheme.ts'
import { openSession } from '../../db/port.ts'
import { GALAXY_USER_ID } from '../../domain/galaxy-user.ts'
import { ProblemError } from '../../domain/problems.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { rootCause } from '../../lib/root-cause.ts'
import { secondsOf } from '../../lib/time.ts'
import type { AccountDeletion } from '../../schemas/user.ts'
import { removeAccount, STEPS_PER_REQUEST } from '../../stores/removed-accounts.ts'
import { endAccount } from '../../stores/users.ts'

/** Maximum age of the proof that the user is present (for example, a sign-in), if the request contains no password. */
const PROOF_MAX_SECONDS = 5 * 60
/** How far the clock of another provider may be ahead. A proof can be that far in the future. */
const CLOCK_SKEW_SECONDS = 30

/**
 * The first write ends the account. If the next steps are too many for one request, or one fails, the sweep continues.
 *
 * @throws ProblemError 403 if nothing proves that the user is present, if the password is wrong, or if the account owns
 * the shipped planets; 429 after too many wrong passwords; 503 if too many passwords are being checked
 */
export async function deleteAccount(
  { password }: AccountDeletion,
  caller: Caller,
  context: RequestContext,
): Promise<void> {
  const { services, session } = context
  if (caller.id === GALAXY_USER_ID) {
    throw new ProblemError('forbidden', 'This account owns the shipped planets and cannot be deleted.')
  }
  if (password !== undefined) await requirePassword(password, caller, context)
  else requireFreshProof(caller, context)
  const origin = eventOriginOf(caller, context)
  const planets = await endAccount(session, caller.id, origin, services.now())
  try {
    // A new session, because the session of the request works only for a caller who still exists.
    const session = openSession(services, 'first-primary')
    const cause = { origin, now: services.now() }
    await removeAccount(session, services.bucket, caller.id, STEPS_PER_REQUEST, cause, planets)
  } catch (error) {
    console.warn(
      JSON.stringify({ event: 'account-removal-failed', userId: caller.id, error: rootCause(error).message }),
    )
  }
}

/** Checks that a password is the password of the caller's account. @throws ProblemError 403, 429, 503 */
async function requirePassword(password: string, { id, email }: Caller, context: RequestContext): Promise<void> {
  if (email === null) {
    throw wrongPassword(
      'This account has no password, because you sign in through another provider. Send the request without `password`.',
    )
  }
  const { account, headers } = await provePassword({ email, password }, context, 'failures')
  // If this account was deleted since the authentication, its e-mail address can belong to another account by now.
  if (account?.id !== id) throw wrongPassword('The password is wrong.', headers)
}

function wrongPassword(detail: string, headers: Record<string, string> = {}): ProblemError {
  return new ProblemError('forbidden', detail, {
    headers,
    faults: [{ pointer: '/password', detail: 'is not the password of this account' }],
  })
}

/** Checks that a recent proof, such as a sign-in, shows that the user is present. @throws ProblemError 403 */
function requireFreshProof({ email, credential: { provedAt } }: Caller, { now }: RequestContext): void {
  if (provedAt) {
    const age = secondsOf(now) - secondsOf(provedAt)
    if (age <= PROOF_MAX_SECONDS && age >= -CLOCK_SKEW_SECONDS) return
  }
  const minutes = PROOF_MAX_SECONDS / 60
  const advice =
    email === null
      ? `Send a token that your provider issued at most ${minutes} minutes ago.`
      : `Send your password, either with Basic authentication or as {"password": "…"} in the body, or send a token for which you signed in at most ${minutes} minutes ago.`
  throw new ProblemError('forbidden', `To delete the account, prove that you are present. ${advice}`)
}
