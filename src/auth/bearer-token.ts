import { peekJwt } from './peek-jwt.ts'
import type { AuthContext, Credentials } from './scheme.ts'

/** The three schemes that share `Authorization: Bearer`, told apart by what the token says of itself. */
type BearerScheme = 'bearerAuth' | 'oAuth2' | 'openIdConnect'

/**
 * The token in the Authorization header (RFC 6750, section 2.1), if it is one of a scheme's. Nothing of it is proved.
 * Whatever is no token of another scheme is for bearerAuth to refuse.
 */
export function locateBearerToken(
  { headers }: Credentials,
  { baseUrl, services }: AuthContext,
  scheme: BearerScheme,
): string | undefined {
  const match = /^Bearer(?: +(.*))?$/i.exec(headers.get('Authorization') ?? '')
  if (!match) return undefined
  const token = match[1] ?? ''
  const { issuer, type, scope } = peekJwt(token)
  if (issuer !== undefined && issuer !== baseUrl && services.foreignIssuers.knows(issuer)) {
    return scheme === 'openIdConnect' ? token : undefined
  }
  if (type !== ACCESS_TOKEN_TYPE) return scheme === 'bearerAuth' ? token : undefined
  // One with openid is a token of both: /me takes it as one of OAuth, by its scope read:account.
  const isOpenId = scope?.split(' ').includes('openid') ?? false
  return scheme === 'oAuth2' || (scheme === 'openIdConnect' && isOpenId) ? token : undefined
}

/** The type of OAuth access tokens (RFC 9068, section 2.1). */
export const ACCESS_TOKEN_TYPE = 'at+jwt'
