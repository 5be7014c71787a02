import { keysOf } from '../lib/objects.ts'

/** Registry: scopes (RFC 6749, section 3.3), with the text on the consent page. It says what a client may do. */
export const SCOPES = {
  'read:account': 'read your account',
  'write:account': 'change your account, its keys and its clients',
  'read:planets': 'read planets',
  'write:planets': 'create and change your planets',
  'read:events': 'receive the events of planets',
  'read:user:events': 'receive the events of your account, such as sign-ins with their network addresses',
  'write:events': 'make events with POST /events',
  openid: 'see who you are',
  profile: 'see your name',
  email: 'see your e-mail address',
  offline_access: 'do all this while you are away, until you revoke it',
} as const

export type Scope = keyof typeof SCOPES

/** The scopes that an API key can have. The others are only for OpenID Connect. */
export const KEY_SCOPES = [
  'read:account',
  'write:account',
  'read:planets',
  'write:planets',
  'read:events',
  'read:user:events',
  'write:events',
] as const satisfies Scope[]

export type KeyScope = (typeof KEY_SCOPES)[number]

export const ALL_SCOPES: readonly Scope[] = keysOf(SCOPES)

/** The known scopes in a space-separated list, without duplicates (OpenID Connect Core 1.0, section 3.1.2.1). */
export function parseScopes(text: string): Scope[] {
  const names = new Set(text.split(' '))
  return ALL_SCOPES.filter((scope) => names.has(scope))
}
