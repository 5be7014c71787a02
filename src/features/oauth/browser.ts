import { parse, serialize } from 'hono/utils/cookie'
import { hashSecret, makeSecret } from '../../auth/secrets.ts'
import { originOfBase } from '../../domain/base-url.ts'
import { browserCookieOf } from '../../domain/browser-cookie.ts'
import { ProblemError } from '../../domain/problems.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { type SignedIn, selectSignIn } from '../../stores/sign-ins.ts'

/** How long a user stays signed in with a browser. */
export const SIGN_IN_LIFETIME_SECONDS = 12 * 60 * 60

/** A browser that shows our pages, identified by a secret in a cookie, and the user who has signed in with it. */
export interface Browser {
  /** The hash of the secret, which is the key of the browser in the database. */
  hash: string
  signedIn: SignedIn | undefined
  /** Proves that a form comes from a page that this service showed in this browser. */
  csrf: string
  /** Sets the cookie if the browser does not have one yet. */
  headers: Record<string, string>
}

/**
 * Identifies the browser, and gives a new browser its cookie. At most one round trip to the database.
 *
 * @param clientId The client of the request. The scopes that the user has allowed this client are read too
 */
export async function recogniseBrowser(context: RequestContext, clientId = ''): Promise<Browser> {
  const knownSecret = readCookie(context)
  const secret = knownSecret ?? makeSecret()
  const hash = await hashSecret(secret)
  const [signedIn] = knownSecret ? await context.session.db.read(selectSignIn(hash, clientId, context.now)) : []
  const headers = knownSecret ? {} : { 'Set-Cookie': writeCookie(secret, context.baseUrl) }
  return { hash, signedIn, csrf: await makeCsrfToken(secret), headers }
}

/**
 * Rejects a form unless it was sent from our own page, by the browser in which the page was shown.
 *
 * @throws ProblemError 403
 */
export function requireOwnForm(browser: Browser, csrf: string | undefined, { headers, baseUrl }: RequestContext): void {
  // A header that the browser does not send is not checked. The CSRF token is always checked.
  const site = headers.get('Sec-Fetch-Site')
  const origin = headers.get('Origin')
  const isSameOrigin = site === null || site === 'same-origin'
  // Our pages send no referrer. Browsers send the origin `null` for such pages.
  const isOwnOrigin = origin === null || origin === 'null' || origin === originOfBase(baseUrl)
  if (csrf === browser.csrf && isSameOrigin && isOwnOrigin) return
  throw new ProblemError(
    'cross-site-request',
    'This form has expired, or it does not come from this service. Go back to the page that you came from and start again. Your browser must allow cookies.',
  )
}

/** Each sign-in sets a new secret, because an attacker may have planted the old one. */
export function writeCookie(secret: string, baseUrl: string): string {
  const { name, path, secure } = browserCookieOf(baseUrl)
  const attributes = { path, httpOnly: true, secure, sameSite: 'Lax', maxAge: SIGN_IN_LIFETIME_SECONDS } as const
  return serialize(name, secret, attributes)
}

/** The secret in the cookie; undefined if there is no cookie, or its value cannot be a secret of this service. */
function readCookie({ headers, baseUrl }: RequestContext): string | undefined {
  const { name } = browserCookieOf(baseUrl)
  const value = parse(headers.get('Cookie') ?? '', name)[name]
  return value !== undefined && SECRET_PATTERN.test(value) ? value : undefined
}

/** The form of a secret from `makeSecret`: 32 bytes in base64url. */
const SECRET_PATTERN = /^[A-Za-z0-9_-]{43}$/

/** Nobody can compute the token without the cookie, or the cookie from the token. */
export async function makeCsrfToken(secret: string): Promise<string> {
  return await hashSecret(`csrf ${secret}`)
}
