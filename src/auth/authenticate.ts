import type { ReadQuery, ResultOf } from '../db/port.ts'
import { ProblemError, SUSPENDED_DETAIL } from '../domain/problems.ts'
import type { Scope } from '../domain/scopes.ts'
import { basicChallenge, bearerChallenge, mayHaveBasicChallenge } from './challenges.ts'
import { InvalidCredential } from './invalid-credential.ts'
import type { AcceptedCredential, AuthContext, AuthRequest, Caller } from './scheme.ts'
import { ALL_SCHEMES, SCHEMES, type SchemeName } from './schemes.ts'

/** The requirements of an endpoint for credentials. */
interface Access {
  schemes: readonly SchemeName[]
  /** Undefined if no scope is required. */
  scope: Scope | undefined
  /** Whether the endpoint also serves requests without credentials. */
  isOpen: boolean
}

interface AuthenticatedCaller<Read extends ReadQuery> {
  caller: Caller
  scheme: SchemeName
  /** The result of the query `read` of the endpoint; undefined if the endpoint has none. */
  prefetched: ResultOf<Read> | undefined
}

/**
 * If a request contains several credentials, one valid credential is enough. One round trip for each credential.
 *
 * @param read A query of the endpoint, which runs in the same round trip
 * @returns Undefined if the endpoint is open, and a valid credential does not suffice to be the caller's. The request
 * is then served like one without credentials, so that a valid credential never gets less than none
 * @throws ProblemError 401 if no valid credential is sent; 403 if a valid credential cannot be used, because the
 * account is suspended, the scope is missing or a page of another origin sent it; 429 after too many password attempts;
 * 503 if a credential cannot be checked at the moment
 */
export async function authenticate<Read extends ReadQuery>(
  request: AuthRequest,
  { schemes, scope, isOpen }: Access,
  context: AuthContext,
  read?: Read,
): Promise<AuthenticatedCaller<Read> | undefined> {
  const refusals: Refusal[] = []
  for (const presented of locateCredentials(request)) {
    const { scheme } = presented
    // A token of this service with the scope openid belongs to the schemes oAuth2 and openIdConnect. If it was rejected
    // for oAuth2, it is not checked again for openIdConnect.
    if (scheme === 'openIdConnect' && refusals.some((refusal) => refusal.scheme === 'oAuth2')) continue
    try {
      if (!schemes.includes(scheme))
        throw new InvalidCredential(`This operation does not accept credentials of the scheme ${scheme}.`)
      const { accepted, prefetched } = await tryCredential(presented, request, context, read)
      requireActive(accepted.account)
      requireScope(accepted.scopes, scope, context.baseUrl)
      return { caller: callerOf(accepted), scheme, prefetched }
    } catch (error) {
      refusals.push({ scheme, reason: refusalReasonOf(error) })
    }
  }
  if (isOpen && refusals.some(isOfValidCredential)) return undefined
  throw findMostRelevant(refusals) ?? unauthorizedProblem(request, schemes, refusals, context)
}

/** Whether a request contains a credential of any scheme. The credential need not be valid. */
export function presentsCredential(request: AuthRequest): boolean {
  return locateCredentials(request).length > 0
}

interface PresentedCredential {
  scheme: SchemeName
  credential: string
}

function locateCredentials(request: AuthRequest): PresentedCredential[] {
  return ALL_SCHEMES.flatMap((scheme) => {
    const credential = SCHEMES[scheme].locate(request)
    return credential === undefined ? [] : { scheme, credential }
  })
}

function callerOf({ account, scopes, tokenExpiresAt, provedAt = null }: AcceptedCredential): Caller {
  const { id, name, email, createdAt, renamedAt, passwordGeneration, key, grant } = account
  const credential = {
    keyId: key?.id ?? null,
    grantId: grant?.id ?? null,
    depth: key?.depth ?? grant?.depth ?? 0,
    endsAt: key?.expiresAt ?? grant?.expiresAt ?? null,
    tokenExpiresAt: tokenExpiresAt ?? null,
    provedAt,
  }
  return { id, name, email, createdAt, renamedAt, passwordGeneration, scopes, credential }
}

/** Checks one credential. The query of the endpoint runs in the same batch as the query for the account. */
async function tryCredential<Read extends ReadQuery>(
  { scheme, credential }: PresentedCredential,
  request: AuthRequest,
  context: AuthContext,
  read: Read | undefined,
) {
  const { query, accept } = await SCHEMES[scheme].verify(credential, context, request)
  const [[account], prefetched] = await context.session.db.batch(read ? [query, read] : [query])
  return { accepted: await accept(account), prefetched }
}

/**
 * @param headers Of the error response
 * @throws ProblemError 403
 */
export function requireActive(account: { suspendedAt: Date | null }, headers: Record<string, string> = {}): void {
  if (account.suspendedAt) throw new ProblemError('account-suspended', SUSPENDED_DETAIL, { headers })
}

/** @throws ProblemError 403 (RFC 6750, section 3.1, insufficient_scope) */
export function requireScope(scopes: readonly Scope[], needed: Scope | undefined, baseUrl: string): void {
  if (needed === undefined || scopes.includes(needed)) return
  throw new ProblemError(
    'insufficient-scope',
    `This operation requires the scope ${needed}, which the credential does not have.`,
    {
      headers: { 'WWW-Authenticate': bearerChallenge(baseUrl, { error: 'insufficient_scope', scope: needed }) },
    },
  )
}

interface Refusal {
  scheme: SchemeName
  reason: InvalidCredential | ProblemError
}

/** Problems after which the next credential is tried. Any other problem ends the request. */
const RECOVERABLE_PROBLEMS: readonly string[] = [
  'account-suspended',
  'insufficient-scope',
  'cross-site-request',
  'too-many-requests',
]

/**
 * Whether the refused credential is valid, but does not suffice. A suspended account is not meant: its credentials are
 * refused everywhere, in place of the 401.
 */
function isOfValidCredential({ reason }: Refusal): boolean {
  return reason instanceof ProblemError && ['insufficient-scope', 'cross-site-request'].includes(reason.code)
}

/** The error as the reason of a refusal. @throws The error, if it must end the request */
function refusalReasonOf(error: unknown): Refusal['reason'] {
  if (error instanceof InvalidCredential) return error
  if (error instanceof ProblemError && RECOVERABLE_PROBLEMS.includes(error.code)) return error
  throw error
}

/**
 * The problem to report instead of 401, if there is one. A problem with a valid credential is more relevant than too
 * many attempts.
 */
function findMostRelevant(refusals: readonly Refusal[]): ProblemError | undefined {
  const problems = refusals.map(({ reason }) => reason).filter((reason) => reason instanceof ProblemError)
  return problems.find(({ code }) => code !== 'too-many-requests') ?? problems[0]
}

const BEARER_SCHEMES: readonly SchemeName[] = ['bearerAuth', 'oAuth2', 'openIdConnect']

/** The 401, with a challenge for each kind of credential that the endpoint accepts. */
function unauthorizedProblem(
  { headers }: AuthRequest,
  schemes: readonly SchemeName[],
  refusals: readonly Refusal[],
  { baseUrl }: AuthContext,
): ProblemError {
  const [firstRefusal] = refusals
  const detail = firstRefusal
    ? firstRefusal.reason.message
    : `Authentication is required. Send ${schemes.map((name) => SCHEMES[name].usage).join(', or ')}.`
  const tokenRefusal = refusals.find(({ scheme }) => BEARER_SCHEMES.includes(scheme))
  const challenges = [
    // Basic comes first: LWP and Java's HttpClient read only the first challenge of a header, and support only Basic.
    ...(schemes.includes('basicAuth') && mayHaveBasicChallenge(headers) ? [basicChallenge()] : []),
    bearerChallenge(baseUrl, tokenRefusal ? { error: 'invalid_token', description: tokenRefusal.reason.message } : {}),
  ]
  const limitHeaders = Object.fromEntries(refusals.flatMap(({ reason }) => Object.entries(reason.headers)))
  return new ProblemError('unauthorized', detail, {
    headers: { ...limitHeaders, 'WWW-Authenticate': challenges.join(', ') },
  })
}
