import { WithCode } from '../../src/design/with-code.tsx'
import type { CatalogueEntry } from '../documents/catalogue.ts'
import { nameSection, RULE_LEADS, type Rule } from '../rule.ts'

// What several pages of the laboratory show.

/** Longer values, which are bytes, are cut. The catalogue has them whole. */
const VALUE_MAX = 160

/** The values to send, one on each line, with their places. */
export function valuesIn({ parameters, body }: CatalogueEntry['input']): string[] {
  const lines = Object.entries(parameters).flatMap(([place, values]) =>
    Object.entries(values).map(([name, value]) => `${place}: ${name} = ${JSON.stringify(value)}`),
  )
  const all = body ? [...lines, `${body.mediaType}: ${JSON.stringify(body.value)}`] : lines
  return all.map((line) => shorten(line))
}

export const shorten = (line: string, max = VALUE_MAX) => (line.length > max ? `${line.slice(0, max)}…` : line)

/** What decides a verdict. browser/lab/verdict.tsx shows the same. */
export function Decision({ rule: { url, text, kind } }: { rule: Rule }) {
  const words = <WithCode text={text} />
  return (
    <>
      <a href={url}>{nameSection(url)}</a>: {RULE_LEADS[kind]}
      {kind === 'quote' ? <q>{words}</q> : words}
    </>
  )
}
