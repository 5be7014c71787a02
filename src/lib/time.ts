/** A time as JWTs have it (RFC 7519, section 2, NumericDate): whole seconds since 1970. */
export function secondsOf(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}

/** The last moment that a Date can tell, in milliseconds since 1970 (ECMA-262, section 21.4.1.1). */
const LAST_MS = 8.64e15

/** The time that a NumericDate names. One beyond what a Date can tell is the last that it can. */
export function dateOf(seconds: number): Date {
  return new Date(Math.min(seconds * 1000, LAST_MS))
}

/** The first of several times. */
export function earliest(...times: readonly [Date, ...Date[]]): Date {
  return new Date(Math.min(...times.map((time) => time.getTime())))
}
