import { ProblemError } from '../domain/problems.ts'
import { CREDENTIAL_DEPTH_MAX, columnsOfCreatingCredential } from '../stores/account-states.ts'
import type { Caller } from './scheme.ts'

/** The first credential of a chain has the depth 0. */
const CHAIN_LENGTH_MAX = CREDENTIAL_DEPTH_MAX + 1

/** Whether the caller's credential may create another credential. The last one of a chain may not. */
export function mayCreateCredentials({ credential }: Caller): boolean {
  return columnsOfCreatingCredential(credential).depth <= CREDENTIAL_DEPTH_MAX
}

/**
 * Keys and clients that created one another form a chain, whose length is limited.
 *
 * @returns Columns of the new credential: its depth, and the reference to the caller's credential
 * @throws ProblemError 403 if the chain would become too long
 */
export function requireShortChain(caller: Caller): ReturnType<typeof columnsOfCreatingCredential> {
  if (mayCreateCredentials(caller)) return columnsOfCreatingCredential(caller.credential)
  throw new ProblemError(
    'forbidden',
    `This credential cannot create another one, because it is the last in a chain of ${CHAIN_LENGTH_MAX} credentials that created one another. Use your password, or a credential that you created with your password.`,
  )
}
