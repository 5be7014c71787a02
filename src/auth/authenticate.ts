import type { BatchQuery } from '../db/client.ts'
import { ProblemError } from '../lib/errors.ts'
import type { Scope } from '../schemas/scopes.ts'
import { basicChallenge, bearerChallenge } from './challenges.ts'
import { InvalidCredential } from './invalid-credential.ts'
import type { AuthContext, Caller, Credentials } from './scheme.ts'
import { ALL_SCHEMES, SCHEMES, type SchemeName } from './schemes.ts'

/** What an endpoint asks of a credential. */
export interface Access {
  schemes: readonly SchemeName[]
  /** Undefined where any credential will do. */
  scope: Scope | undefined
}

export interface Authenticated<Read extends BatchQuery> {
  caller: Caller
  /** What the endpoint's own read gave; undefined where it has none. */
  loaded: Read['_']['result'] | undefined
}

/**
 * Finds out who is calling: of the credentials that are sent any one that holds suffices. The standing of each is read
 * from the database every time, so that a revocation, a suspension or a new password takes effect at once. One round
 * trip for each.
 *
 * @param read The endpoint's own, which shares the round trip
 * @throws ProblemError 401 where no credential is sent or none holds; 403 where one holds, but the account is suspended,
 * its scopes do not suffice or a page of another origin uses it; 429 where too many wrong passwords were sent
 */
export async function authenticate<Read extends BatchQuery>(
  credentials: Credentials,
  { schemes, scope }: Access,
  context: AuthContext,
  read?: Read,
): Promise<Authenticated<Read>> {
  const refusals: Refusal[] = []
  for (const name of presentedSchemes(credentials, context)) {
    if (!schemes.includes(name)) {
      refusals.push(new InvalidCredential(`This does not take a credential of ${name}`))
      continue
    }
    try {
      const { admission, loaded } = await tryScheme(name, credentials, context, read)
      requireActive(admission.account)
      requireScope(admission.scopes, scope, context.baseUrl)
      return { caller: { ...admission.account, scopes: admission.scopes }, loaded }
    } catch (error) {
      refusals.push(asRefusal(error))
    }
  }
  throw weightiest(refusals, () => unauthorized(credentials, schemes, refusals, context))
}

/** The schemes that a request carries a credential of, valid or not. */
export function presentedSchemes(credentials: Credentials, context: AuthContext): SchemeName[] {
  return ALL_SCHEMES.filter((name) => SCHEMES[name].locate(credentials, context) !== undefined)
}

async function tryScheme<Read extends BatchQuery>(
  name: SchemeName,
  credentials: Credentials,
  context: AuthContext,
  read: Read | undefined,
) {
  const credential = SCHEMES[name].locate(credentials, context) ?? ''
  const { standing, admit } = await SCHEMES[name].verify(credential, context, credentials)
  const [[found], loaded] = read ? await context.session.db.batch([standing, read]) : [await standing, undefined]
  return { admission: await admit(found), loaded }
}

/**
 * Lets no suspended account in.
 *
 * @param headers Of the answer, where it is refused
 * @throws ProblemError 403
 */
export function requireActive(account: { suspendedAt: Date | null }, headers: Record<string, string> = {}): void {
  if (account.suspendedAt) throw new ProblemError('account-suspended', 'This account is suspended.', { headers })
}

/**
 * Asks for a scope.
 *
 * @throws ProblemError 403 (RFC 6750, section 3.1, insufficient_scope)
 */
export function requireScope(scopes: readonly Scope[], needed: Scope | undefined, baseUrl: string): void {
  if (needed === undefined || scopes.includes(needed)) return
  throw new ProblemError('insufficient-scope', `This needs the scope ${needed}, which the credential does not have.`, {
    headers: { 'WWW-Authenticate': bearerChallenge(baseUrl, { error: 'insufficient_scope', scope: needed }) },
  })
}

type Refusal = InvalidCredential | ProblemError

/** Statuses of refusals that may be another credential's fortune: whatever else goes wrong ends the request. */
const REFUSALS: readonly string[] = [
  'account-suspended',
  'insufficient-scope',
  'cross-site-request',
  'too-many-requests',
]

function asRefusal(error: unknown): Refusal {
  if (error instanceof InvalidCredential) return error
  if (error instanceof ProblemError && REFUSALS.includes(error.code)) return error
  throw error
}

/** The refusal to tell: of a credential that holds before that of one that does not. */
function weightiest(refusals: readonly Refusal[], otherwise: () => ProblemError): ProblemError {
  const problems = refusals.filter((refusal) => refusal instanceof ProblemError)
  return problems.find(({ code }) => code !== 'too-many-requests') ?? problems[0] ?? otherwise()
}

function unauthorized(
  { headers }: Credentials,
  schemes: readonly SchemeName[],
  [refusal]: readonly Refusal[],
  { baseUrl }: AuthContext,
): ProblemError {
  const detail = refusal
    ? `${refusal.message}.`
    : `This needs a credential: ${schemes.map((name) => SCHEMES[name].usage).join(', or ')}.`
  const authorization = headers.get('Authorization') ?? ''
  const isBearer = refusal && /^Bearer\b/i.test(authorization)
  const challenges = [
    bearerChallenge(baseUrl, isBearer ? { error: 'invalid_token', description: refusal.message } : {}),
    ...(/^Basic\b/i.test(authorization) && schemes.includes('basicAuth') ? [basicChallenge()] : []),
  ]
  return new ProblemError('unauthorized', detail, { headers: { 'WWW-Authenticate': challenges.join(', ') } })
}
