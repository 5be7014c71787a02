import { ProblemError } from '../domain/problems.ts'
import { CREDENTIAL_DEPTH_MAX, columnsOfCreatingCredential } from '../stores/account-states.ts'
import type { Caller } from './scheme.ts'

/**
 * Returns the reference to the caller's credential. It is stored with a key or client that the caller creates.
 *
 * @throws ProblemError 403 if the chain of credentials that created one another would become too long
 */
export function requireShortChain({ credential }: Caller): ReturnType<typeof columnsOfCreatingCredential> {
  const reference = columnsOfCreatingCredential(credential)
  if (reference.depth <= CREDENTIAL_DEPTH_MAX) return reference
  throw new ProblemError(
    'forbidden',
    `Credentials that create one another form a chain of at most ${CREDENTIAL_DEPTH_MAX + 1}, and this one is the last. Use your password, or a credential that you created with your password.`,
  )
}
