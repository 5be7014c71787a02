import { definedEntries } from '../lib/defined-entries.ts'

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

/** Asks for e-mail and password (RFC 7617). Only in answer to Basic: a browser would open a dialog. */
export function basicChallenge(): string {
  return `Basic ${REALM}, charset="UTF-8"`
}
