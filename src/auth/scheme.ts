import type { Session } from '../db/client.ts'
import type { Config } from '../env.ts'
import type { Scope } from '../schemas/scopes.ts'
import type { Standing, StandingQuery } from '../stores/standing.ts'
import type { ForeignIssuers } from './foreign-issuers.ts'
import type { ProvedPasswords } from './proved-passwords.ts'
import type { TokenAuthority } from './tokens.ts'

/** Who makes a request, once that is proved. */
export interface Caller {
  id: number
  name: string | null
  email: string | null
  createdAt: Date
  passwordGeneration: number
  /** What the credential may be used for. */
  scopes: readonly Scope[]
  /** When the credential ends, where it is an API key that does: what it makes ends then too. */
  keyExpiresAt: Date | null
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

/** A credential that holds: whose it is, and what it may be used for. */
export interface Admission {
  account: Standing
  scopes: readonly Scope[]
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
