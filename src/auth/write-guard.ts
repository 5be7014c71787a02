import { CredentialEnded, type WriteGuard } from '../db/guarded-session.ts'
import { credentialCheck } from '../stores/account-states.ts'
import type { AuthServices, Caller } from './scheme.ts'

/**
 * What every write of a caller has to pass: the credential that was admitted when the request began still holds when the
 * write happens, however long the body took to come.
 */
export function writeGuard(
  { id, passwordGeneration, credential }: Caller,
  { now }: Pick<AuthServices, 'now'>,
): WriteGuard {
  const { keyId, grantId, tokenExpiresAt } = credential
  const proof = { userId: id, passwordGeneration, keyId, grantId }
  return () => {
    const time = now()
    if (tokenExpiresAt && tokenExpiresAt <= time) throw new CredentialEnded('the token has expired')
    return credentialCheck(proof, time)
  }
}
