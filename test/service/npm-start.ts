import { type ChildProcess, spawn } from 'node:child_process'
import { ROOT } from '../../scripts/lib/root.ts'
import type { Galaxy } from './galaxy.ts'

// The service as its users start it. Most tests need only what it serves, which `startGalaxy` starts in a third of the
// time.

const READY = /Galaxy is running at (\S+)/

/** The service as `npm start` runs it. */
export interface StartedByNpm extends Galaxy {
  /** The process of npm. */
  pid: number
  /** What it has printed so far. */
  output(): string
  /**
   * Ends npm, and waits until it and the service are gone. SIGTERM goes to npm alone, as from a supervisor; SIGINT to
   * all of its group, as from Ctrl-C in a terminal.
   *
   * @returns The exit code of npm
   */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Runs `npm start` with these options until it is ready. */
export async function npmStart(options: readonly string[]): Promise<StartedByNpm> {
  const child = spawn('npm', ['start', '--', ...options], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  // The streams close when the last process that holds them has ended. This includes the children of npm.
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve))
  // If the code cannot be built, wrangler prints the error and waits for a change of the code.
  const deadline = Date.now() + START_TIMEOUT_MS
  await waitFor(() => READY.test(output) || child.exitCode !== null || Date.now() > deadline)
  const url = READY.exec(output)?.[1]
  const { pid } = child
  if (!url || pid === undefined) {
    if (pid !== undefined && child.exitCode === null) process.kill(-pid, 'SIGTERM')
    throw new Error(`npm start did not become ready:\n${output}`)
  }
  return {
    url,
    pid,
    output: () => output,
    stop: (signal = 'SIGTERM') => {
      process.kill(signal === 'SIGINT' ? -pid : pid, signal)
      return closed
    },
  }
}

/** Longer than a start takes on a busy machine. */
export const START_TIMEOUT_MS = 100_000

/** Runs `npm start` with options that it refuses. */
export async function failToStart(options: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child: ChildProcess = spawn('npm', ['start', '--', ...options], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, output }
}

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 50))
}
