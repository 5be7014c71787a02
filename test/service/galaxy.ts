import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readStartArguments } from '../../scripts/lib/start-arguments.ts'
import type { BuiltWorker } from './build-worker.ts'
import type { WorkerSettings } from './serve-worker.ts'

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

/** The file in a prepared state folder that names the built Worker. */
export const workerFile = (folder: string) => join(folder, 'worker.json')

/**
 * Serves the Worker that was built once for all tests, on a prepared state folder, until it responds.
 *
 * @param options Those of `npm start`
 * @param env Variables of its environment, beside those of this process
 */
export async function startGalaxy(options: readonly string[], env: Record<string, string> = {}): Promise<Galaxy> {
  const settings = await readSettings(options)
  const file = join(settings.state, `settings-${settings.port}.json`)
  await writeFile(file, JSON.stringify(settings))
  const child = spawn(process.execPath, [join(import.meta.dirname, 'serve-worker.ts'), file], {
    // With a channel, through which the service notices if this process ends.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...env },
  })
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))
  // The streams close when the last process that holds them has ended. This includes the runtime.
  const closed = new Promise((resolve) => child.on('close', resolve))
  const stop = () => {
    child.kill()
    return closed
  }
  const url = `http://localhost:${settings.port}`
  for (const deadline = Date.now() + START_TIMEOUT_MS; ; ) {
    const response = await fetch(`${url}/planets?limit=1`).catch(() => undefined)
    if (response?.ok) return { url, stop }
    if (response || child.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error(`The service did not become ready (${response?.status ?? 'no response'}):\n${output}`)
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** Longer than a start takes on a busy machine. */
const START_TIMEOUT_MS = 100_000
const POLL_MS = 50

async function readSettings(options: readonly string[]): Promise<WorkerSettings> {
  const { port, stateFolder, passedOn } = readStartArguments([...options])
  if (stateFolder === undefined) throw new Error('--seed is an option of npm start')
  const built: BuiltWorker = JSON.parse(await readFile(workerFile(stateFolder), 'utf8'))
  const variables = passedOn.filter((argument) => argument !== '--var').map((variable) => variable.split(/:(.*)/s, 2))
  return { ...built, bindings: Object.fromEntries(variables), state: stateFolder, port, isDirect: false }
}

/** The JSON of a response. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
export async function bodyOf(response: Response): Promise<any> {
  return await response.json()
}
