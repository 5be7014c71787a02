import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../scripts/lib/root.ts'

/** Options for a service at which a test signs up many users. Hashing a password takes less work than usual. */
export const FOR_MANY_USERS = [
  'TOKEN_RATE_LIMIT:1000',
  'SIGNUP_RATE_LIMIT:1000',
  'INBOX_RATE_LIMIT:1000',
  'PASSWORD_ITERATIONS:1000',
].flatMap((variable) => ['--var', variable])

/** A running service. */
export interface Galaxy {
  url: string
  /** Ends it, and waits until it is gone. */
  stop(): Promise<unknown>
}

export async function makeStateFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'galaxy-state-'))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** A running service whose scheduled job a test can run. */
export interface ScheduledGalaxy extends Galaxy {
  /** Where a GET request runs the job. */
  scheduled: string
}

/** The command of the package, as a clone has it. */
const COMMAND = join(ROOT, 'bin', 'galaxy.cjs')

/**
 * Runs the command of the package, which was built once for all tests, until it is ready. It takes a third of the time
 * of `npm start`, which loads more, bundles the Worker, and puts a proxy in front of it.
 *
 * @param env Variables of its environment, beside those of this process
 */
export async function startGalaxy(
  options: readonly string[],
  env: Record<string, string> = {},
): Promise<ScheduledGalaxy> {
  // It ends with this process.
  const child = spawn(process.execPath, [COMMAND, '--json', '--with-parent', '--test-scheduled', ...options], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => (output += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk) => (errors += chunk))
  // The streams close when the last process that holds them has ended. This includes the runtime.
  const closed = new Promise((resolve) => child.on('close', resolve))
  const stop = () => {
    child.kill()
    return closed
  }
  for (const deadline = Date.now() + START_TIMEOUT_MS; ; ) {
    if (output.endsWith('\n')) {
      const { url, scheduled } = JSON.parse(output)
      return { url, scheduled, stop }
    }
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error(`The service did not become ready:\n${errors}`)
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** Longer than a start takes on a busy machine. */
const START_TIMEOUT_MS = 100_000
const POLL_MS = 20

/** The JSON of a response. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
export async function bodyOf(response: Response): Promise<any> {
  return await response.json()
}
