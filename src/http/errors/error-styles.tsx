import { renderPage } from '../../design/page.tsx'
import { TEXT_POLICY } from '../../design/policies.ts'
import type { PageWorld } from '../../design/universe-bar.ts'
import { originOfBase } from '../../domain/base-url.ts'
import { describeFault } from '../../domain/describe-fault.ts'
import { OAuthError, type OAuthErrorCode } from '../../domain/oauth-errors.ts'
import { PROBLEMS, type ProblemCode, ProblemError } from '../../domain/problems.ts'
import { nameStatus } from '../../lib/status-phrases.ts'
import type { OAuthErrorDocument } from '../../schemas/oauth-error.ts'
import { limitFaults } from '../body/input-safety.ts'
import { HTML_TYPE } from '../pages.ts'
import { FORMATS } from '../pipeline/formats.ts'

/**
 * How an endpoint reports errors if it does not use problem documents (RFC 9457). A route with such a style has to
 * declare its errors in `responses`.
 */
export type ErrorStyle =
  /** A JSON object with `error` and `error_description` (RFC 6749, section 5.2). */
  | 'oauth'
  /** An HTML page for people. The routes with this style do not support CORS. */
  | 'page'

/** Registry: the OAuth error codes of problems that any endpoint can return. Other problems are `invalid_request`. */
const OAUTH_CODES: Readonly<Partial<Record<ProblemCode, OAuthErrorCode>>> = {
  unauthorized: 'invalid_token',
  'insufficient-scope': 'insufficient_scope',
  'account-suspended': 'access_denied',
  'universe-limit': 'access_denied',
  'cross-site-request': 'access_denied',
  'too-many-requests': 'temporarily_unavailable',
  'internal-error': 'server_error',
  'service-unavailable': 'temporarily_unavailable',
}

/** Creates the OAuth response for an error (RFC 6749, section 5.2). */
export function renderOAuthError(error: OAuthError | ProblemError): Response {
  const status = statusOf(error)
  const document: OAuthErrorDocument = {
    error: error instanceof OAuthError ? error.code : (OAUTH_CODES[error.code] ?? 'invalid_request'),
    error_description: toAscii(explainError(error)),
  }
  const { mediaType, write } = FORMATS.json
  return new Response(write(document), {
    status,
    headers: { ...error.headers, 'Content-Type': mediaType },
  })
}

/**
 * Creates the response with the HTML page for an error. If what the request was for does not exist, the page leads on.
 *
 * @param requestId Shown if the service is at fault, so that the user can tell it to the operator
 * @param world Where the page is shown
 * @param lastPage See `lastPageOf`
 */
export async function renderErrorPage(
  error: OAuthError | ProblemError,
  requestId: string,
  world: PageWorld,
  lastPage: string | undefined,
): Promise<Response> {
  const title = error instanceof OAuthError ? 'This request cannot be completed' : PROBLEMS[error.code].title
  const explanation = (
    <>
      <h1>{title}</h1>
      <p class="fault" role="alert">
        {explainError(error)}
      </p>
      {statusOf(error) >= 500 && (
        <p>
          The request id is <code>{requestId}</code>.
        </p>
      )}
      {error instanceof ProblemError && ABSENT.includes(statusOf(error)) && <WaysOn {...{ error, lastPage }} />}
    </>
  )
  const description = 'This request could not be answered. The page says what is wrong with it.'
  const page = await renderPage({ title, description, width: 'form', content: explanation })
  return new Response(page.at(world), {
    status: statusOf(error),
    headers: { ...error.headers, 'Content-Type': HTML_TYPE, 'Content-Security-Policy': TEXT_POLICY },
  })
}

/** The statuses of what does not exist, or no longer. */
const ABSENT: readonly number[] = [404, 410]

function WaysOn({ error, lastPage }: { error: ProblemError; lastPage: string | undefined }) {
  return (
    <>
      <p>
        The status is <a href={`/problems/${error.code}`}>{nameStatus(statusOf(error))}</a>. The address may have a
        mistake, or what was there has been deleted.
      </p>
      <ul>
        {lastPage !== undefined && (
          <li>
            <a href={lastPage}>Back to the last page</a>
          </li>
        )}
        <li>
          <a href="/">Home</a>
        </li>
        <li>
          <a href="/docs">API reference</a>
        </li>
        <li>
          <a href="/lab">Laboratory</a>
        </li>
      </ul>
    </>
  )
}

/**
 * The page of this world from which a browser has come, as an absolute URL: a path alone could begin with two slashes
 * and so name another host. Undefined if the browser does not say, or has come from elsewhere.
 *
 * @param headers Those of the request
 */
export function lastPageOf(headers: Headers, baseUrl: string): string | undefined {
  const referer = URL.parse(headers.get('Referer') ?? '')
  return referer?.origin === originOfBase(baseUrl) && referer.href.startsWith(`${baseUrl}/`) ? referer.href : undefined
}

function statusOf(error: OAuthError | ProblemError): number {
  return error instanceof OAuthError ? error.status : PROBLEMS[error.code].status
}

/** The message of an error, and its faults as sentences. */
function explainError(error: OAuthError | ProblemError): string {
  if (error instanceof OAuthError) return error.message
  return [error.message, ...limitFaults(error.faults).map(describeFault)].join(' ')
}

/** Replaces the characters that RFC 6749, section 5.2, does not allow in `error_description`. */
function toAscii(text: string): string {
  return text.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?')
}
