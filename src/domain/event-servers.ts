import { basePathOf, originOfBase } from './base-url.ts'
import { atOrigin } from './example-origin.ts'

// A server of the AsyncAPI document has no URL, but its parts: the host, the path and the protocol. The stored document
// has placeholders for them. A text that begins with a brace is quoted in YAML as in JSON, so the placeholders are
// found in both.

export const HOST = '{host}'
export const PROTOCOL = '{protocol}'
export const BASE_PATH = '{basePath}'

const PLACES = /"(\{host\}|\{protocol\}|\{basePath\}([^"]*))"/g

/** Writes the URLs of the service into an AsyncAPI document, in JSON or in YAML. */
export function eventDocumentAt(text: string, baseUrl: string): string {
  const { protocol, host } = new URL(originOfBase(baseUrl))
  const values: Record<string, string> = { [HOST]: host, [PROTOCOL]: protocol === 'https:' ? 'wss' : 'ws' }
  const placed = text.replaceAll(PLACES, (_, place: string, rest: string | undefined) =>
    JSON.stringify(values[place] ?? basePathOf(baseUrl) + rest),
  )
  return atOrigin(placed, baseUrl)
}
