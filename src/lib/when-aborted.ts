/**
 * Calls a function if a signal is aborted.
 *
 * @param signal Undefined if there is none; the function is then never called
 * @returns A function that removes the listener. Call it when the work ends, because the signal would keep the listener
 * in memory
 */
export function whenAborted(signal: AbortSignal | undefined, react: () => void): () => void {
  signal?.addEventListener('abort', react, { once: true })
  return () => signal?.removeEventListener('abort', react)
}
