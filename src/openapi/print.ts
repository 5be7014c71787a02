import { refer } from './references.ts'
import type { Reference } from './types.ts'

/** Characters of a line. What is longer is broken, unless it cannot be. */
const WIDTH = 140
const INDENT = '  '

const HEADERS = refer('headers', '').$ref

/**
 * Writes a document as JSON, for readers and for comparisons by lines: what fits into a line is one line, and so are the
 * references to the headers of a response, however many.
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
    : printMembers(value, inner)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const length = members.reduce((sum, member) => sum + member.length + 2, 0)
  // A member that was broken is longer than a line.
  if (length === 0 || taken + length <= WIDTH || isMapOfHeaders(value)) return open + members.join(', ') + close
  return `${open}\n${inner}${members.join(`,\n${inner}`)}\n${indent}${close}`
}

/** Headers of a response, which are much the same everywhere. */
function isMapOfHeaders(value: object): boolean {
  const members: unknown[] = Object.values(value)
  return members.length > 0 && members.every((member) => isReference(member) && member.$ref.startsWith(HEADERS))
}

function isReference(value: unknown): value is Reference {
  return typeof value === 'object' && value !== null && '$ref' in value && typeof value.$ref === 'string'
}

/** As in JSON, an undefined member is none. */
function printMembers(value: object, indent: string): string[] {
  const members: string[] = []
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    const key = `${JSON.stringify(name)}: `
    members.push(key + print(member, indent, indent.length + key.length + 1))
  }
  return members
}
