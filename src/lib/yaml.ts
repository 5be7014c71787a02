import { escapeLineBreaks } from './text.ts'

/** Names that are written without quotes: words that no reader takes for another type (YAML 1.1 and 1.2). */
const PLAIN_NAME = /^(?!(?:true|false|yes|no|on|off|null|y|n)$)[A-Za-z$][\w$]*$/i

/**
 * Writes JSON as YAML in lines. Texts are in quotes, as JSON writes them. Numbers may be those of `JSON.rawJSON`; one with
 * an exponent gets a point, because readers of YAML 1.1 would take it for a text.
 */
export function writeYaml(value: unknown, indent = ''): string {
  const entries = entriesOf(value)
  const lines = entries.map(([name, member]) => {
    const start = indent + (name === undefined ? '-' : `${writeName(name)}:`)
    return entriesOf(member).length > 0
      ? `${start}\n${writeYaml(member, `${indent}  `)}`
      : `${start} ${writeScalar(member)}\n`
  })
  return lines.join('')
}

/** The items of a list, or the members of an object with their names. */
function entriesOf(value: unknown): (readonly [name: string | undefined, value: unknown])[] {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return []
  return Array.isArray(value) ? value.map((item) => [undefined, item] as const) : Object.entries(value)
}

const writeName = (name: string) => (PLAIN_NAME.test(name) ? name : escapeLineBreaks(JSON.stringify(name)))

/** A text, a number, a word, or an empty list or object. */
function writeScalar(value: unknown): string {
  return escapeLineBreaks(JSON.stringify(value)).replace(/^(-?\d+)e/, '$1.0e')
}
