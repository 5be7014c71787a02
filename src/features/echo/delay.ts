import { DELAY_MAX_SECONDS } from '../../http/preferences.ts'

/**
 * The delay that `?delay=` requests in seconds, limited to the maximum. If the value is not a number, it is a query
 * parameter like any other and requests no delay.
 *
 * @returns Milliseconds
 */
export function requestedDelay(url: string): number {
  const text = new URL(url).searchParams.get('delay') ?? ''
  return /^\d+(?:\.\d+)?$/.test(text) ? Math.min(Number(text), DELAY_MAX_SECONDS) * 1000 : 0
}
