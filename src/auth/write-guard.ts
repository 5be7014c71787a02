import { CredentialEnded, type WriteGuard } from '../db/client.ts'
import { credentialCheck } from '../stores/account-states.ts'
import type { AuthServices, Caller } from './scheme.ts'

/**
 * Creates the check that runs before every write of a caller. The credential was accepted when the request began. It
 * must still be valid when the write happens, which can be long after, because the body may arrive slowly.
 */
export function createWriteGuard(
  { id, passwordGeneration, credential }: Caller,
  { now }: Pick<AuthServices, 'now'>,
): WriteGuard {
  const { keyId, grantId, tokenExpiresAt } = credential
  const credentialState = { userId: id, passwordGeneration, keyId, grantId }
  return () => {
    const time = now()
    if (tokenExpiresAt && tokenExpiresAt <= time) throw new CredentialEnded('the token has expired')
    return credentialCheck(credentialState, time)
  }
}
