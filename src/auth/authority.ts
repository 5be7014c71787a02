import type { Authority } from '../domain/authority.ts'
import { KEY_SCOPES } from '../domain/scopes.ts'
import { mayCreateCredentials } from './credential-chain.ts'
import type { Caller } from './scheme.ts'

export function authorityOf(caller: Caller): Authority {
  const { scopes, credential } = caller
  return {
    scopes: KEY_SCOPES.filter((scope) => scopes.includes(scope)),
    endsAt: endOf(caller),
    creationsEndAt: credential.endsAt?.getTime() ?? null,
    mayCreateCredentials: mayCreateCredentials(caller),
  }
}

/**
 * When the caller's credential stops working by itself: when the credential or its token ends, whichever is earlier.
 *
 * @returns Milliseconds since 1970; null if it has no end
 */
export function endOf({ credential: { endsAt, tokenExpiresAt } }: Caller): number | null {
  const ends = [endsAt, tokenExpiresAt].filter((end) => end !== null).map((end) => end.getTime())
  return ends.length > 0 ? Math.min(...ends) : null
}
