import { DELAY_MAX_SECONDS } from '../../http/preferences.ts'

/** In milliseconds; 0 if the parameter is absent or not a number. */
export function requestedDelay(url: string): number {
  const text = new URL(url).searchParams.get('delay') ?? ''
  return /^\d+(?:\.\d+)?$/.test(text) ? Math.min(Number(text), DELAY_MAX_SECONDS) * 1000 : 0
}
