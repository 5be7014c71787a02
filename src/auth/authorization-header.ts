import { decodeUtf8 } from '../lib/text.ts'
import { peekJwt } from './tokens.ts'

/** The credential in an Authorization header. It is not verified yet: its kind only determines how to verify it. */
export interface AuthorizationHeader {
  kind: 'basic' | 'userToken' | 'accessToken' | 'openIdAccessToken' | 'foreignToken'
  /** The part after the name of the scheme. */
  credential: string
}

/**
 * @param isForeign Returns whether an issuer is external. The tokens of an external issuer are verified with its own
 * keys
 * @returns Undefined if there is no such header, or if its scheme is neither Basic nor Bearer
 */
export function readAuthorization(
  headers: Headers,
  isForeign: (issuer: string) => boolean,
): AuthorizationHeader | undefined {
  const basic = readBasicHeader(headers)
  if (basic !== undefined) return { kind: 'basic', credential: basic }
  const token = readCredential(headers, /^Bearer(?: +(.*))?$/i)
  if (token === undefined) return undefined
  return { kind: kindOfToken(token, isForeign), credential: token }
}

/**
 * The kind that a Bearer token (RFC 6750, section 2.1) claims to be. A token that is not a JWT counts as a user token.
 */
function kindOfToken(token: string, isForeign: (issuer: string) => boolean): AuthorizationHeader['kind'] {
  const { issuer, type, scope } = peekJwt(token)
  if (issuer !== undefined && isForeign(issuer)) return 'foreignToken'
  if (type !== ACCESS_TOKEN_TYPE) return 'userToken'
  return scope?.split(' ').includes('openid') ? 'openIdAccessToken' : 'accessToken'
}

/** The type of OAuth access tokens (RFC 9068, section 2.1). */
export const ACCESS_TOKEN_TYPE = 'at+jwt'

/** The encoded credential in `Authorization: Basic`; undefined if there is no such header. */
export function readBasicHeader(headers: Headers): string | undefined {
  return readCredential(headers, /^Basic(?: +(.*))?$/i)
}

/**
 * @param scheme Its group is the part after the name of the scheme
 * @returns Undefined if the header has another scheme
 */
function readCredential(headers: Headers, scheme: RegExp): string | undefined {
  const match = scheme.exec(headers.get('Authorization') ?? '')
  return match ? (match[1] ?? '') : undefined
}

/**
 * Decodes the credential of `Authorization: Basic`: base64 of UTF-8, with the user id before the first colon and the
 * password after it (RFC 7617, section 2).
 *
 * @returns Undefined if it cannot be decoded
 */
export function decodeBasic(credential: string): { userId: string; password: string } | undefined {
  try {
    const text = decodeUtf8(Uint8Array.fromBase64(credential))
    const [, userId, password] = /^([^:]*):(.*)$/s.exec(text ?? '') ?? []
    return userId === undefined || password === undefined ? undefined : { userId, password }
  } catch {
    return undefined
  }
}
