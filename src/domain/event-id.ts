import { hasSeed, newIdBytes } from '../lib/ids.ts'

// The id of an event is a UUID of version 7 (RFC 9562, section 5.7). Besides the time, it contains the position of the
// event in the log, so that the service finds the event without an index:
//
//   unix_ts_ms  48 bits  when the event happened
//   rand_a      12 bits  the number of the event among the events of its row in the log, from 0
//   rand_b      22 bits  the salt of the row: random, so that ids of different worlds and resets differ
//               40 bits  the place of the row in the log
//
// Anybody can make up an id. So code that gets one from a caller compares it with the row of the log.

const INDEX_MAX = 2 ** 12 - 1
const SALT_BITS = 22
/** The largest salt. */
export const SALT_MAX = 2 ** SALT_BITS - 1
const PLACE_DIGITS = 10

/** The bits of rand_b before the place: the variant, which is binary 10, and the salt. */
const VARIANT = 0b10 << SALT_BITS

/** The parts of an id. */
export interface EventPlace {
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

/** The id of an event without its last ten digits. These are the place, which is unknown until the row is written. */
export function eventIdPrefix({ time, index, salt }: Omit<EventPlace, 'place'>): string {
  if (index > INDEX_MAX) throw new Error(`a row of the log has at most ${INDEX_MAX + 1} events`)
  const timeDigits = hex(timeInId(time), 12)
  const saltDigits = hex((VARIANT | salt) >>> 0, 6)
  return `${timeDigits.slice(0, 8)}-${timeDigits.slice(8)}-7${hex(index, 3)}-${saltDigits.slice(0, 4)}-${saltDigits.slice(4)}`
}

/** The id of an event. */
export function makeEventId({ place, ...event }: EventPlace): string {
  return eventIdPrefix(event) + hex(place, PLACE_DIGITS)
}

const EVENT_ID = /^([0-9a-f]{8})-([0-9a-f]{4})-7([0-9a-f]{3})-([89ab][0-9a-f]{3})-([0-9a-f]{2})([0-9a-f]{10})$/i

/**
 * Reads the parts of an id. The time is that of `timeInId`.
 *
 * @returns Undefined if the text is not a UUID of version 7
 */
export function parseEventId(text: string): EventPlace | undefined {
  const match = EVENT_ID.exec(text)
  if (!match) return undefined
  const [, high = '', low = '', index = '', salt = '', restOfSalt = '', place = ''] = match
  return {
    time: parseInt(high + low, 16),
    index: parseInt(index, 16),
    // The bits of the variant are before the salt. SALT_MAX has a 1 in each bit of the salt, so it removes them.
    salt: parseInt(salt + restOfSalt, 16) & SALT_MAX,
    place: parseInt(place, 16),
  }
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
