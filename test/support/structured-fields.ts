/** An item of a list of strings (RFC 9651), with its parameters. */
export interface NamedItem {
  name: string
  parameters: Record<string, number>
}

const STRING = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"/
const PARAMETER = /^; *([a-z*][a-z0-9_.*-]*)=(-?\d{1,15})(?![\d.])/
const SEPARATOR = /^[ \t]*,[ \t]*/

/** Parses a list of strings with integers as parameters, strictly (RFC 9651, section 4.2). @throws Error */
export function parseNamedItems(field: string): NamedItem[] {
  let rest = field
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const match = pattern.exec(rest)
    if (match) rest = rest.slice(match[0].length)
    return match
  }
  const items: NamedItem[] = []
  do {
    const name = take(STRING)?.[1]
    if (name === undefined) throw new Error(`this is no string: ${rest}`)
    const parameters: Record<string, number> = {}
    for (let match = take(PARAMETER); match; match = take(PARAMETER)) parameters[match[1] ?? ''] = Number(match[2])
    items.push({ name, parameters })
  } while (take(SEPARATOR))
  if (rest !== '') throw new Error(`this does not belong in a list: ${rest}`)
  return items
}
