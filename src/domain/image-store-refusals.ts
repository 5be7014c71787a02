import type { Refusal } from './refusal.ts'

/**
 * Registry: the codes at the end of the messages with which R2 rejects valid calls (developers.cloudflare.com/r2/api/error-codes).
 * The other codes would be faults of this service, or of its configuration.
 */
export const R2_CODES: Readonly<Record<string, string>> = {
  10001: 'InternalError',
  10043: 'ServiceUnavailable',
  10058: 'TooManyRequests',
}

const BUSY: Refusal = {
  retryAfterSeconds: 5,
  detail: 'The store of images is temporarily unavailable. Try again shortly.',
}

/** The refusal of an error of R2; undefined for any other error. */
export function findImageStoreRefusal({ message }: Error): Refusal | undefined {
  // For example: `put: We encountered an internal error. Please try again. (10001)`.
  const code = /^\w+: .*\((\d+)\)$/.exec(message)?.[1]
  return code !== undefined && code in R2_CODES ? BUSY : undefined
}
