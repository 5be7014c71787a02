const DELAY_MAX_SECONDS = 10

/**
 * The milliseconds that `?delay=` asks for. What is beyond the limit means the limit; what is no number is a value like
 * any other in a query, and asks for nothing.
 */
export function requestedDelay(url: string): number {
  const text = new URL(url).searchParams.get('delay') ?? ''
  return /^\d+(?:\.\d+)?$/.test(text) ? Math.min(Number(text), DELAY_MAX_SECONDS) * 1000 : 0
}
