/** A time as JWTs have it (RFC 7519, section 2, NumericDate): whole seconds since 1970. */
export function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}
