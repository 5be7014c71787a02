import { TEXT_POLICY } from '../../design/policies.ts'
import { HTML_TYPE } from '../../http/pages.ts'
import { ALL_FORMATS, FORMATS } from '../../http/pipeline/formats.ts'
import { chooseFormat, contentTypeOf, prefersPage } from '../../http/pipeline/negotiation.ts'
import type { EchoMessage, EchoWorld } from './message.ts'
import { renderEchoPage } from './page.tsx'
import { writeEchoXml } from './xml.ts'

interface EchoFormat {
  mediaType: string
  /** The Content-Security-Policy of the response. */
  policy: string
  /**
   * @param world Where the page is shown, if the format is a page
   * @returns Undefined if the document would be too long
   */
  write(echo: EchoMessage, world: EchoWorld): Promise<string> | string | undefined
}

/** The Content-Security-Policy of data. It forbids everything, in case a browser displays the data. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"

/** Registry: the formats of an echo. The names are the extensions that a path can have. */
export const ECHO_FORMATS = {
  json: { mediaType: FORMATS.json.mediaType, policy: DATA_POLICY, write: (echo) => JSON.stringify(echo) },
  xml: { mediaType: FORMATS.xml.mediaType, policy: DATA_POLICY, write: writeEchoXml },
  html: { mediaType: HTML_TYPE, policy: TEXT_POLICY, write: renderEchoPage },
} as const satisfies Record<string, EchoFormat>

type EchoFormatName = keyof typeof ECHO_FORMATS

/** The format that the extension of a path requests; undefined if it requests none. */
export function formatOfPath(path: string): EchoFormatName | undefined {
  if (path.endsWith('.json')) return 'json'
  if (path.endsWith('.xml')) return 'xml'
  return path.endsWith('.html') ? 'html' : undefined
}

/**
 * The format of an echo: from the extension of the path or, without one, from `Accept`.
 *
 * @throws ProblemError 406
 */
export function chooseEchoFormat(path: string, headers: Headers): EchoFormat {
  const requested = formatOfPath(path)
  if (requested) return ECHO_FORMATS[requested]
  if (prefersPage(headers)) return ECHO_FORMATS.html
  const name = chooseFormat(headers, ALL_FORMATS)
  return { ...ECHO_FORMATS[name], mediaType: contentTypeOf(name, headers) }
}
