import { originOf } from '../../auth/event-origin.ts'
import { provePassword } from '../../auth/prove-password.ts'
import type { Caller } from '../../auth/scheme.ts'
import { openSession } from '../../db/client.ts'
import { GALAXY_USER_ID } from '../../domain/galaxy-user.ts'
import { imageUrlPrefix } from '../../domain/image-url.ts'
import { ProblemError } from '../../domain/problems.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { rootCause } from '../../lib/root-cause.ts'
import { secondsOf } from '../../lib/time.ts'
import type { AccountDeletion } from '../../schemas/user.ts'
import { removeAccount, STEPS_PER_REQUEST } from '../../stores/removed-accounts.ts'
import { endAccount } from '../../stores/users.ts'

/** Maximum age of the proof that the user is present, if the request contains no password. */
const PROOF_MAX_SECONDS = 5 * 60
/** How far the clock of another provider may be ahead. */
const CLOCK_SKEW_SECONDS = 30

/**
 * Deletes the caller's account with everything that belongs to it. The first write ends the account. If removing the
 * rest takes too many steps or fails, the job that runs every minute (`src/sweep.ts`) continues.
 *
 * @throws ProblemError 403 if nothing proves that the user is present, if the password is wrong, or if the account owns
 * the shipped planets; 429
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
  await endAccount(session.db, caller.id, originOf(caller, context), services.now())
  try {
    // A new session, because the session of the request works only for a caller who still exists.
    const { db } = openSession(services.database, 'first-primary')
    const origin = originOf(caller, context)
    const cause = { origin, imageUrlPrefix: imageUrlPrefix(context.imageBaseUrl), now: services.now() }
    await removeAccount(db, services.bucket, caller.id, STEPS_PER_REQUEST, cause)
  } catch (error) {
    console.warn(
      JSON.stringify({ event: 'account-removal-failed', userId: caller.id, error: rootCause(error).message }),
    )
  }
}

/** Checks that a password is that of the caller. @throws ProblemError 403, 429 */
async function requirePassword(password: string, { id, email }: Caller, context: RequestContext): Promise<void> {
  if (email === null) {
    throw wrongPassword('This account has no password: you sign in through another provider. Send no password.')
  }
  const { account, headers } = await provePassword({ email, password }, context, 'failures')
  if (account?.id !== id) throw wrongPassword('The password is wrong.', headers)
}

function wrongPassword(detail: string, headers: Record<string, string> = {}): ProblemError {
  return new ProblemError('forbidden', detail, {
    headers,
    faults: [{ pointer: '/password', detail: 'is not the password of this account' }],
  })
}

/** Checks that the caller has proved recently who they are, for example by signing in. @throws ProblemError 403 */
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
