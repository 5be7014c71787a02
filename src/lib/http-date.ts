import { daysInMonth } from './time.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const DAY_NAME = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)'
const LONG_DAY_NAME = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day'
const MONTH = `(?<month>${MONTHS.join('|')})`
const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)'

/** The three forms: IMF-fixdate, that of RFC 850 (with two digits of the year), and that of asctime. All are in UTC. */
const FORMS = [
  new RegExp(`^${DAY_NAME}, (?<day>\\d\\d) ${MONTH} (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^${LONG_DAY_NAME}, (?<day>\\d\\d)-${MONTH}-(?<year>\\d\\d) ${TIME} GMT$`),
  new RegExp(`^${DAY_NAME} ${MONTH} (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`),
]

/** How far in the future a date with two digits of the year can be, in years. */
const FUTURE_MAX_YEARS = 50

/**
 * Reads an HTTP-date in any of its three forms (RFC 9110, section 5.6.7). A date with two digits of the year that would
 * be more than 50 years in the future is one in the past. The day of the week is not compared with the date. A leap
 * second is the first second of the next minute.
 *
 * @returns Milliseconds since 1970; undefined if the text is not an HTTP-date, or if there is no such day or time
 */
export function parseHttpDate(text: string | null, now: Date): number | undefined {
  if (text === null) return undefined
  const groups = FORMS.map((form) => form.exec(text)?.groups).find((found) => found !== undefined)
  if (!groups) return undefined
  const { month = '', year = '' } = groups
  const [day = 0, hour = 0, minute = 0, second = 0] = ['day', 'hour', 'minute', 'second'].map((name) =>
    Number(groups[name]),
  )
  if (hour > 23 || minute > 59 || second > 60) return undefined
  const monthIndex = MONTHS.indexOf(month)
  const timeIn = (fullYear: number): number => {
    // `Date.UTC` would take the years 0 to 99 as 1900 to 1999.
    const time = new Date(0)
    time.setUTCFullYear(fullYear, monthIndex, day)
    return time.setUTCHours(hour, minute, second)
  }
  const fullYear = year.length === 4 ? Number(year) : chooseCentury(Number(year), timeIn, now)
  return day >= 1 && day <= daysInMonth(fullYear, monthIndex + 1) ? timeIn(fullYear) : undefined
}

/** The last year with these two digits whose date is not more than 50 years in the future. */
function chooseCentury(lastDigits: number, timeIn: (fullYear: number) => number, now: Date): number {
  const limit = new Date(now)
  limit.setUTCFullYear(now.getUTCFullYear() + FUTURE_MAX_YEARS)
  const latest = Math.floor(limit.getUTCFullYear() / 100) * 100 + lastDigits
  return timeIn(latest) > limit.getTime() ? latest - 100 : latest
}
