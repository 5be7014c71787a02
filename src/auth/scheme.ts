import type { Database } from '../db/client.ts'
import type { selectStanding } from '../stores/users.ts'
import type { TokenAuthority } from './tokens.ts'

/** Who makes a request, once that is proved. */
export interface Caller {
  id: number
  name: string | null
  createdAt: Date
}

/** What a verifier may use. */
export interface VerifierTools {
  db: Database
  tokens: TokenAuthority
  /** The service's URL, which issues its tokens. */
  issuer: string
  now: Date
}

/** What a credential proves without the database, and the query for what only the database knows. */
export interface Claim {
  standing: ReturnType<typeof selectStanding>
}

/** One way to say who is calling. */
export interface Scheme {
  /** What to send, in words for a caller who sent nothing. */
  usage: string
  /** The credential of this scheme in a request, if it has one. */
  locate(headers: Headers): string | undefined
  /** @throws InvalidCredential */
  verify(credential: string, tools: VerifierTools): Promise<Claim>
  /** The `WWW-Authenticate` challenge (RFC 9110, section 11.6.1), with the fault where a credential was refused. */
  challenge(fault?: string): string
}
