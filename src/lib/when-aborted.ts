/**
 * Calls a function if a signal is aborted. If it is aborted already, the function is called in a microtask, so that the
 * caller can finish what it has begun.
 *
 * @param signal Undefined if there is none; the function is then never called
 * @returns A function after which `react` is no longer called. Call it when the work ends, because the signal would keep
 * the listener in memory
 */
export function whenAborted(signal: AbortSignal | undefined, react: () => void): () => void {
  let isForgotten = false
  const reactUnlessForgotten = () => {
    if (!isForgotten) react()
  }
  if (signal?.aborted) queueMicrotask(reactUnlessForgotten)
  else signal?.addEventListener('abort', reactUnlessForgotten, { once: true })
  return () => {
    isForgotten = true
    signal?.removeEventListener('abort', reactUnlessForgotten)
  }
}
