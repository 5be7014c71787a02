import { CredentialEnded } from '../db/constraints.ts'
import type { WriteGuard } from '../db/port.ts'
import { credentialCheck } from '../stores/account-states.ts'
import type { AuthServices, Caller } from './scheme.ts'

/** Checks that the credential, which was accepted when the request began, is still valid when the write happens. */
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
