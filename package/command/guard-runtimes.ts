import { type ChildProcess, spawn } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'

/** Reads a line. If its input ends without one, whoever should have written it is gone, and it ends a process. */
const GUARD = 'read _ || kill -9 "$1"'

/**
 * From now on, each process that this one starts ends soon after it, however that ends. A killed process would
 * otherwise leave the runtime at its port. On Windows, the system does that for all processes that Node starts.
 *
 * @returns The runtime that was started last
 */
export function guardRuntimes(): () => ChildProcess | undefined {
  let last: ChildProcess | undefined
  let isGuarding = false
  subscribe('child_process', (message) => {
    if (isGuarding) return
    const { process: runtime } = message as { process: ChildProcess }
    last = runtime
    // It has no id yet.
    queueMicrotask(() => {
      isGuarding = true
      if (process.platform !== 'win32') guard(runtime)
      isGuarding = false
    })
  })
  return () => last
}

function guard(runtime: ChildProcess): void {
  const child = spawn('/bin/sh', ['-c', GUARD, 'galaxy-guard', String(runtime.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // A signal to the group of this process must not end it first.
    detached: true,
  })
  child.on('error', ({ message }) => console.error(`If this process is killed, its runtime goes on: ${message}`))
  child.stdin.on('error', () => {})
  runtime.once('exit', () => child.stdin.end('\n'))
  child.unref()
}
