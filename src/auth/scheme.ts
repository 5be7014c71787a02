import type { Session } from '../db/client.ts'
import type { Config } from '../env.ts'
import type { Scope } from '../schemas/scopes.ts'
import type { MakingCredential, Standing, StandingQuery } from '../stores/account-states.ts'
import type { ForeignIssuers } from './foreign-issuers.ts'
import type { PasswordWork } from './password-work.ts'
import type { ProvedPasswords } from './proved-passwords.ts'
import type { TokenAuthority } from './tokens.ts'

/** Who makes a request, once that is proved. */
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

/** What a caller has proved with. A password and a token for one have neither a key nor a grant. */
export interface CallerCredential extends MakingCredential {
  /** When the key or the grant ends, as things stand; null if it does not, or there is none. */
  endsAt: Date | null
  /** When the token that was sent expires; null if no token was sent. */
  tokenExpiresAt: Date | null
  /** When the user last proved who he is, as far as the credential tells; null if it does not. */
  provedAt: Date | null
}

/** The parts of a request that can carry a credential, and those that say where the request comes from. */
export interface Credentials {
  method: string
  headers: Headers
  query: URLSearchParams
  cookies: Readonly<Record<string, string>>
}

/** What proving a credential may take, outside of the request itself. */
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
  /** Lets work go on after the answer. */
  defer(work: Promise<unknown>): void
}

/** The request, as far as a verifier needs it. */
export interface AuthContext {
  services: AuthServices
  session: Session
  /** The service's URL, which issues its tokens. */
  baseUrl: string
  /** What limits count a client by. */
  clientAddress: string
  now: Date
}

/** What a credential says without the database, and the query for what only the database knows. */
export interface Claim {
  standing: StandingQuery
  /**
   * Judges the credential by its standing; undefined where the database knows of none.
   *
   * @throws InvalidCredential, ProblemError
   */
  admit(standing: Standing | undefined): Promise<Admission>
}

/** When a token expires, and when its user last proved who he is; null if it does not tell. */
export interface TokenTimes {
  tokenExpiresAt: Date
  provedAt: Date | null
}

/** A credential that holds: whose it is, and what it may be used for. */
export interface Admission {
  account: Standing
  scopes: readonly Scope[]
  /** Absent if no token was sent. */
  tokenExpiresAt?: Date
  /** When the user last proved who he is. Absent if the credential does not tell. */
  provedAt?: Date | null
}

/** One way to say who is calling. */
export interface Scheme {
  /** What to send, in words for a caller who sent nothing. */
  usage: string
  /** The credential of this scheme in a request, if it has one. */
  locate(credentials: Credentials, context: AuthContext): string | undefined
  /** @throws InvalidCredential, ProblemError */
  verify(credential: string, context: AuthContext, credentials: Credentials): Promise<Claim>
}
