import type { Authority } from '../domain/authority.ts'
import { KEY_SCOPES } from '../domain/scopes.ts'
import { mayCreateCredentials } from './credential-chain.ts'
import type { Caller } from './scheme.ts'

/** The authority of the caller's credential. */
export function authorityOf(caller: Caller): Authority {
  const { scopes, credential } = caller
  const { endsAt, tokenExpiresAt } = credential
  const ends = [endsAt, tokenExpiresAt].filter((end) => end !== null).map((end) => end.getTime())
  return {
    scopes: KEY_SCOPES.filter((scope) => scopes.includes(scope)),
    endsAt: ends.length > 0 ? Math.min(...ends) : null,
    creationsEndAt: endsAt?.getTime() ?? null,
    mayCreateCredentials: mayCreateCredentials(caller),
  }
}
