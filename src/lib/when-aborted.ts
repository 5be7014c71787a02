/**
 * Calls a function if a signal is aborted.
 *
 * @param signal Undefined if nothing can abort
 * @returns Stops waiting for it, so that the signal does not keep what has ended in memory
 */
export function whenAborted(signal: AbortSignal | undefined, react: () => void): () => void {
  signal?.addEventListener('abort', react, { once: true })
  return () => signal?.removeEventListener('abort', react)
}
