import { randomUUID } from 'node:crypto'
import { basic, type Credential } from './credentials.ts'
import { noteSecret } from './secrets.ts'

/** What somebody signs up with. */
export interface SignUp {
  name?: string
  email: string
  password: string
}

export interface Account extends SignUp {
  id: number
  /** A credential that allows everything. */
  credential: Credential
}

/**
 * Makes up somebody who has no account yet. The domain is reserved (RFC 2606), so nobody receives mail at the address.
 */
export function inventAccount(): SignUp {
  const password = `Conformance-${randomUUID()}`
  noteSecret(password)
  return { name: 'Conformance', email: `conformance-${randomUUID()}@example.com`, password }
}

/** The account, with a credential that costs no attempt of `POST /auth/token`. */
export function accountOf(id: number, signUp: SignUp): Account {
  return { ...signUp, id, credential: basic(signUp.email, signUp.password) }
}
