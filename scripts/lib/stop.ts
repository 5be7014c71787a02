import { existsSync, readFileSync } from 'node:fs'
import { stopWrangler } from './wrangler.ts'

// When a stop comes, everything that this process has started ends with it.

const PARENT_POLL_MS = 100
// npm passes a signal to its shell, which ends without passing it on. Then this process has another parent.
const parent = process.ppid

let stopping = false

/** Ends the service and this process. */
export async function stop(exitCode: number): Promise<void> {
  if (stopping) return
  stopping = true
  await stopWrangler()
  process.exit(exitCode)
}

/** Whether the stop has begun, so that failures from now on are caused by it. */
export function isStopping(): boolean {
  return stopping
}

/** Whether npm has already ended: process 1 has adopted us, and it is not npm itself, as it can be in a container. */
function isOrphan(): boolean {
  if (process.ppid !== 1 || process.env.npm_lifecycle_event === undefined) return false
  return !existsSync('/proc/1/cmdline') || !readFileSync('/proc/1/cmdline', 'utf8').includes('npm')
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(0))
setInterval(() => process.ppid !== parent && stop(0), PARENT_POLL_MS).unref()
if (isOrphan()) {
  console.error('The npm process has ended, so the service stops too.')
  await stop(0)
}
