const HOST = 'galaxy.test'

/** Where examples say that the service is. Whoever sends one puts the service's own origin in its place. */
export const EXAMPLE_ORIGIN = `https://${HOST}`

// Of the placeholder `{protocol}` (OpenAPI's, in the URL of a server) the host alone is replaced.
const PLACES = new RegExp(`(https|\\{protocol\\})://${HOST.replaceAll('.', '\\.')}`, 'g')

/** A text with examples, as the service at an origin would give them. */
export function atOrigin(text: string, baseUrl: string): string {
  const { host } = new URL(baseUrl)
  return text.replaceAll(PLACES, (_, scheme) => (scheme === 'https' ? baseUrl : `${scheme}://${host}`))
}
