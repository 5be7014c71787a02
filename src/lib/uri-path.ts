/** A percent-encoded unreserved character: a letter, a digit, `-`, `.`, `_` or `~` (RFC 3986, section 2.3). */
const ENCODED_UNRESERVED = /%(?:2[DE]|3\d|[46][1-9A-F]|5F|[57][\dA]|7E)/gi

/**
 * Decodes the unreserved characters of a path. The result is equivalent (RFC 3986, section 6.2.2.2). The router decodes
 * them too, so code that compares the path of a request with a text must compare this.
 *
 * @param path The path of a URL, or a part of it
 */
export function decodeUnreserved(path: string): string {
  return path.replace(ENCODED_UNRESERVED, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
}
