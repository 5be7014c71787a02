import { fail } from './fail.ts'
import { Failure } from './failure.ts'
import { isStopping } from './stop.ts'

/**
 * Does the work of a command that ends by itself. If it fails, the command says why, and ends. If it is told to stop, wrangler
 * ends too, and the command has failed.
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
