// The base URL of a world has no slash at its end. That of the common world is an origin. That of a universe may have a
// path. Then it is not an origin, and metadata that standards put at the origin is not below it.

const BASE_URL = /^(https?:\/\/[^/]+)(\/.*)?$/

/** The origin of a base URL, as browsers send it in `Origin`; an empty text if there is no base URL. */
export function originOfBase(baseUrl: string): string {
  return BASE_URL.exec(baseUrl)?.[1] ?? ''
}

/** The prefix of root-relative URLs in a world: the path of its base URL; an empty text if it has none. */
export function basePathOf(baseUrl: string): string {
  return BASE_URL.exec(baseUrl)?.[2] ?? ''
}

/**
 * The URL of a metadata document about a base URL. It is at the origin, and the path of the base URL comes last (RFC
 * 8414, section 3.1; RFC 9728, section 3.1).
 */
export function wellKnownUrl(baseUrl: string, name: string): string {
  return `${originOfBase(baseUrl)}/.well-known/${name}${basePathOf(baseUrl)}`
}
