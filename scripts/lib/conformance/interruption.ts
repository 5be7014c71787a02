const PARENT_POLL_MS = 100
/** One Ctrl-C can arrive twice: from the terminal, and from npm. */
const SAME_MS = 1_000
/** The numbers of the signals (POSIX). */
const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 }
/** If a signal ends a process, shells report this number plus the number of the signal as its exit status. */
const SIGNALLED_EXIT = 128

/** A stop of this process that somebody has asked for. */
export interface Interruption {
  signal: AbortSignal
  /** The exit status, as shells report it; undefined if nobody has interrupted. */
  exitCode(): number | undefined
}

/**
 * Notes that this process should stop, so that it can end what it has made. At another signal, more than `SAME_MS`
 * later, the process stops at once.
 */
export function watchInterruption(): Interruption {
  const controller = new AbortController()
  let exitCode: number | undefined
  let interruptedAt = 0
  const interrupt = (number: number) => {
    if (exitCode !== undefined) {
      if (Date.now() - interruptedAt > SAME_MS) process.exit(exitCode)
      return
    }
    exitCode = SIGNALLED_EXIT + number
    interruptedAt = Date.now()
    controller.abort()
  }
  for (const [name, number] of Object.entries(SIGNALS)) process.on(name, () => interrupt(number))
  // npm passes a signal only to its shell, which ends without passing it on.
  const parent = process.ppid
  const poll = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(poll)
    if (exitCode === undefined) interrupt(SIGNALS.SIGTERM)
  }, PARENT_POLL_MS).unref()
  return { signal: controller.signal, exitCode: () => exitCode }
}
