import type { Scope } from '../schemas/scopes.ts'
import { InvalidCredential } from './invalid-credential.ts'
import type { Claim } from './scheme.ts'

/** Admits whoever the database knows of, with scopes that the credential itself names. */
export function admitWith(scopes: readonly Scope[], fault: string): Claim['admit'] {
  return async (standing) => {
    if (!standing) throw new InvalidCredential(fault)
    return { account: standing, scopes }
  }
}
