import ipaddr from 'ipaddr.js'

// Compares the hosts and ports of URLs. The URL parser has already normalised how they are written.

const WEB_PORTS = ['', '80', '443']

/** Hosts that lead to the machine itself, including the usual names in hosts files. */
const LOOPBACK =
  /^(?:127\.[\d.]+|0\.0\.0\.0|::1?|(?:.+\.)?localhost|localhost[46]?(?:\.localdomain[46]?)?|ip6-(?:localhost|loopback))$/

/** The host as the URL parser writes it, without the brackets of IPv6 and the final dot of an absolute name. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$|\.$/g, '')
}

/** Compares ports. The ports 80 and 443 count as the same, because a server usually listens on both. */
export function hasSamePort(url: URL, other: URL): boolean {
  return url.port === other.port || (WEB_PORTS.includes(url.port) && WEB_PORTS.includes(other.port))
}

/**
 * Whether the service may respond on the port of a URL. A service on a web port may respond on any port, because
 * Cloudflare's edge listens on a dozen ports. This does not apply to a local machine.
 */
export function mayBeServicePort(url: URL, ownUrl: URL): boolean {
  return hasSamePort(url, ownUrl) || (WEB_PORTS.includes(ownUrl.port) && !LOOPBACK.test(hostOf(ownUrl)))
}

/** Compares hosts. All names and addresses of the local machine count as the same. */
export function isSameMachine(url: URL, ownUrl: URL): boolean {
  const [host, ownHost] = [unmapIpv4(hostOf(url)), unmapIpv4(hostOf(ownUrl))]
  return host === ownHost || (LOOPBACK.test(host) && LOOPBACK.test(ownHost))
}

/** The IPv4 address in an IPv4-mapped address (RFC 4291, section 2.5.5.2). Any other host is returned unchanged. */
function unmapIpv4(host: string): string {
  return host.startsWith('::ffff:') ? ipaddr.process(host).toString() : host
}
