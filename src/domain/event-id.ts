import { hasSeed, newIdBytes } from '../lib/ids.ts'

// The id of an event is a UUID of version 7 (RFC 9562, section 5.7). It is made before the event is stored, so that
// callbacks and replies can contain it:
//
//   unix_ts_ms  48 bits  when the event happened
//   ver          4 bits  the version, 7
//   rand_a      12 bits  the number of the event among the events of its row in the log, from 0
//   var          2 bits  the variant, binary 10
//   rand_b      62 bits  random, the same for all events of a row
//
// The last 64 bits are the salt of the row, by which the log finds it. Anybody can make up an id. So code that gets one
// from a caller compares it with the row.

/** How many events a row of the log can have. The index has 12 bits in an id. */
export const EVENTS_PER_ROW_MAX = 2 ** 12
const SALT_BYTES = 8

export interface EventIdParts {
  /** In milliseconds since 1970. */
  time: number
  /** The number of the event among those of its row, from 0. */
  index: number
  /** The last 16 digits of the id. */
  salt: string
}

/** Creates the salt of a row: 16 hexadecimal digits. */
export function makeSalt(): string {
  const bytes = newIdBytes('event', SALT_BYTES)
  const [first = 0] = bytes
  // The variant takes the place of the first two bits.
  bytes[0] = (first & 0b0011_1111) | 0b1000_0000
  return bytes.toHex()
}

/** The time in the id of an event. It is 0 in a service with a seed, because the real time differs from run to run. */
export const timeInId = (time: number): number => (hasSeed() ? 0 : time)

export function makeEventId({ time, index, salt }: EventIdParts): string {
  if (index >= EVENTS_PER_ROW_MAX) throw new Error(`a row of the log has at most ${EVENTS_PER_ROW_MAX} events`)
  // A digit has four bits. The 7 is the version.
  const timeDigits = hex(timeInId(time), 12)
  return `${timeDigits.slice(0, 8)}-${timeDigits.slice(8)}-7${hex(index, 3)}-${salt.slice(0, 4)}-${salt.slice(4)}`
}

// The groups: the time (in two parts), the index, and the salt (in two parts).
const EVENT_ID = /^([0-9a-f]{8})-([0-9a-f]{4})-7([0-9a-f]{3})-([89ab][0-9a-f]{3})-([0-9a-f]{12})$/

/**
 * The time is that of `timeInId`.
 *
 * @returns Undefined if the text is not a UUID of version 7
 */
export function parseEventId(text: string): EventIdParts | undefined {
  const match = EVENT_ID.exec(text.toLowerCase())
  if (!match) return undefined
  const [, time = '', restOfTime = '', index = '', salt = '', restOfSalt = ''] = match
  return { time: parseInt(time + restOfTime, 16), index: parseInt(index, 16), salt: salt + restOfSalt }
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
