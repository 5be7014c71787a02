const HOST = 'galaxy.test'

/** The origin of the service in examples. Before an example is sent, `atOrigin` replaces it with the real origin. */
export const EXAMPLE_ORIGIN = `https://${HOST}`

// After the placeholder `{protocol}` of a server URL in OpenAPI, only the host is replaced.
const PLACES = new RegExp(`(https|\\{protocol\\})://${HOST.replaceAll('.', '\\.')}`, 'g')

/** Replaces the origin in a text with examples. */
export function atOrigin(text: string, baseUrl: string): string {
  const { host } = new URL(baseUrl)
  return text.replaceAll(PLACES, (_, scheme) => (scheme === 'https' ? baseUrl : `${scheme}://${host}`))
}
