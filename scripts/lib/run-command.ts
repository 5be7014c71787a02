import { fail } from './fail.ts'
import { Failure } from './failure.ts'
import { isStopping } from './stop.ts'

/**
 * Runs the work of a command. If the work fails, the command prints the reason and ends. A signal to stop ends wrangler
 * too, and counts as a failure.
 */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  process.on('exit', () => {
    if (isStopping()) process.exitCode = 1
  })
  try {
    await work()
  } catch (error) {
    // wrangler fails if it is stopped. The stop then ends this process.
    if (isStopping()) return await new Promise(() => undefined)
    fail(error instanceof Error ? error.message : String(error), error instanceof Failure ? error.exitCode : 1)
  }
}
