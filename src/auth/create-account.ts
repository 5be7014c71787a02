import { commit } from '../changes/commit.ts'
import { ProblemError } from '../domain/problems.ts'
import type { Config } from '../env.ts'
import type { Registration } from '../events/happening.ts'
import { presentUser, type SignUp } from '../schemas/user.ts'
import { insertUser, makeUser, type NewUser, type Owner } from '../stores/users.ts'
import { describeRegistration, eventOriginOf } from './event-origin.ts'
import { rateLimitHeaders, signupLimit, spendAttempt } from './limits.ts'
import { hashPassword } from './passwords.ts'
import type { AuthContext } from './scheme.ts'
import { requireUsablePassword } from './usable-password.ts'

/**
 * The endpoint of the API and the sign-up page both use this function. Takes two round trips, because the attempt is
 * counted before the costly hash, and the account is stored after it; one more if this process has no id of a user in
 * advance.
 *
 * @returns The account, and the headers with the client address's remaining attempts
 * @throws ProblemError 403 if this deployment accepts no new accounts; 409 if the e-mail address has an account; 422 if
 * the password cannot be used; 429 after too many sign-ups; 503 if too many passwords are being hashed
 */
export async function createAccount(
  { email, password, name }: SignUp,
  context: AuthContext,
): Promise<{ account: NewUser; headers: Record<string, string> }> {
  const { services, session, clientAddress, now } = context
  const { config, passwordWork } = services
  requireOpenSignUp(config)
  requireUsablePassword(password, email, '/password')
  passwordWork.requireRoom(services)
  const headers = rateLimitHeaders(await spendAttempt(session, signupLimit(config, clientAddress), now))
  const passwordHash = await passwordWork.run(
    (yieldTurn) => hashPassword(password, config.passwordIterations, yieldTurn),
    services,
  )
  const taken = new ProblemError('conflict', 'An account with this e-mail address already exists.', {
    headers,
    faults: [{ pointer: '/email', detail: 'already belongs to an account' }],
  })
  return { account: await storeAccount({ email, name: name ?? null, passwordHash }, 'email', context, taken), headers }
}

/**
 * Stores a new account, and reports it.
 *
 * @param otherwise What is thrown if its owner has an account already
 */
export async function storeAccount(
  owner: Owner,
  method: Registration['method'],
  context: AuthContext,
  otherwise: Error,
): Promise<NewUser> {
  const { services, session, now } = context
  const ids = await services.ids.take(session, { users: 1 })
  const user = makeUser(ids.next('users'), owner, now)
  const details = { ...eventOriginOf(user, context), registration: describeRegistration(method, context) }
  await commit(context, {
    ids,
    ...insertUser(user, otherwise),
    happened: { kind: 'user_signed_up', body: presentUser(user), details, userId: user.id },
  })
  return user
}

/** @throws ProblemError 403 if this deployment accepts no new accounts */
export function requireOpenSignUp({ signupOpen }: Config): void {
  if (!signupOpen) throw new ProblemError('signup-closed', 'This deployment does not accept new accounts.')
}
