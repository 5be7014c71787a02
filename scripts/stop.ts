import { stopWrangler } from './wrangler.ts'

// Imported first by start.ts: whatever is under way when the stop comes, nothing is left behind.

const PARENT_POLL_MS = 100
// npm passes a signal to its shell, which dies of it without a word to us: then we have another parent.
const parent = process.ppid

let stopping = false

/** Ends the service and this process. */
export async function stop(exitCode: number): Promise<void> {
  if (stopping) return
  stopping = true
  await stopWrangler()
  process.exit(exitCode)
}

/** Whether the end has begun, so that what fails now fails because of it. */
export function isStopping(): boolean {
  return stopping
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(0))
setInterval(() => process.ppid !== parent && stop(0), PARENT_POLL_MS).unref()
