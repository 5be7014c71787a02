import { existsSync, readFileSync } from 'node:fs'
import { whenParentEnds } from './parent.ts'
import { stopWrangler } from './wrangler.ts'

// If this process gets a signal to stop, everything that it has started ends with it.

let stopping = false

/** Ends every running wrangler, and this process. */
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

/** Whether npm has already ended. Process 1 then adopts this process. In a container, process 1 can be npm itself. */
function isOrphan(): boolean {
  if (process.ppid !== 1 || process.env.npm_lifecycle_event === undefined) return false
  return !existsSync('/proc/1/cmdline') || !readFileSync('/proc/1/cmdline', 'utf8').includes('npm')
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(0))
whenParentEnds(() => stop(0))
if (isOrphan()) {
  console.error('The npm process has ended, so this process stops too.')
  await stop(0)
}
