/** Set by the platform on the way, so of no meaning to who sent the request, and none of anybody's business. */
const PLATFORM_HEADERS = /^(?:cf-.*|x-forwarded-.*|x-real-ip|true-client-ip)$/

/** The headers of a request as its sender knows them, in lower case. */
export function sentHeaders(headers: Headers): [name: string, value: string][] {
  return [...headers].filter(([name]) => !PLATFORM_HEADERS.test(name))
}
