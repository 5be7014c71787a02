import { AGE_MAX_HOURS } from '../../src/domain/universe.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Shorter times are in the next smaller unit. */
const HOURS_MIN = 2
const DAYS_MIN = 3

const FORMAT = new Intl.RelativeTimeFormat('en')

/**
 * When a universe ends, as a sentence without its subject. Each request moves the end, but at most to the age at which
 * every universe ends.
 *
 * @param createdAt RFC 3339, like `expiresAt`
 * @param isFixed Whether its owner has fixed the end, so that requests do not move it
 * @param now In milliseconds since 1970
 */
export function describeEnd(
  { createdAt, expiresAt }: Record<'createdAt' | 'expiresAt', string>,
  isFixed: boolean,
  now: number,
): string {
  const end = Date.parse(expiresAt)
  if (end <= now) return 'has ended.'
  const latestEnd = Date.parse(createdAt) + AGE_MAX_HOURS * HOUR_MS
  const canMove = !isFixed && end < latestEnd
  return `ends ${describeTime(end - now)}${canMove ? ', unless it is used' : ''}.`
}

function describeTime(milliseconds: number): string {
  const hours = milliseconds / HOUR_MS
  if (hours >= DAYS_MIN * 24) return FORMAT.format(Math.round(hours / 24), 'day')
  if (hours >= HOURS_MIN) return FORMAT.format(Math.round(hours), 'hour')
  return FORMAT.format(Math.ceil(milliseconds / MINUTE_MS), 'minute')
}
