export const MINUTE_MS = 60 * 1000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** A time as a NumericDate, as in JWTs (RFC 7519, section 2): whole seconds since 1970. */
export function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

/**
 * The first whole second after a time. HTTP-dates have whole seconds, so every HTTP-date of `time` or of an earlier
 * time is before the result.
 */
export function nextSecondAfter(time: Date): Date {
  return dateOf(secondsOf(time) + 1)
}

/** The last moment that a Date can represent, in milliseconds since 1970 (ECMA-262, section 21.4.1.1). */
const LAST_DATE_MS = 8.64e15

/** The time of a NumericDate, at most the last moment that a Date can represent. */
export function dateOf(seconds: number): Date {
  return new Date(Math.min(seconds * 1000, LAST_DATE_MS))
}

export function earliest(...times: readonly [Date, ...Date[]]): Date {
  return new Date(Math.min(...times.map((time) => time.getTime())))
}

// The groups: year, month, day, hour, minute, second, sign of the offset, hours of the offset, minutes of the offset.
const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|([+-])(\d\d):(\d\d))$/
const MINUTES_PER_DAY = 24 * 60

/**
 * Whether a text is a date-time of RFC 3339, section 5.6. Its day must exist. Any fraction, and any offset up to
 * 23:59, is accepted. A leap second (60) is only valid at the end of a UTC day (section 5.7).
 */
export function isDateTime(text: string): boolean {
  const parts = DATE_TIME.exec(text)
  if (!parts) return false
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map(Number)
  const offsetHour = Number(parts[8] ?? 0)
  const offsetMinute = Number(parts[9] ?? 0)
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return false
  if (hour > 23 || minute > 59 || offsetHour > 23 || offsetMinute > 59) return false
  if (second <= 59) return true
  const offset = (parts[7] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute)
  const utcMinute = (hour * 60 + minute - offset + MINUTES_PER_DAY) % MINUTES_PER_DAY
  return second === 60 && utcMinute === MINUTES_PER_DAY - 1
}

/** Years of RFC 3339 have four digits. `toISOString` writes times outside of this range with more digits. */
const FIRST_MS = Date.parse('0000-01-01T00:00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * The time of an RFC 3339 date-time, to the millisecond.
 *
 * @returns Undefined if the text is not a date-time, if it is a leap second (which a Date cannot represent), or if its
 * year in UTC is not between 0000 and 9999
 */
export function parseMoment(text: string): Date | undefined {
  const parts = DATE_TIME.exec(text)
  if (!parts || !isDateTime(text) || parts[6] === '60') return undefined
  // Engines need not support lower case or more than three digits of the fraction (ECMA-262, section 21.4.1.32).
  const moment = new Date(text.toUpperCase().replace(/(\.\d{3})\d+/, '$1'))
  const milliseconds = moment.getTime()
  return milliseconds >= FIRST_MS && milliseconds <= LAST_MS ? moment : undefined
}

/** @param month From 1 */
export function daysInMonth(year: number, month: number): number {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
}
