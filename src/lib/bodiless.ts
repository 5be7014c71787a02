/** Statuses whose answers have no body (RFC 9110, sections 15.3.5, 15.3.6 and 15.4.5). */
const BODILESS = [204, 205, 304]

export function hasBody(status: number): boolean {
  return !BODILESS.includes(status)
}
