/**
 * A time in examples of requests that must lie ahead when the request is sent. A served document has a later time
 * instead (`atTime`), so that the example can be sent as it is.
 */
export const EXAMPLE_AHEAD = '2026-01-20T14:30:00Z'

const DAY_MS = 24 * 60 * 60 * 1000
const HALF_DAY_MS = DAY_MS / 2

/** Replaces the example time in a text with noon of the next day (UTC): at least half a day ahead, the same all day. */
export function atTime(text: string, now: Date): string {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  const noonTomorrow = new Date(today + DAY_MS + HALF_DAY_MS)
  return text.replaceAll(EXAMPLE_AHEAD, noonTomorrow.toISOString().replace('.000Z', 'Z'))
}
