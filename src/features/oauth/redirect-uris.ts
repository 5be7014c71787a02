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
 * Whether a client may register a redirect URI. It must use https, or http on the user's own machine (RFC 8252, section
 * 7.3), or a private-use scheme (section 7.1). A fragment is never allowed (RFC 6749, section 3.1.2).
 */
export function isRegistrable(uri: string): boolean {
  if (!VISIBLE.test(uri) || uri.includes('#') || !URL.canParse(uri)) return false
  return [LOOPBACK, LOOPBACK_NAME, SECURE, PRIVATE_USE].some((pattern) => pattern.test(uri))
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

/** The CSP source that lets a form redirect to a URI. It goes into `form-action` in the policy of the page with the form. */
export function policySource(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri)
  if (!/^https?:$/.test(protocol)) return protocol
  // A Content-Security-Policy cannot name an IPv6 address, so it allows the whole scheme.
  return hostname.startsWith('[') ? protocol : origin
}
