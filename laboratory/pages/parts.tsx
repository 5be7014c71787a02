import type { CatalogueEntry } from '../documents/catalogue.ts'

// What several pages of the laboratory show.

/** A text, in which code stands between backticks. */
export function Title({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 0 ? part : <code>{part}</code>))}</>
}

/** Longer values, which are bytes, are cut. The catalogue has them whole. */
const VALUE_MAX = 160

/** The values to send, one on each line, with their places. */
export function valuesIn({ parameters, body }: CatalogueEntry['input']): string[] {
  const lines = Object.entries(parameters).flatMap(([place, values]) =>
    Object.entries(values).map(([name, value]) => `${place}: ${name} = ${JSON.stringify(value)}`),
  )
  const all = body ? [...lines, `${body.mediaType}: ${JSON.stringify(body.value)}`] : lines
  return all.map(shorten)
}

export const shorten = (line: string) => (line.length > VALUE_MAX ? `${line.slice(0, VALUE_MAX)}…` : line)

/** The name of a section of a specification, from its URL: `RFC 9110, section 12.5.1`. */
export function nameSection(url: string): string {
  const [, rfc, section] = /rfc(\d+)\.html#section-(.*)$/.exec(url) ?? []
  if (rfc !== undefined) return `RFC ${rfc}, section ${section}`
  const [, version = '3.1.2'] = /\/oas\/v([\d.]+)\.html/.exec(url) ?? []
  // Anchors that are there twice end in a number.
  return `OpenAPI ${version}, ${url.split('#')[1]?.replace(/-\d+$/, '').replaceAll('-', ' ')}`
}
