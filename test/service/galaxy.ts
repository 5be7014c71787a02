import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT } from '../../scripts/lib/wrangler.ts'

const READY = /Galaxy is running at (\S+)/

/** Options for a service at which a test signs up many users. Hashing a password takes less work than usual. */
export const FOR_MANY_USERS = ['TOKEN_RATE_LIMIT:1000', 'SIGNUP_RATE_LIMIT:1000', 'PASSWORD_ITERATIONS:1000'].flatMap(
  (variable) => ['--var', variable],
)

/** The service as `npm start` runs it, with its own state folder. */
export interface Galaxy {
  url: string
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

export async function makeStateFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'galaxy-state-'))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** Runs `npm start` with these options until it is ready. */
export async function startGalaxy(options: readonly string[]): Promise<Galaxy> {
  const child = spawn('npm', ['start', '--', ...options], {
    cwd: ROOT,
    env: withOwnRegistry(options),
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
    output: () => output,
    stop: (signal = 'SIGTERM') => {
      process.kill(signal === 'SIGINT' ? -pid : pid, signal)
      return closed
    },
  }
}

/** Longer than a start takes on a busy machine. */
const START_TIMEOUT_MS = 100_000

/** Runs `npm start` with options that it refuses. */
export async function failToStart(options: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child: ChildProcess = spawn('npm', ['start', '--', ...options], {
    cwd: ROOT,
    env: withOwnRegistry(options),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, output }
}

/** The environment. wrangler lists running services by name, so services with the same name need separate lists. */
function withOwnRegistry(options: readonly string[]): NodeJS.ProcessEnv {
  const at = options.indexOf('--persist-to')
  const folder = at < 0 ? undefined : options[at + 1]
  return { ...process.env, ...(folder && { WRANGLER_REGISTRY_PATH: join(folder, 'registry') }) }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return address.port
}

async function waitFor(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 50))
}

/** The JSON of a response. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
export async function bodyOf(response: Response): Promise<any> {
  return await response.json()
}
