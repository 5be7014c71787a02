import { parse, serialize } from 'hono/utils/cookie'
import { hashSecret, makeSecret } from '../../auth/secrets.ts'
import { BROWSER_COOKIE } from '../../domain/browser-cookie.ts'
import { ProblemError } from '../../domain/problems.ts'
import type { RequestContext } from '../../http/pipeline/context.ts'
import { type SignedIn, selectSignIn } from '../../stores/sign-ins.ts'

export const SIGN_IN_LIFETIME_SECONDS = 12 * 60 * 60

/** The browser that shows our pages, known by a secret in a cookie, and who has signed in with it. */
export interface Browser {
  /** What the database knows it by. */
  hash: string
  signedIn: SignedIn | undefined
  /** Proves that a form came from a page of ours that this very browser was shown. */
  csrf: string
  /** The cookie, where the browser does not have it yet. */
  headers: Record<string, string>
}

/**
 * Finds out which browser it is, and gives a new one its cookie. At most one round trip.
 *
 * @param clientId The client of the request: what the user has allowed it is read too
 */
export async function recogniseBrowser(context: RequestContext, clientId = ''): Promise<Browser> {
  const known = readCookie(context)
  const secret = known ?? makeSecret()
  const hash = await hashSecret(secret)
  const [signedIn] = known ? await selectSignIn(context.session.db, hash, clientId, context.now) : []
  const headers = known ? {} : { 'Set-Cookie': writeCookie(secret, context.baseUrl) }
  return { hash, signedIn, csrf: await csrfToken(secret), headers }
}

/**
 * Lets a form be sent only from our own page, by the browser that was shown it.
 *
 * @throws ProblemError 403
 */
export function requireOwnForm(browser: Browser, csrf: string | undefined, { headers, baseUrl }: RequestContext): void {
  const site = headers.get('Sec-Fetch-Site') ?? 'same-origin'
  // Of a page without a referrer it is null, of ours too.
  const origin = headers.get('Origin') ?? 'null'
  if (csrf === browser.csrf && site === 'same-origin' && [baseUrl, 'null'].includes(origin)) return
  throw new ProblemError(
    'cross-site-request',
    'This form has expired, or it does not come from this service. Go back to the page that you came from and start again. Your browser must allow cookies.',
  )
}

/** The cookie for a browser that has just signed in: a new one, so that nobody can have planted it. */
export function writeCookie(secret: string, baseUrl: string): string {
  const { name, secure } = cookieOf(baseUrl)
  const attributes = { path: '/', httpOnly: true, secure, sameSite: 'Lax', maxAge: SIGN_IN_LIFETIME_SECONDS } as const
  return serialize(name, secret, attributes)
}

function readCookie({ headers, baseUrl }: RequestContext): string | undefined {
  const { name } = cookieOf(baseUrl)
  const value = parse(headers.get('Cookie') ?? '', name)[name]
  return value !== undefined && SECRET.test(value) ? value : undefined
}

const SECRET = /^[A-Za-z0-9_-]{43}$/

/** Over http, which is for one's own machine, not every browser keeps a Secure cookie. */
function cookieOf(baseUrl: string): { name: string; secure: boolean } {
  const secure = baseUrl.startsWith('https:')
  return { name: secure ? BROWSER_COOKIE.secure : BROWSER_COOKIE.plain, secure }
}

/** Whoever does not know the cookie cannot know this, and whoever sees this cannot know the cookie. */
async function csrfToken(secret: string): Promise<string> {
  return await hashSecret(`csrf ${secret}`)
}
