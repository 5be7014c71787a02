// Names, IPv4 and IPv6 addresses, and a port. The URL class accepts many more characters in a host.
const ORIGIN = /^https?:\/\/[\w.:[\]-]+$/

/**
 * Maximum length of a host name (RFC 1035, section 2.3.4: 255 octets on the wire). Longer URLs would not fit the
 * schemas of this service.
 */
export const HOST_MAX = 253

/** The origin of a URL; undefined if its host is not valid or too long. */
export function originOf({ origin, hostname }: URL): string | undefined {
  return ORIGIN.test(origin) && hostname.replace(/\.$/, '').length <= HOST_MAX ? origin : undefined
}
