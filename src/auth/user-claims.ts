import type { Scope } from '../schemas/scopes.ts'

/** What can be told of a user. */
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
 * What a client may know of a user (OpenID Connect Core 1.0, sections 5.1 and 5.4): the same in an ID token and at
 * /oauth/userinfo. Claims that the user does not have are left out. The service verifies no e-mail address, so
 * `email_verified` is false.
 */
export function describeUser({ id, name, email }: DescribedUser, scopes: readonly Scope[]): UserClaims {
  return {
    sub: String(id),
    ...(scopes.includes('profile') && name !== null && { name }),
    ...(scopes.includes('email') && email !== null && { email, email_verified: false }),
  }
}
