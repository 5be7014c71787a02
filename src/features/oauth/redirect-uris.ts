import { definedEntries } from '../../lib/objects.ts'

// Where an authorization response may go.

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\])(:\d+)?(?=[/?]|$)/
const LOOPBACK_NAME = /^http:\/\/localhost(?::\d+)?(?=[/?]|$)/
const SECURE = /^https:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?(?=[/?]|$)/i
// A scheme of its own has a dot, because it is a domain the other way round: so it is none of the browser's.
const PRIVATE_USE = /^[a-z][a-z0-9+-]*(?:\.[a-z0-9+-]+)+:\/{0,3}[^/]/
const VISIBLE = /^[\x21-\x7e]+$/

/**
 * Tells whether a client may register a redirect URI: https; http on the user's own machine (RFC 8252, section 7.3); or a
 * scheme of its own (section 7.1). Never with a fragment (RFC 6749, section 3.1.2).
 */
export function isRegistrable(uri: string): boolean {
  if (!VISIBLE.test(uri) || uri.includes('#') || !URL.canParse(uri)) return false
  return [LOOPBACK, LOOPBACK_NAME, SECURE, PRIVATE_USE].some((form) => form.test(uri))
}

/**
 * Finds a URI among those that were registered: character by character (RFC 9700, section 4.1.3), but for the port of a
 * loopback address, which a native app cannot know beforehand (RFC 8252, section 7.3).
 */
export function isRegistered(uri: string, registered: readonly string[]): boolean {
  if (!URL.canParse(uri)) return false
  return registered.some((known) => known === uri || (LOOPBACK.test(known) && withoutPort(known) === withoutPort(uri)))
}

function withoutPort(uri: string): string {
  return uri.replace(LOOPBACK, (origin, port: string | undefined) =>
    origin.slice(0, origin.length - (port?.length ?? 0)),
  )
}

/** Adds parameters and leaves what is there as it is (RFC 6749, section 3.1.2). */
export function addParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
  place: 'query' | 'fragment',
): string {
  const text = new URLSearchParams(definedEntries(parameters)).toString()
  if (text === '') return uri
  if (place === 'fragment') return `${uri}#${text}`
  return `${uri}${uri.includes('?') ? '&' : '?'}${text}`
}

/** Where a redirect leads, as far as a person can judge it: scheme and host. */
export function destinationOf(uri: string): string {
  const { protocol, host } = new URL(uri)
  return host === '' ? protocol : `${protocol}//${host}`
}

/** What a policy of content security has to name for a form to be answered with a redirect there. */
export function policySource(uri: string): string {
  const { protocol, origin, hostname } = new URL(uri)
  if (!/^https?:$/.test(protocol)) return protocol
  // It has no words for IPv6 addresses.
  return hostname.startsWith('[') ? protocol : origin
}
