import type { Session } from '../db/client.ts'
import type { Config } from '../env.ts'
import type { Scope } from '../schemas/scopes.ts'
import type { AccountState, AccountStateQuery, MakingCredential } from '../stores/account-states.ts'
import type { AuthorizationHeader } from './authorization-header.ts'
import type { ForeignIssuers } from './foreign-issuers.ts'
import { InvalidCredential } from './invalid-credential.ts'
import type { PasswordWork } from './password-work.ts'
import type { ProvedPasswords } from './proved-passwords.ts'
import type { TokenAuthority } from './tokens.ts'

/** The authenticated user who makes a request. */
export interface Caller {
  id: number
  name: string | null
  email: string | null
  createdAt: Date
  /** When the name last changed; null if it never did. */
  renamedAt: Date | null
  passwordGeneration: number
  /** What the credential may be used for. */
  scopes: readonly Scope[]
  /** The credential itself: what it makes ends with it. */
  credential: CallerCredential
}

/** The credential that a caller was authenticated with. A password and a token for one have neither a key nor a grant. */
export interface CallerCredential extends MakingCredential {
  /** When the key or the grant ends, as things stand; null if it does not, or there is none. */
  endsAt: Date | null
  /** When the token that was sent expires; null if no token was sent. */
  tokenExpiresAt: Date | null
  /** When the user last signed in; null if the credential does not tell. */
  provedAt: Date | null
}

/** The parts of a request that can carry a credential, and those that say where the request comes from. */
export interface Credentials {
  method: string
  headers: Headers
  /** The Authorization header, parsed; undefined if there is none that a scheme here knows. */
  authorization: AuthorizationHeader | undefined
  query: URLSearchParams
  cookies: Readonly<Record<string, string>>
}

/** The services that authentication uses. */
export interface AuthServices {
  config: Config
  tokens: TokenAuthority
  provedPasswords: ProvedPasswords
  /** The queue that all hashing of passwords goes through. */
  passwordWork: PasswordWork
  foreignIssuers: ForeignIssuers
  now(): Date
  /** Lets time pass. */
  wait(milliseconds: number): Promise<void>
  /** Lets work continue after the response. */
  defer(work: Promise<unknown>): void
}

/** The request, as far as a verifier needs it. */
export interface AuthContext {
  services: AuthServices
  session: Session
  /** The service's URL, which issues its tokens. */
  baseUrl: string
  /** The client as limits count it. */
  clientAddress: string
  now: Date
}

/** A credential that is valid as far as it can be checked without the database, and the query for the rest. */
export interface PendingCredential {
  query: AccountStateQuery
  /**
   * Accepts the credential by what the query has found, if anything.
   *
   * @throws InvalidCredential, ProblemError
   */
  accept(account: AccountState | undefined): Promise<AcceptedCredential>
}

/** When a token expires, and when its user last signed in; null if it does not tell. */
export interface TokenTimes {
  tokenExpiresAt: Date
  provedAt: Date | null
}

/** A valid credential: whose it is, and what it may be used for. */
export interface AcceptedCredential {
  account: AccountState
  scopes: readonly Scope[]
  /** Absent if no token was sent. */
  tokenExpiresAt?: Date
  /** When the user last signed in. Absent if the credential does not tell. */
  provedAt?: Date | null
}

/** An authentication scheme. */
export interface Scheme {
  /** What to send, for the error that a caller without credentials gets. */
  usage: string
  /** The credential of this scheme in a request, if it has one. */
  locate(credentials: Credentials): string | undefined
  /** @throws InvalidCredential, ProblemError */
  verify(credential: string, context: AuthContext, credentials: Credentials): Promise<PendingCredential>
}

/**
 * Makes the `accept` of a token, which itself names its scopes and times.
 *
 * @param fault What is wrong if the database does not know its account
 */
export function acceptWith(scopes: readonly Scope[], fault: string, times: TokenTimes): PendingCredential['accept'] {
  return async (account) => {
    if (!account) throw new InvalidCredential(fault)
    return { account, scopes, ...times }
  }
}

/** The credential of the Authorization header, if it is of one of these kinds. */
export function credentialOf(
  header: AuthorizationHeader | undefined,
  kinds: readonly AuthorizationHeader['kind'][],
): string | undefined {
  return header && kinds.includes(header.kind) ? header.credential : undefined
}
