import { ProblemError } from '../domain/problems.ts'
import { CREDENTIAL_DEPTH_MAX, madeBy } from '../stores/account-states.ts'
import type { Caller } from './scheme.ts'

/**
 * Returns the reference to the caller's credential. It is stored with a key or client that the caller creates.
 *
 * @throws ProblemError 403 if the chain of credentials that created one another would become too long
 */
export function requireShortChain({ credential }: Caller): ReturnType<typeof madeBy> {
  const reference = madeBy(credential)
  if (reference.depth <= CREDENTIAL_DEPTH_MAX) return reference
  throw new ProblemError(
    'forbidden',
    'This credential was created by a credential that was itself created by another credential, so it cannot create any more. Use your password, or a credential that you created with your password.',
  )
}
