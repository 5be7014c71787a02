import { HTML, PAGE_POLICY } from '../../http/errors/pages.ts'
import { ALL_FORMATS, FORMATS } from '../../http/pipeline/formats.ts'
import { chooseFormat, contentTypeOf, prefersPage } from '../../http/pipeline/negotiation.ts'
import type { EchoMessage } from './message.ts'
import { renderEchoPage } from './page.ts'
import { writeEchoXml } from './xml.ts'

interface EchoFormat {
  mediaType: string
  /** What a browser may do with it. */
  policy: string
  /** @returns Undefined where the document would be too long */
  write(echo: EchoMessage): Promise<string> | string | undefined
}

/** Of data nothing may be done at all, even where a browser shows it. */
export const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; sandbox"

/** THE table of what an echo can be. The names are those that a path can end in. */
export const ECHO_FORMATS = {
  json: { mediaType: FORMATS.json.mediaType, policy: DATA_POLICY, write: (echo) => JSON.stringify(echo) },
  xml: { mediaType: FORMATS.xml.mediaType, policy: DATA_POLICY, write: writeEchoXml },
  html: { mediaType: `${HTML}; charset=utf-8`, policy: PAGE_POLICY, write: renderEchoPage },
} as const satisfies Record<string, EchoFormat>

export type EchoFormatName = keyof typeof ECHO_FORMATS

/** The format that the end of a path asks for; undefined where it asks for none. */
export function formatOfPath(path: string): EchoFormatName | undefined {
  if (path.endsWith('.json')) return 'json'
  if (path.endsWith('.xml')) return 'xml'
  return path.endsWith('.html') ? 'html' : undefined
}

/**
 * The format of an echo: what the path ends in says or, where that says nothing, `Accept`.
 *
 * @throws ProblemError 406
 */
export function chooseEchoFormat(path: string, headers: Headers): EchoFormat {
  const wanted = formatOfPath(path)
  if (wanted) return ECHO_FORMATS[wanted]
  if (prefersPage(headers)) return ECHO_FORMATS.html
  const name = chooseFormat(headers, ALL_FORMATS)
  return { ...ECHO_FORMATS[name], mediaType: contentTypeOf(name, headers) }
}
