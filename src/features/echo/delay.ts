import { DELAY_MAX_SECONDS } from '../../http/preferences.ts'

/**
 * The delay that the parameter `delay` of the query requests, limited to the maximum. It is in seconds. If it is not a
 * number, there is no delay.
 *
 * @returns Milliseconds
 */
export function requestedDelay(url: string): number {
  const text = new URL(url).searchParams.get('delay') ?? ''
  return /^\d+(?:\.\d+)?$/.test(text) ? Math.min(Number(text), DELAY_MAX_SECONDS) * 1000 : 0
}
