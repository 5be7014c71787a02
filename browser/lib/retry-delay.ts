import { CallFailed } from './api.ts'
import { readRetryAfter } from './problem.ts'

const LONGEST_DELAY_MS = 60_000

/**
 * How long to wait before data are loaded again after failures: as long as the service asks for, otherwise longer after
 * each failure.
 *
 * @param error The latest failure; undefined if the latest load succeeded
 * @param failures How many loads have failed one after the other
 * @param delayMs The wait after a load that succeeded
 * @returns In milliseconds; undefined if the page itself has a fault, which another load would not cure
 */
export function delayAfter(error: unknown, failures: number, delayMs: number): number | undefined {
  if (error === undefined) return delayMs
  if (!(error instanceof CallFailed)) return undefined
  const retryAfter = error.response && readRetryAfter(error.response)
  // NaN if there is no response, or if it does not say the wait in seconds.
  const retryAfterMs = Number(retryAfter) * 1000
  if (Number.isFinite(retryAfterMs)) return Math.max(retryAfterMs, delayMs)
  return Math.min(delayMs * 2 ** failures, LONGEST_DELAY_MS)
}
