import { keysOf } from '../lib/objects.ts'

/** THE table of scopes (RFC 6749, section 3.3): what a credential may be used for, as its owner is asked to allow it. */
export const SCOPES = {
  'read:account': 'read your account',
  'write:account': 'change your account, its keys and its clients',
  'read:planets': 'read planets',
  'write:planets': 'create and change your planets',
  openid: 'see who you are',
  profile: 'see your name',
  email: 'see your e-mail address',
  offline_access: 'do all this while you are away, until you revoke it',
} as const

export type Scope = keyof typeof SCOPES

/** What an API key can carry: the scopes that endpoints ask for. The others are of OpenID Connect alone. */
export const KEY_SCOPES = ['read:account', 'write:account', 'read:planets', 'write:planets'] as const satisfies Scope[]

export type KeyScope = (typeof KEY_SCOPES)[number]

export const ALL_SCOPES: readonly Scope[] = keysOf(SCOPES)

/** The scopes of a space-separated list, each once. Names that are none of ours are left out (OpenID Connect Core, 3.1.2.1). */
export function parseScopes(text: string): Scope[] {
  const names = new Set(text.split(' '))
  return ALL_SCOPES.filter((scope) => names.has(scope))
}
