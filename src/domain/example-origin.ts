const HOST = 'galaxy.test'

/** The origin of the service in examples. Before an example is sent, `atOrigin` replaces it with the real origin. */
export const EXAMPLE_ORIGIN = `https://${HOST}`

// A server URL in OpenAPI can begin with the placeholder `{protocol}`. It is kept, so only the host is replaced there.
const EXAMPLE_ORIGINS = new RegExp(`(https|\\{protocol\\})://${HOST.replaceAll('.', '\\.')}`, 'g')

/** Replaces the example origin in a text with the origin of `baseUrl`. */
export function atOrigin(text: string, baseUrl: string): string {
  const { host } = new URL(baseUrl)
  return text.replaceAll(EXAMPLE_ORIGINS, (_, scheme) => (scheme === 'https' ? baseUrl : `${scheme}://${host}`))
}
