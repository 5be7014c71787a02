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

/**
 * What `Host` may say: a name, an IPv4 address or an IPv6 address in brackets, and a port (RFC 9112, section 3.2, and
 * RFC 3986, section 3.2.2). The runtime puts the text between the scheme and the path before it parses the URL. So any
 * other text can move the host, the path or the query.
 */
export const HOST = /^(?:\[[\da-f.:]+\]|(?:[\w.-]|%[\da-f]{2})+)(?::\d*)?$/i

/** Whether the `Host` of a request is absent, as in requests that the service makes itself, or is a host. */
export function hasValidHost(headers: Headers): boolean {
  const host = headers.get('Host')
  return host === null || HOST.test(host)
}

/** The origin of a URL; undefined if its host is not valid or too long. */
export function originOf({ origin, hostname }: URL): string | undefined {
  return ORIGIN.test(origin) && hostname.replace(/\.$/, '').length <= HOST_MAX ? origin : undefined
}
