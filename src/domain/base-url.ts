// The base URL of a world has no slash at its end. The base URL of the common world is an origin. The base URL of a
// universe may have a path. Some standards put metadata at the origin, which is then outside of this path.

// The groups: the origin, and the path if there is one.
const BASE_URL = /^(https?:\/\/[^/]+)(\/.*)?$/

/** The origin of a base URL, as browsers send it in `Origin`; an empty text if there is no base URL. */
export function originOfBase(baseUrl: string): string {
  return BASE_URL.exec(baseUrl)?.[1] ?? ''
}

/** The prefix of root-relative URLs in a world: the path of the base URL; an empty text if there is no path. */
export function basePathOf(baseUrl: string): string {
  return BASE_URL.exec(baseUrl)?.[2] ?? ''
}

/**
 * The URL of a metadata document about the world at a base URL. The document is at the origin, and the path of the base
 * URL comes last (RFC 8414, section 3.1; RFC 9728, section 3.1).
 */
export function wellKnownUrl(baseUrl: string, name: string): string {
  return `${originOfBase(baseUrl)}/.well-known/${name}${basePathOf(baseUrl)}`
}
