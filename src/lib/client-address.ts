const GROUPS = 8
/** A customer of a provider has at least all of a /64 (RFC 6177): its addresses are one client. */
const NETWORK_GROUPS = 4

/**
 * The part of a client's address that its user cannot change at will: an IPv4 address whole, of an IPv6 address the /64.
 * What is no address stays as it is.
 */
export function clientNetwork(address: string): string {
  const url = URL.parse(`http://[${address}]`)
  if (!url) return address
  const groups = expand(url.hostname.slice(1, -1))
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff'
  return isMapped ? toIPv4(groups.slice(6)) : `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`
}

/**
 * The network of a client whose `clientNetwork` is given: the /24 of an IPv4 address, the /48 of an IPv6 address (the most
 * that one site is usually given, RFC 6177). Of a client it tells less than its address, so it may be stored. What is no
 * address stays as it is.
 */
export function widerNetwork(address: string): string {
  const [, ipv4] = /^(\d+\.\d+\.\d+)\.\d+$/.exec(address) ?? []
  if (ipv4) return `${ipv4}.0/24`
  const [, ipv6] = /^((?:[0-9a-f]+:){2}[0-9a-f]+):[0-9a-f]+::\/64$/.exec(address) ?? []
  return ipv6 ? `${ipv6}::/48` : address
}

/** The eight groups of an IPv6 address as the URL parser writes it, with `::` for the longest run of zeros. */
function expand(address: string): string[] {
  const [before = '', after] = address.split('::')
  const left = before.split(':').filter(Boolean)
  if (after === undefined) return left
  const right = after.split(':').filter(Boolean)
  return [...left, ...Array<string>(GROUPS - left.length - right.length).fill('0'), ...right]
}

/** The IPv4 address that the last two groups of an IPv4-mapped address are (RFC 4291, section 2.5.5.2). */
function toIPv4(groups: readonly string[]): string {
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]).join('.')
}
