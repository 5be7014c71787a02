import { decodeBasic } from '../../auth/authorization-header.ts'
import { type JsonValue, parseExactJson } from '../../lib/json.ts'
import { decodeUtf8 } from '../../lib/text.ts'

type Members = Record<string, JsonValue>

/** The scheme, and the token after it, if there is one. */
const AUTHORIZATION = /^(Basic|Bearer)(?: +(.*))?$/is

/**
 * Decodes `Authorization`. The credentials are neither verified nor used. `type`, `token` and `value` have the same
 * form as in the echo server `@scalar/void-server`.
 *
 * @returns Undefined if the scheme is neither Basic nor Bearer
 */
export function readAuthentication(header: string): Members | undefined {
  const [, scheme = '', token = ''] = AUTHORIZATION.exec(header) ?? []
  if (scheme === '') return undefined
  const isBasic = scheme.toLowerCase() === 'basic'
  return isBasic
    ? { type: 'http.basic', scheme: 'basic', token, ...describeBasic(token) }
    : { type: 'http.bearer', scheme: 'bearer', token, ...describeJwt(token) }
}

/** The members for the user and the password; none if the token is not valid. */
function describeBasic(token: string): Members {
  const credentials = decodeBasic(token)
  if (!credentials) return {}
  const { userId, password } = credentials
  return { value: `${userId}:${password}`, username: userId, password }
}

/** The member `jwt` for a JSON Web Token (RFC 7519), signed or not; no member for any other token. */
function describeJwt(token: string): Members {
  const parts = token.split('.')
  const [header, payload] = parts.slice(0, 2).map(decodePart)
  return parts.length === JWT_PARTS && header && payload ? { jwt: { header, payload } } : {}
}

/** Header, payload and signature. The signature of an unsigned token is empty. */
const JWT_PARTS = 3

/** The JSON object that a part of a token encodes; undefined if the part encodes anything else. */
function decodePart(part: string): JsonValue | undefined {
  try {
    const text = decodeUtf8(Uint8Array.fromBase64(part, { alphabet: 'base64url' }))
    const value = text === undefined ? undefined : parseExactJson(text)
    // `parseExactJson` represents a number that JavaScript would change as an object, which `isRawJSON` recognises.
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
    return isObject ? value : undefined
  } catch {
    return undefined
  }
}
