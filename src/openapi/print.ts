/** Characters of a line. What is longer is broken, unless it cannot be. */
const WIDTH = 120
const INDENT = '  '

/**
 * Writes a document as JSON, for readers and for comparisons by lines: what fits into a line is one line, and so is every
 * map of references, however long, such as the headers of a response.
 */
export function printJson(document: object): string {
  return `${print(document, '', 0)}\n`
}

/**
 * @param indent Of the line in which the value begins
 * @param taken Characters of this line that are not of the value
 */
function print(value: unknown, indent: string, taken: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = indent + INDENT
  const members = Array.isArray(value)
    ? value.map((item) => print(item, inner, inner.length + 1))
    : membersOf(value).map(([name, member]) => {
        const key = `${JSON.stringify(name)}: `
        return key + print(member, inner, inner.length + key.length + 1)
      })
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const line = open + members.join(', ') + close
  const fits = taken + line.length <= WIDTH && !line.includes('\n')
  if (fits || isMapOfReferences(value)) return line
  return `${open}\n${members.map((member) => inner + member).join(',\n')}\n${indent}${close}`
}

function isMapOfReferences(value: object): boolean {
  const members = Array.isArray(value) ? [] : Object.values(value)
  return members.length > 0 && members.every((member) => typeof Object(member).$ref === 'string')
}

/** As in JSON, an undefined member is none. */
function membersOf(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, member]) => member !== undefined)
}
