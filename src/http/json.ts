import type { Fault } from '../lib/errors.ts'
import { ProblemError } from '../lib/errors.ts'
import { findUnserialisable } from '../lib/text.ts'
import { pointerTo } from './problem.ts'

const DEPTH_MAX = 64

/**
 * Reads a JSON text (RFC 8259): UTF-8, with or without a byte-order mark; of duplicate keys the last counts.
 * What it returns is safe to walk: not too deep, without `__proto__`, and every string can be written in every format.
 *
 * @throws ProblemError 400
 */
export function parseJson(bytes: Uint8Array): unknown {
  const value = parse(decodeUtf8(bytes))
  const faults: Fault[] = []
  inspect(value, [], faults)
  if (faults.length > 0)
    throw new ProblemError('malformed-body', 'The body has members that cannot be used.', { faults })
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
  if (typeof value === 'string') inspectText(value, path, faults)
  if (typeof value !== 'object' || value === null) return
  if (path.length >= DEPTH_MAX) {
    throw new ProblemError('malformed-body', `The body is nested more than ${DEPTH_MAX} levels deep.`)
  }
  for (const [key, member] of Object.entries(value)) {
    const place = [...path, key]
    if (!Array.isArray(value)) inspectKey(key, place, faults)
    inspect(member, place, faults)
  }
}

function inspectText(text: string, path: PropertyKey[], faults: Fault[]): void {
  const character = findUnserialisable(text)
  if (character)
    faults.push({ pointer: pointerTo(path), detail: `contains ${character}, which no text here may contain` })
}

function inspectKey(key: string, path: PropertyKey[], faults: Fault[]): void {
  if (key === '__proto__') faults.push({ pointer: pointerTo(path), detail: 'this property name is reserved' })
  const character = findUnserialisable(key)
  // The pointer stops at the object: the name itself cannot be shown in every format.
  if (character) faults.push({ pointer: pointerTo(path.slice(0, -1)), detail: `has a property name with ${character}` })
}
