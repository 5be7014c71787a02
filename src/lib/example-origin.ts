const HOST = 'galaxy.test'

/** Where examples say that the service is. Whoever sends one puts the service's own origin in its place. */
export const EXAMPLE_ORIGIN = `https://${HOST}`

/** A text with examples, as the service at an origin would give them. */
export function atOrigin(text: string, baseUrl: string): string {
  return text.replaceAll(EXAMPLE_ORIGIN, baseUrl).replaceAll(`://${HOST}`, `://${new URL(baseUrl).host}`)
}
