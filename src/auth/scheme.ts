import type { QueueServices } from '../changes/enqueue.ts'
import type { IdStocks } from '../changes/ids.ts'
import type { Session, WorldDatabase } from '../db/port.ts'
import type { Scope } from '../domain/scopes.ts'
import type { Config } from '../env.ts'
import type { Trace } from '../lib/trace-context.ts'
import type { AccountState, AccountStateQuery, CreatingCredential } from '../stores/account-states.ts'
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
  /** When the name last changed; null if it never changed. */
  renamedAt: Date | null
  passwordGeneration: number
  scopes: readonly Scope[]
  /** The credential itself. Keys and clients that it creates end with it. */
  credential: CallerCredential
}

/** The caller's credential. A password, or a token that was issued for one, has neither a key nor a grant. */
interface CallerCredential extends CreatingCredential {
  /** When the key or the grant expires; null if it does not expire, or if there is none. */
  endsAt: Date | null
  /** When the token that was sent expires; null if no token was sent. */
  tokenExpiresAt: Date | null
  /** When the user last signed in; null if unknown. */
  provedAt: Date | null
}

/** The parts of a request that can contain a credential or say where the request comes from. */
export interface AuthRequest {
  method: string
  /** Whether the request opens a WebSocket. Pages of any origin can open a WebSocket and read its messages. */
  opensSocket?: boolean
  headers: Headers
  /** The parsed Authorization header; undefined if there is none, or if its scheme is unknown. */
  authorization: AuthorizationHeader | undefined
  query: URLSearchParams
  cookies: Readonly<Record<string, string>>
}

export interface AuthServices extends QueueServices, WorldDatabase {
  config: Config
  /** The ids of this world that the process has in advance. */
  ids: IdStocks
  tokens: TokenAuthority
  provedPasswords: ProvedPasswords
  /** The line for all password hashing. */
  passwordWork: PasswordWork
  foreignIssuers: ForeignIssuers
  /** @param baseUrl The address that the request uses */
  isOwnIssuer(issuer: string, baseUrl: string): boolean
  now(): Date
  wait(milliseconds: number): Promise<void>
  /** A number from 0 to below 1, for waits that must differ from one another. */
  random(): number
}

export interface AuthContext {
  services: AuthServices
  session: Session
  /** The service's URL, which is the issuer of the tokens that this request gets. */
  baseUrl: string
  /** The client's network, by which limits are counted (see `clientNetwork`). */
  clientAddress: string
  /** The UUID of the request. */
  requestId: string
  headers: Headers
  /** The trace that the request belongs to; absent if there is none. */
  trace?: Trace | undefined
  now: Date
}

/** A credential that passed all checks without the database, and the query for the other checks. */
export interface PendingCredential {
  query: AccountStateQuery
  /** @throws InvalidCredential, ProblemError */
  accept(account: AccountState | undefined): Promise<AcceptedCredential>
}

/** When a token expires, and when its user last signed in (null if unknown). */
export interface TokenTimes {
  tokenExpiresAt: Date
  provedAt: Date | null
}

export interface AcceptedCredential {
  account: AccountState
  scopes: readonly Scope[]
  /** Absent if no token was sent. */
  tokenExpiresAt?: Date
  /** When the user last signed in. Absent or null if unknown. */
  provedAt?: Date | null
}

export interface Scheme {
  /** How to send a credential, for the error message if a request has none. */
  usage: string
  /** Finds the credential of this scheme in a request, if there is one. */
  locate(request: AuthRequest): string | undefined
  /**
   * Checks a credential as far as possible without the database.
   *
   * @throws InvalidCredential, ProblemError
   */
  verify(credential: string, context: AuthContext, request: AuthRequest): Promise<PendingCredential>
}

/** @param fault Error message if the query finds no account */
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
