import { originOfBase } from '../domain/base-url.ts'
import { API_KEY_PREFIX } from '../domain/mask-credentials.ts'
import { ProblemError } from '../domain/problems.ts'
import { stateOfKeyOwner } from '../stores/account-states.ts'
import { noteKeyUse } from '../stores/api-keys.ts'
import { InvalidCredential } from './invalid-credential.ts'
import type { AuthContext, PendingCredential, Scheme } from './scheme.ts'
import { hashSecret } from './secrets.ts'

// An API key: `glx_`, 40 random hex digits, and the first 8 hex digits of their SHA-256. With this checksum, a mistyped
// key is detected without the database, and secret scanners can recognise a leaked key.
const PREFIX = API_KEY_PREFIX
const SECRET_BYTES = 20
const CHECKSUM_DIGITS = 8
const KEY_PATTERN = new RegExp(`^${PREFIX}([0-9a-f]{40})([0-9a-f]{8})$`)
/** Length of the preview, by which a user recognises a key: the prefix and six digits. */
const PREVIEW_LENGTH = PREFIX.length + 6
/** A use is recorded only if the last recorded use is at least this old, so that not every request is a write. */
const USE_PRECISION_MS = 60_000

/** The preview (its first characters) and the hash are stored, the key itself is not. */
export async function makeApiKey(): Promise<{ key: string; preview: string; hash: string }> {
  const secret = crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toHex()
  const key = PREFIX + secret + (await checksumOf(secret))
  return { key, preview: key.slice(0, PREVIEW_LENGTH), hash: await hashSecret(key) }
}

/** @throws InvalidCredential */
async function verifyApiKey(key: string, { services, session, now }: AuthContext): Promise<PendingCredential> {
  const [, secret = '', checksum] = KEY_PATTERN.exec(key) ?? []
  if (checksum === undefined || (await checksumOf(secret)) !== checksum) {
    throw new InvalidCredential('The API key is malformed. Send the whole key, as it was shown when it was created.')
  }
  return {
    query: stateOfKeyOwner(await hashSecret(key), now),
    async accept(account) {
      if (!account?.key) throw new InvalidCredential('The API key was revoked or has expired.')
      const { id, scopes, lastUsedAt } = account.key
      if (!lastUsedAt || now.getTime() - lastUsedAt.getTime() >= USE_PRECISION_MS) {
        services.defer(noteKeyUse(session, id, now))
      }
      return { account, scopes }
    },
  }
}

/** The checksum of a key: the first hex digits of the SHA-256 of its random part. */
async function checksumOf(secret: string): Promise<string> {
  return (await hashSecret(secret)).slice(0, CHECKSUM_DIGITS)
}

/**
 * A request without information about its origin counts as not sent by a browser.
 *
 * @see https://www.w3.org/TR/fetch-metadata/ for `Sec-Fetch-Site`; RFC 6454, section 7 for `Origin`
 */
function isFromOtherOrigin(headers: Headers, serviceOrigin: string): boolean {
  const site = headers.get('Sec-Fetch-Site')
  const origin = headers.get('Origin')
  // `none`: the user opened the URL, for example from a bookmark.
  if (site !== null && site !== 'same-origin' && site !== 'none') return true
  if (origin === null || origin === serviceOrigin) return false
  // Browsers send `null` for an HTML page without a referrer. Sec-Fetch-Site then says whether it is a page of this
  // service.
  return !(origin === 'null' && site === 'same-origin')
}

export const API_KEY_HEADER = 'X-API-Key'

export const apiKeyHeader: Scheme = {
  usage: `an API key in the header ${API_KEY_HEADER}`,

  locate: ({ headers }) => headers.get(API_KEY_HEADER) ?? undefined,

  verify: (key, context) => verifyApiKey(key, context),
}

export const API_KEY_PARAMETER = 'api_key'

export const apiKeyQuery: Scheme = {
  usage: `an API key in the query parameter ${API_KEY_PARAMETER}`,

  locate: ({ query }) => query.get(API_KEY_PARAMETER) ?? undefined,

  async verify(key, context, { query }) {
    // If there are two keys, a proxy in front of this service could read another key than this service.
    if (query.getAll(API_KEY_PARAMETER).length > 1)
      throw new InvalidCredential('The query contains more than one API key. Send exactly one.')
    return await verifyApiKey(key, context)
  },
}

export const API_KEY_COOKIE = 'api_key'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/**
 * A browser sends the cookie with requests from any HTML page. Therefore two kinds of requests are rejected if they
 * come from a page of another origin: requests that may change data, and requests that open a WebSocket, because the
 * page could read its messages.
 */
export const apiKeyCookie: Scheme = {
  usage: `an API key in the cookie ${API_KEY_COOKIE}`,

  locate: ({ cookies }) => cookies[API_KEY_COOKIE],

  async verify(key, context, { method, headers, opensSocket }) {
    const { query, accept: acceptKey } = await verifyApiKey(key, context)
    return {
      query,
      async accept(account) {
        const accepted = await acceptKey(account)
        const isHarmless = SAFE_METHODS.includes(method) && !opensSocket
        if (isHarmless || !isFromOtherOrigin(headers, originOfBase(context.baseUrl))) return accepted
        const detail = opensSocket
          ? 'Pages of other origins cannot open a WebSocket with an API key in a cookie. Send the key in the query instead.'
          : 'Pages of other origins cannot change data with an API key in a cookie. Send the key in a header instead.'
        throw new ProblemError('cross-site-request', detail)
      },
    }
  },
}
