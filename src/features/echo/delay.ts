import { DELAY_MAX_SECONDS } from '../../http/preferences.ts'

/**
 * The delay that the parameter `delay` of the query requests, limited to the maximum. Its value is in seconds. A value
 * that is not a number requests no delay.
 *
 * @returns Milliseconds
 */
export function requestedDelay(url: string): number {
  const text = new URL(url).searchParams.get('delay') ?? ''
  return /^\d+(?:\.\d+)?$/.test(text) ? Math.min(Number(text), DELAY_MAX_SECONDS) * 1000 : 0
}
