import ipaddr from 'ipaddr.js'
import { getDomain } from 'tldts'
import { isInInbox, ownPathOf } from './url-guard.ts'

// Calls are limited for each machine, not for each name of it. What a URL tells of the machine is its host, so the parts
// of a host that cost nothing to vary do not count: subdomains, ports, and the last 64 bits of an IPv6 address.

/** The host of a call that does not leave the service. Such calls are not limited. */
export const INSIDE = ''

/** A suffix under which anyone may register a name is a boundary too: each name at github.io has another owner. */
const DOMAIN_OPTIONS = { allowPrivateDomains: true, extractHostname: false, validateHostname: false, detectIp: false }
const HEXTETS_OF_64 = 4

/**
 * The host to which a call of a URL counts: the registrable domain of a name (by the public suffix list), an IPv4 address,
 * or the /64 network of an IPv6 address.
 *
 * @param url Absolute, http or https
 * @param origin Origin of the service as the one saw it who gave the URL
 * @returns `INSIDE` for the inboxes of this service
 */
export function targetHostOf(url: string, origin: string): string {
  if (isInInbox(ownPathOf(url, [origin]) ?? '')) return INSIDE
  const host = new URL(url).hostname.replace(/^\[|\]$|\.$/g, '')
  if (host.includes(':')) return networkOf(host)
  if (/^[\d.]+$/.test(host)) return host
  return getDomain(host, DOMAIN_OPTIONS) ?? host
}

function networkOf(address: string): string {
  const hextets = ipaddr.IPv6.parse(address).parts.slice(0, HEXTETS_OF_64)
  return `${hextets.map((hextet) => hextet.toString(16)).join(':')}::/64`
}

/**
 * A URL in the one form in which two that lead to the same resource are equal: as the URL parser writes it, without the
 * dot that ends an absolute name and without the fragment, which is not sent. Nothing is percent-encoded that need not be
 * (RFC 3986, section 6.2.2). An empty query stays: it is another resource than none (section 6.2.3).
 */
export function canonicalUrl(text: string): string {
  const url = new URL(text)
  url.hash = ''
  url.hostname = url.hostname.replace(/\.$/, '')
  return url.href.replaceAll(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
    return UNRESERVED.test(character) ? character : encoded.toUpperCase()
  })
}

/** RFC 3986, section 2.3. */
const UNRESERVED = /[a-z0-9._~-]/i

/** A call that has to wait for its turn, because its host gets as many calls as it may. */
export class MustWait extends Error {
  override readonly name = 'MustWait'
  readonly host: string

  constructor(host: string) {
    super(`${host} has reached its limit of calls`)
    this.host = host
  }
}
