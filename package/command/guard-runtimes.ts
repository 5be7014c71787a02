import { type ChildProcess, spawn } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'

/** Reads a line. If its input ends without one, whoever should have written it is gone, and it ends a process. */
const GUARD = 'read _ || kill -s KILL -- "$1"'

let isUnguarded = false

/**
 * From now on, each process that this one starts ends soon after it, however that ends. A killed process would
 * otherwise leave the runtime at its port. On Windows, the system does that for all processes that Node starts.
 *
 * @returns The runtime that was started last
 */
export function guardRuntimes(): () => ChildProcess | undefined {
  let last: ChildProcess | undefined
  subscribe('child_process', (message) => {
    if (isUnguarded) return
    const { process: runtime } = message as { process: ChildProcess }
    last = runtime
    // It has no id yet.
    queueMicrotask(() => guard(runtime, String(runtime.pid)))
  })
  return () => last
}

/** Starts a process that `guardRuntimes` leaves alone. */
export function unguarded<T>(start: () => T): T {
  isUnguarded = true
  try {
    return start()
  } finally {
    isUnguarded = false
  }
}

/**
 * Lets a process end soon after this one.
 *
 * @param target What is killed: the id of the process, or that of its group after a minus
 */
export function guard(guarded: ChildProcess, target: string): void {
  if (process.platform === 'win32') return
  const child = unguarded(() =>
    spawn('/bin/sh', ['-c', GUARD, 'galaxy-guard', target], {
      stdio: ['pipe', 'ignore', 'ignore'],
      // A signal to the group of this process must not end it first.
      detached: true,
    }),
  )
  child.on('error', ({ message }) =>
    console.error(`If this process is killed, what it has started goes on: ${message}`),
  )
  child.stdin.on('error', () => {})
  guarded.once('exit', () => child.stdin.end('\n'))
  child.unref()
}
