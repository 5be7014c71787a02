const POLL_MS = 100
const parent = process.ppid

/**
 * Calls back if the process that started this one ends. npm passes a signal only to its shell, which ends without
 * passing it on, so this is how a process notices that npm was told to stop.
 */
export function whenParentEnds(callback: () => void): void {
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    callback()
  }, POLL_MS).unref()
}
