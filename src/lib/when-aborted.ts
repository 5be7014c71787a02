/**
 * Calls `react` when a signal is aborted. If the signal is aborted already, `react` is called in a microtask, so that
 * the caller of this function can finish its current step first.
 *
 * @param signal If it is undefined, `react` is never called
 * @returns A function that cancels the call of `react`. Call it when the work ends, because the signal would keep the
 * listener in memory
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
