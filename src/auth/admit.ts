import type { Scope } from '../schemas/scopes.ts'
import { InvalidCredential } from './invalid-credential.ts'
import type { Claim, TokenTimes } from './scheme.ts'

/** Admits whoever the database knows of, with the scopes and the times that a token itself names. */
export function admitWith(scopes: readonly Scope[], fault: string, times: TokenTimes): Claim['admit'] {
  return async (standing) => {
    if (!standing) throw new InvalidCredential(fault)
    return { account: standing, scopes, ...times }
  }
}
