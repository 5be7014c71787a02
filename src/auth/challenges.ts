import { wellKnownUrl } from '../domain/base-url.ts'
import { definedEntries } from '../lib/objects.ts'

// Challenges of `WWW-Authenticate` (RFC 9110, section 11.6.1).

const REALM = 'realm="Galaxy"'

/** Why a token was rejected (RFC 6750, section 3). An empty object if the request had no token. */
interface BearerFault {
  error?: 'invalid_token' | 'insufficient_scope'
  /** A text of this service, without double quotes. */
  description?: string
  scope?: string
}

/**
 * A challenge for a token (RFC 6750, section 3), with a link to the metadata of the service (RFC 9728, section 5.1).
 */
export function bearerChallenge(baseUrl: string, { error, description, scope }: BearerFault = {}): string {
  const parameters = {
    resource_metadata: wellKnownUrl(baseUrl, 'oauth-protected-resource'),
    error,
    error_description: description,
    scope,
  }
  const presentParameters = definedEntries(parameters)
  return `Bearer ${[REALM, ...presentParameters.map(([name, value]) => `${name}="${value}"`)].join(', ')}`
}

/** A challenge for a user name and a password (RFC 7617). It may make a browser open a dialog. */
export function basicChallenge(): string {
  return `Basic ${REALM}, charset="UTF-8"`
}

/**
 * Whether the response to a request may contain a Basic challenge. Requests from browsers have `Sec-Fetch-Mode` (Fetch
 * Metadata Request Headers). They get no Basic challenge, because the browser would open a dialog. Other clients may
 * need the challenge before they send a password.
 */
export function mayHaveBasicChallenge(headers: Headers): boolean {
  return !headers.has('Sec-Fetch-Mode')
}
