import type { Scope } from '../domain/scopes.ts'

/** The data of a user that claims are derived from. */
export interface DescribedUser {
  id: number
  name: string | null
  email: string | null
}

interface UserClaims {
  sub: string
  name?: string
  email?: string
  email_verified?: boolean
}

/**
 * The claims about a user that the scopes allow (OpenID Connect Core 1.0, sections 5.1 and 5.4): the same in an ID
 * token and at /oauth/userinfo. Claims without a value are omitted. The service does not verify e-mail addresses, so
 * `email_verified` is false.
 */
export function describeUser({ id, name, email }: DescribedUser, scopes: readonly Scope[]): UserClaims {
  return {
    sub: String(id),
    ...(scopes.includes('profile') && name !== null && { name }),
    ...(scopes.includes('email') && email !== null && { email, email_verified: false }),
  }
}
