import type { Fault } from '../lib/errors.ts'
import { ProblemError } from '../lib/errors.ts'
import { countCodePoints, findUnserialisable } from '../lib/text.ts'
import { FAULTS_MAX, pointerTo } from './problem.ts'

const DEPTH_MAX = 64
// Far beyond what any body of ours holds. Without these, what is said of a hostile body could be many times its size.
const MEMBERS_MAX = 1000
const NAME_MAX = 200

/**
 * Reads a JSON text (RFC 8259): UTF-8, with or without a byte-order mark; of duplicate keys the last counts.
 * What it returns is safe to walk: not too deep or too wide, without `__proto__`, and every string can be written in
 * every format.
 *
 * @throws ProblemError 400
 */
export function parseJson(bytes: Uint8Array): unknown {
  const value = parse(decodeUtf8(bytes))
  const faults: Fault[] = []
  inspect(value, [], faults)
  if (faults.length > 0) throw unusable(faults)
  return value
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw new ProblemError('malformed-body', 'The body is not valid UTF-8.')
  }
}

function parse(text: string): unknown {
  if (text.trim() === '') throw new ProblemError('malformed-body', 'The body is empty; this needs a JSON document.')
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ProblemError('malformed-body', `The body is not valid JSON: ${describe(error)}.`)
  }
}

/** What the parser says of the place. It quotes the body too, which may be long or secret: that is left out. */
function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  if (/^(Unexpected end|Unterminated)/.test(message)) return 'it ends too early'
  const place = /JSON at (position \d+(?: \(line \d+ column \d+\))?)$/.exec(message)?.[1]
  return place ? `unexpected character at ${place}` : 'unexpected character'
}

function inspect(value: unknown, path: PropertyKey[], faults: Fault[]): void {
  if (faults.length >= FAULTS_MAX) throw unusable(faults)
  if (typeof value === 'string') inspectText(value, path, faults)
  if (typeof value !== 'object' || value === null) return
  if (path.length >= DEPTH_MAX) {
    throw new ProblemError('malformed-body', `The body is nested more than ${DEPTH_MAX} levels deep.`)
  }
  const members = Object.entries(value)
  if (members.length > MEMBERS_MAX) {
    faults.push({ pointer: pointerTo(path), detail: `may have at most ${MEMBERS_MAX} members` })
    return
  }
  for (const [name, member] of members) {
    if (Array.isArray(value) || inspectName(name, path, faults)) inspect(member, [...path, name], faults)
  }
}

function inspectText(text: string, path: PropertyKey[], faults: Fault[]): void {
  const character = findUnserialisable(text)
  if (character)
    faults.push({ pointer: pointerTo(path), detail: `contains ${character}, which no text here may contain` })
}

/** @returns Whether the name can be used */
function inspectName(name: string, path: PropertyKey[], faults: Fault[]): boolean {
  const fault = findNameFault(name)
  if (name === '__proto__')
    faults.push({ pointer: pointerTo([...path, name]), detail: 'this property name is reserved' })
  // Such a name cannot be shown in every format, or is too long to be: the pointer is that of its object.
  else if (fault) faults.push({ pointer: pointerTo(path), detail: fault })
  return !fault && name !== '__proto__'
}

function findNameFault(name: string): string | undefined {
  if (countCodePoints(name) > NAME_MAX) return `has a property name of more than ${NAME_MAX} characters`
  const character = findUnserialisable(name)
  return character && `has a property name with ${character}`
}

function unusable(faults: readonly Fault[]): ProblemError {
  return new ProblemError('malformed-body', 'The body has members that cannot be used.', { faults })
}
