import { hasSeed, newIdBytes } from '../lib/ids.ts'

// The id of an event is a UUID of version 7 (RFC 9562, section 5.7). Besides the time, it contains the position of the
// event in the log, so that the service finds the event without an index:
//
//   unix_ts_ms  48 bits  when the event happened
//   ver          4 bits  the version, 7
//   rand_a      12 bits  the number of the event among the events of its row in the log, from 0
//   var          2 bits  the variant, binary 10
//   rand_b      22 bits  the salt of the row: random, so that ids of different worlds and resets differ
//               40 bits  the place of the row in the log
//
// Anybody can make up an id. So code that gets one from a caller compares it with the row of the log.

/** How many events a row of the log can have. The index has 12 bits in an id. */
export const EVENTS_PER_ROW_MAX = 2 ** 12
const SALT_BITS = 22
/** The largest salt. */
export const SALT_MAX = 2 ** SALT_BITS - 1
const PLACE_DIGITS = 10

/** The variant, at its place before the bits of the salt. */
const VARIANT = 0b10 << SALT_BITS

/** The parts of an id. */
export interface EventIdParts {
  /** In milliseconds since 1970. */
  time: number
  /** The number of the event among those of its row, from 0. */
  index: number
  salt: number
  /** The place of the row in the log. */
  place: number
}

/** Creates the salt of a row. */
export function makeSalt(): number {
  return new DataView(newIdBytes('event', 4).buffer).getUint32(0) & SALT_MAX
}

/** The time in the id of an event. It is 0 in a service with a seed, because the real time differs from run to run. */
export const timeInId = (time: number): number => (hasSeed() ? 0 : time)

/** The id of an event without its last ten digits: the place, which is unknown until the row is written. */
export function eventIdPrefix({ time, index, salt }: Omit<EventIdParts, 'place'>): string {
  if (index >= EVENTS_PER_ROW_MAX) throw new Error(`a row of the log has at most ${EVENTS_PER_ROW_MAX} events`)
  // A digit has four bits. The 7 is the version.
  const timeDigits = hex(timeInId(time), 12)
  const variantAndSalt = hex(VARIANT | salt, 6)
  const [timeStart, timeEnd] = [timeDigits.slice(0, 8), timeDigits.slice(8)]
  const [saltStart, saltEnd] = [variantAndSalt.slice(0, 4), variantAndSalt.slice(4)]
  return `${timeStart}-${timeEnd}-7${hex(index, 3)}-${saltStart}-${saltEnd}`
}

/** The id of an event. */
export function makeEventId({ place, ...event }: EventIdParts): string {
  return eventIdPrefix(event) + hex(place, PLACE_DIGITS)
}

// The groups: the time (in two parts), the index, the variant with the salt (in two parts), and the place.
const EVENT_ID = /^([0-9a-f]{8})-([0-9a-f]{4})-7([0-9a-f]{3})-([89ab][0-9a-f]{3})-([0-9a-f]{2})([0-9a-f]{10})$/i

/**
 * Reads the parts of an id. The time is that of `timeInId`.
 *
 * @returns Undefined if the text is not a UUID of version 7
 */
export function parseEventId(text: string): EventIdParts | undefined {
  const match = EVENT_ID.exec(text)
  if (!match) return undefined
  const [, time = '', restOfTime = '', index = '', variantAndSalt = '', restOfSalt = '', place = ''] = match
  return {
    time: parseInt(time + restOfTime, 16),
    index: parseInt(index, 16),
    // SALT_MAX has a 1 in each bit of the salt, so the `&` removes the variant.
    salt: parseInt(variantAndSalt + restOfSalt, 16) & SALT_MAX,
    place: parseInt(place, 16),
  }
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
