const GROUPS = 8
/** A customer of an internet provider gets at least a /64 (RFC 6177), so all addresses in it count as one client. */
const NETWORK_GROUPS = 4

/**
 * The part of a client's address that the client cannot easily change: the whole IPv4 address, or the /64 of an IPv6
 * address. A text that is not an address is returned unchanged.
 */
export function clientNetwork(address: string): string {
  // Between brackets, the URL parser accepts nothing but an IPv6 address, which it normalises.
  const url = URL.parse(`http://[${address}]`)
  if (!url) return address
  const groups = groupsOf(url.hostname.slice(1, -1))
  const isMappedIPv4 = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff'
  return isMappedIPv4 ? toIPv4(groups.slice(6)) : `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`
}

/**
 * The wider network of a client: the /24 of an IPv4 address, or the /48 of an IPv6 address (usually the largest network
 * of one site, RFC 6177). It reveals less about the client than its address, so it may be stored. A text that is not an
 * address is returned unchanged.
 *
 * @param address A result of `clientNetwork`
 */
export function widerNetwork(address: string): string {
  const [, ipv4] = /^(\d+\.\d+\.\d+)\.\d+$/.exec(address) ?? []
  if (ipv4) return `${ipv4}.0/24`
  const [, ipv6] = /^((?:[0-9a-f]+:){2}[0-9a-f]+):[0-9a-f]+::\/64$/.exec(address) ?? []
  return ipv6 ? `${ipv6}::/48` : address
}

/** The eight groups of an IPv6 address as the URL parser writes it, with `::` for the longest run of zeros. */
function groupsOf(address: string): string[] {
  const [before = '', after] = address.split('::')
  const firstGroups = before.split(':').filter(Boolean)
  if (after === undefined) return firstGroups
  const lastGroups = after.split(':').filter(Boolean)
  const zeros = Array<string>(GROUPS - firstGroups.length - lastGroups.length).fill('0')
  return [...firstGroups, ...zeros, ...lastGroups]
}

/** The IPv4 address in the last two groups of an IPv4-mapped address (RFC 4291, section 2.5.5.2). */
function toIPv4(lastGroups: readonly string[]): string {
  const values = lastGroups.map((group) => Number.parseInt(group, 16))
  // Each group has two bytes.
  return values.flatMap((value) => [value >> 8, value & 255]).join('.')
}
