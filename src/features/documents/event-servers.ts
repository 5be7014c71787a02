import { basePathOf, originOfBase } from '../../domain/base-url.ts'
import { atOrigin } from '../../domain/example-origin.ts'

// A server of the AsyncAPI document has a host, a path and a protocol instead of a URL. The stored document has
// placeholders for these. YAML quotes a text that begins with a brace, as JSON does, so the same pattern finds the
// placeholders in both.

export const HOST = '{host}'
/** The placeholder for the protocol, `ws` or `wss`. */
export const PROTOCOL = '{protocol}'
/** The placeholder for the path of the base URL. A further path can follow. */
export const BASE_PATH = '{basePath}'

// A quoted placeholder. The second group is the further path after `{basePath}`; undefined for other placeholders.
const PLACEHOLDERS = /"(\{host\}|\{protocol\}|\{basePath\}([^"]*))"/g

/** Writes the URLs of the service into an AsyncAPI document, in JSON or in YAML. */
export function eventDocumentAt(text: string, baseUrl: string): string {
  const { protocol, host } = new URL(originOfBase(baseUrl))
  const values: Record<string, string> = { [HOST]: host, [PROTOCOL]: protocol === 'https:' ? 'wss' : 'ws' }
  const withServers = text.replaceAll(PLACEHOLDERS, (_, placeholder: string, furtherPath: string | undefined) =>
    JSON.stringify(furtherPath === undefined ? values[placeholder] : basePathOf(baseUrl) + furtherPath),
  )
  return atOrigin(withServers, baseUrl)
}
