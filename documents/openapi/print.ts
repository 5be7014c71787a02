import { refer } from './references.ts'
import type { Reference } from './types.ts'

/** Maximum line length in characters. Longer lines are broken if possible. */
const WIDTH = 140
const INDENT = '  '
/** Between members on one line. */
const SEPARATOR = ', '
/** A member on a line of its own is followed by a comma, except the last one. */
const COMMA_LENGTH = 1

const HEADER_REFERENCE = refer('headers', '').$ref

/**
 * Writes a document as JSON that is easy to read and to compare by lines. A value that fits on a line is written on one
 * line. The references to the headers of a response are always written on one line, even if the line is very long.
 */
export function printJson(document: object): string {
  return `${print(document, '', 0)}\n`
}

/**
 * Writes a value that begins in the middle of a line.
 *
 * @param indent Indentation of the line in which the value begins
 * @param taken Number of characters on this line before the value, and of the comma after it
 */
function print(value: unknown, indent: string, taken: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = indent + INDENT
  const members = Array.isArray(value)
    ? value.map((item) => print(item, inner, inner.length + COMMA_LENGTH))
    : printMembers(value, inner)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  // The length on one line. No separator follows the last member, but the two brackets are just as long.
  const length = members.reduce((sum, member) => sum + member.length + SEPARATOR.length, 0)
  // If a member was broken into lines, it alone is longer than a line. So a length within the limit also means that no
  // member contains line breaks.
  if (length === 0 || taken + length <= WIDTH || isMapOfHeaders(value)) return open + members.join(SEPARATOR) + close
  return `${open}\n${inner}${members.join(`,\n${inner}`)}\n${indent}${close}`
}

/** Whether a value is the header map of a response. These maps are nearly the same everywhere. */
function isMapOfHeaders(value: object): boolean {
  const members: unknown[] = Object.values(value)
  return (
    members.length > 0 && members.every((member) => isReference(member) && member.$ref.startsWith(HEADER_REFERENCE))
  )
}

function isReference(value: unknown): value is Reference {
  return typeof value === 'object' && value !== null && '$ref' in value && typeof value.$ref === 'string'
}

/** The members of an object, each as `"name": value`. Undefined members are left out, as in JSON.stringify. */
function printMembers(value: object, indent: string): string[] {
  const members: string[] = []
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue
    const key = `${JSON.stringify(name)}: `
    members.push(key + print(member, indent, indent.length + key.length + COMMA_LENGTH))
  }
  return members
}
