// The three forms of RFC 9110, section 5.6.7. `Date.parse` takes much more for a date.
const HTTP_DATE =
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT$|^[A-Z][a-z]+day, \d\d-[A-Z][a-z]{2}-\d\d [\d:]{8} GMT$|^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4}$/

/**
 * Reads an HTTP-date (RFC 9110, section 5.6.7).
 *
 * @returns Milliseconds since 1970; undefined where there is no date, or none that can be read
 */
export function parseHttpDate(text: string | null): number | undefined {
  if (text === null || !HTTP_DATE.test(text)) return undefined
  const milliseconds = Date.parse(text)
  return Number.isNaN(milliseconds) ? undefined : milliseconds
}
