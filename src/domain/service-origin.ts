/**
 * The origins of this service. The host is a name, an IPv4 address or an IPv6 address, and can have a port. The URL
 * class accepts many more characters.
 */
export const ORIGIN = /^https?:\/\/[\w.:[\]-]+$/

/**
 * Maximum length of a host name in characters (RFC 1035, section 2.3.4: 255 octets on the wire, two more than in the
 * text). Longer URLs would not fit the schemas of this service.
 */
export const HOST_MAX = 253

/** The origin of a URL; undefined if its host is not valid or too long. */
export function originOf({ origin, hostname }: URL): string | undefined {
  return ORIGIN.test(origin) && hostname.replace(/\.$/, '').length <= HOST_MAX ? origin : undefined
}
