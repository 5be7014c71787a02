// In production the timers of a request end with it. All tests share one context of the runtime, which does not end,
// and the runtime ends its expired timers one by one, with a pause after each. So thousands of `AbortSignal.timeout()`
// would delay each timer of a later test by seconds.

/** Those of the runtime, even while a test replaces them. */
const { setTimeout: start, clearTimeout: stop } = globalThis

const timers = new Set<ReturnType<typeof start>>()

AbortSignal.timeout = (milliseconds) => {
  const controller = new AbortController()
  const expire = () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  timers.add(start(expire, milliseconds))
  return controller.signal
}

/**
 * Ends the timers of a test. The set-up of each file calls it after each test: a hook in this module would belong to
 * the first file of a runtime alone, because files share their modules.
 */
export function stopTimeouts(): void {
  for (const timer of timers) stop(timer)
  timers.clear()
}
