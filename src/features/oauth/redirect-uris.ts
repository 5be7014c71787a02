import { definedEntries } from '../../lib/objects.ts'

// The addresses to which an authorization response may go.

// The first three patterns match a URI up to the end of its host and port. `(?=[/?]|$)` makes sure that the host ends
// there. `localhost` has a pattern of its own, because `isRegistered` ignores the port only for loopback addresses.
// Group 1 of `LOOPBACK` is everything before the port (`withoutPort`).
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::\d+)?(?=[/?]|$)/
const LOOPBACK_NAME = /^http:\/\/localhost(?::\d+)?(?=[/?]|$)/
const SECURE = /^https:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?(?=[/?]|$)/i
// A private-use scheme is a reversed domain name, so it contains a dot. Schemes that browsers handle contain none.
const PRIVATE_USE = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\/{0,3}[^/]/
// ASCII characters without spaces and control characters.
const VISIBLE = /^[\x21-\x7e]+$/

/**
 * Registry: the parameters of an authorization response, by the standards that define them. The service sends only some
 * of them, but a client may read all.
 */
const RESPONSE_PARAMETERS = [
  // RFC 6749, sections 4.1.2 and 4.2.2, with their errors
  'code',
  'state',
  'access_token',
  'token_type',
  'expires_in',
  'scope',
  'error',
  'error_description',
  'error_uri',
  // RFC 9207
  'iss',
  // OpenID Connect Core 1.0, section 3.2.2.5, and Session Management 1.0, section 2
  'id_token',
  'session_state',
  // JWT Secured Authorization Response Mode, section 2.3
  'response',
] as const

type ResponseParameter = (typeof RESPONSE_PARAMETERS)[number]

export type ResponseParameters = Readonly<Partial<Record<ResponseParameter, string | undefined>>>

/** The parameters of a response to a logout request (OpenID Connect RP-Initiated Logout 1.0, section 3). */
export const LOGOUT_RESPONSE_PARAMETERS: readonly ResponseParameter[] = ['state']

/**
 * Whether a client may register a redirect URI. It must use https, or http on the user's own machine (RFC 8252, section
 * 7.3), or a private-use scheme (section 7.1). A fragment is never allowed (RFC 6749, section 3.1.2).
 */
export function isRegistrable(uri: string): boolean {
  if (!VISIBLE.test(uri) || uri.includes('#') || !URL.canParse(uri)) return false
  return [LOOPBACK, LOOPBACK_NAME, SECURE, PRIVATE_USE].some((pattern) => pattern.test(uri))
}

/**
 * The first parameter in the query of a redirect URI that a client could take for one of the responses; undefined if
 * there is none. The client would get it twice, and could take the one of the URI for that of the response.
 *
 * @param names The parameters of the responses
 */
export function findResponseParameter(
  uri: string,
  names: readonly ResponseParameter[] = RESPONSE_PARAMETERS,
): ResponseParameter | undefined {
  // Older parsers of Ruby, Python and Perl also end a parameter at a semicolon.
  const parameters = new URLSearchParams(new URL(uri).search.replaceAll(';', '&'))
  const found = new Set([...parameters.keys()].map(readName))
  return names.find((name) => found.has(name))
}

/**
 * The name under which a client could find a parameter, in lower case. ASP.NET ignores the case. PHP leaves out spaces
 * before a name and everything from a NUL, makes `code[]` and `code[a]` members of `code`, and changes spaces, dots and
 * a `[` without a `]` into `_`. Ruby and Node read brackets like PHP, but `[code]` as `code`.
 */
function readName(name: string): string {
  const [text = ''] = name.trimStart().split('\0')
  const trimmed = text.replace(/^[[\]]+([^[\]]*).*$/, '$1')
  const base = /^[^[]+\[[^\]]*\]/.test(trimmed) ? trimmed.slice(0, trimmed.indexOf('[')) : trimmed
  return base.replaceAll(/[ .[]/g, '_').toLowerCase()
}

/**
 * Whether a client has registered a URI. URIs are compared character by character (RFC 9700, section 4.1.3),
 * except for the port of a loopback address, which a native app cannot know in advance (RFC 8252, section 7.3).
 */
export function isRegistered(uri: string, registeredUris: readonly string[]): boolean {
  if (!URL.canParse(uri)) return false
  return registeredUris.some(
    (registered) => registered === uri || (LOOPBACK.test(registered) && withoutPort(registered) === withoutPort(uri)),
  )
}

/** Removes the port of a loopback address. Other URIs stay unchanged. */
function withoutPort(uri: string): string {
  return uri.replace(LOOPBACK, '$1')
}

/**
 * Adds parameters to a URI and keeps its query unchanged (RFC 6749, section 3.1.2).
 *
 * @param part The part of the URI to which the parameters are added
 */
export function addParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
  part: 'query' | 'fragment',
): string {
  const text = new URLSearchParams(definedEntries(parameters)).toString()
  if (text === '') return uri
  if (part === 'fragment') return `${uri}#${text}`
  return `${uri}${uri.includes('?') ? '&' : '?'}${text}`
}

/**
 * The part of a redirect URI that a person can judge: scheme and host. A URI without a host, such as
 * com.example.app:/callback, gives only the scheme.
 */
export function destinationOf(uri: string): string {
  const { protocol, host } = new URL(uri)
  return host === '' ? protocol : `${protocol}//${host}`
}

/**
 * The CSP source that lets a form redirect to a URI. It goes into `form-action` in the policy of the page with the
 * form.
 */
export function policySource(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri)
  if (!/^https?:$/.test(protocol)) return protocol
  // A Content-Security-Policy cannot name an IPv6 address, so it allows the whole scheme.
  return hostname.startsWith('[') ? protocol : origin
}
