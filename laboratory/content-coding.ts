import {
  type Coding,
  codingsOf,
  DecodesToTooMuch,
  decodeBytes,
  isCoding,
  NotDecodable,
  RATIO_MAX,
} from '../src/lib/content-coding.ts'
import type { Arrived } from './case.ts'

/** How many codings one after the other are decoded. Each can make the body larger again. */
const CODINGS_MAX = 4

/**
 * Decodes a body as its Content-Encoding says.
 *
 * @returns The body and what became of it; undefined if the decoded body has more than `maxBytes`, or more than 100
 * bytes for each encoded one
 */
export function decodeContent(
  body: Uint8Array,
  contentEncoding: string | null,
  maxBytes: number,
): Pick<Arrived, 'body' | 'coding'> | undefined {
  if (body.length === 0 || (contentEncoding ?? '').replaceAll(/[\s,]/g, '') === '') return { body }
  const codings = codingsOf(contentEncoding)
  if (codings.length > CODINGS_MAX || !codings.every(isCoding)) return { body, coding: 'unknown' }
  try {
    return { body: decodeAll(body, codings, Math.min(maxBytes, RATIO_MAX * body.length)), coding: 'decoded' }
  } catch (error) {
    if (error instanceof DecodesToTooMuch) return undefined
    if (error instanceof NotDecodable) return { body, coding: 'broken' }
    throw error
  }
}

/** Codings were applied in their order, so they are undone in the other one. */
function decodeAll(body: Uint8Array, codings: readonly Coding[], maxBytes: number): Uint8Array {
  return codings.reduceRight((encoded, coding) => decodeBytes(encoded, coding, maxBytes), body)
}
