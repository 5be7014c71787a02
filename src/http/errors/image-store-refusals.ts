import type { Refusal } from '../../domain/refusal.ts'

/**
 * Registry: the codes of the errors with which R2 rejects valid calls. The message of such an error ends with its code.
 * Cloudflare lists these codes as "service errors" (developers.cloudflare.com/r2/api/error-codes, read on 2026-11-23).
 * ClientDisconnect is not the caller's fault: the client of R2 is the Worker, which has the whole body of an upload
 * before it calls R2. All other codes would be faults of this service, or of its configuration.
 */
export const R2_CODES: Readonly<Record<string, string>> = {
  // What the binding says if it got no error of R2, for example if the disk under its local simulation is full.
  0: 'Unspecified error',
  10001: 'InternalError',
  10043: 'ServiceUnavailable',
  10054: 'ClientDisconnect',
  10058: 'TooManyRequests',
}

const BUSY: Refusal = {
  retryAfterSeconds: 5,
  detail: 'The store of images is temporarily unavailable. Try again shortly.',
}

/** The refusal for an error of R2; undefined for any other error. */
export function findImageStoreRefusal({ message }: Error): Refusal | undefined {
  // For example: `put: We encountered an internal error. Please try again. (10001)`.
  const code = /^\w+: .*\((\d+)\)$/.exec(message)?.[1]
  return code !== undefined && code in R2_CODES ? BUSY : undefined
}
