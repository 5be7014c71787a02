import { definedEntries } from '../lib/objects.ts'

// Challenges of `WWW-Authenticate` (RFC 9110, section 11.6.1).

const REALM = 'realm="Galaxy"'

interface BearerFault {
  error?: 'invalid_token' | 'insufficient_scope'
  /** In our own words, which have no quotes. */
  description?: string
  scope?: string
}

/** Asks for a token (RFC 6750, section 3), and says where to get one (RFC 9728, section 5.1). */
export function bearerChallenge(baseUrl: string, { error, description, scope }: BearerFault = {}): string {
  const parameters = {
    resource_metadata: `${baseUrl}/.well-known/oauth-protected-resource`,
    error,
    error_description: description,
    scope,
  }
  const given = definedEntries(parameters)
  return `Bearer ${[REALM, ...given.map(([name, value]) => `${name}="${value}"`)].join(', ')}`
}

/** Asks for a user name and a password (RFC 7617). A browser that gets it may open a dialog. */
export function basicChallenge(): string {
  return `Basic ${REALM}, charset="UTF-8"`
}

/**
 * Tells whether a request may be answered with a Basic challenge: not if a browser sends it, which says so in
 * `Sec-Fetch-Mode` (Fetch Metadata Request Headers) and would open a dialog. Other clients may wait for one before they
 * send a password.
 */
export function takesBasicChallenge(headers: Headers): boolean {
  return !headers.has('Sec-Fetch-Mode')
}
