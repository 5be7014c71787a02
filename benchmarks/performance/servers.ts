import { type ChildProcess, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../../scripts/lib/root.ts'
import { freePort } from '../../test/service/ports.ts'
import type { WorkerSettings } from '../../test/service/serve-worker.ts'
import type { LoadRequest } from './autocannon.ts'
import type { Build } from './builds.ts'
import { packageFile } from './packages.ts'

/** The servers that are compared, with their names in tables. */
export const SERVERS = { galaxy: 'Galaxy', floor: 'floor', mockServer: 'mock-server', prism: 'Prism' } as const

export type ServerName = keyof typeof SERVERS

/** A program that serves, with the arguments for Node. */
export type Program = (port: number) => Promise<readonly string[]>

/** A running program. */
export interface Server {
  url: string
  pid: number
  /** From the start of its process to the first response. */
  startUpMs: number
  stop(): Promise<void>
}

const SERVE_WORKER = join(ROOT, 'test', 'service', 'serve-worker.ts')
const START_TIMEOUT_MS = 100_000
const STOP_TIMEOUT_MS = 5_000
const POLL_MS = 10

const running = new Set<ChildProcess>()

// However the benchmark ends, nothing that it started goes on.
process.on('exit', () => running.forEach(killGroup))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

/**
 * A Worker in the runtime. Each start has a new copy of the state.
 *
 * @param copy Makes the copy, and returns its folder
 */
export function workerProgram(build: Build, copy: () => Promise<string>): Program {
  return async (port) => {
    const state = await copy()
    const settings: WorkerSettings = { ...build, state, port, isDirect: true }
    const file = join(state, 'settings.json')
    await writeFile(file, JSON.stringify(settings))
    return [SERVE_WORKER, file]
  }
}

const DOCUMENT = join(ROOT, 'openapi.json')
const PRISM = packageFile('@stoplight/prism-cli', 'dist/index.js')

/** Two mock servers, which read the OpenAPI document. */
export const PEERS: Record<'mockServer' | 'prism', Program> = {
  mockServer: async (port) => [join(import.meta.dirname, 'mock-server.js'), String(port), DOCUMENT],
  prism: async (port) => [PRISM, 'mock', DOCUMENT, '--port', String(port), '--verboseLevel', 'error'],
}

/** Starts a program, and waits until it responds to a request with the status 200. */
export async function startServer(program: Program, { path, headers = {} }: LoadRequest): Promise<Server> {
  const port = await freePort()
  const args = await program(port)
  const started = performance.now()
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'], detached: true })
  running.add(child)
  const { pid } = child
  if (pid === undefined) throw new Error(`${args[0]} cannot be started`)
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    const response = await fetch(new URL(path, url), { headers }).catch(() => undefined)
    await response?.arrayBuffer()
    if (response?.status === 200) break
    const hasEnded = child.exitCode !== null || performance.now() - started > START_TIMEOUT_MS
    if (response || hasEnded) throw new Error(`${args[0]} does not serve: ${response?.status ?? 'no response'}`)
    await sleep(POLL_MS)
  }
  return { url, pid, startUpMs: performance.now() - started, stop: () => stop(child) }
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.on('exit', resolve))
  child.kill('SIGTERM')
  await Promise.race([ended, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })])
  killGroup(child)
  running.delete(child)
}

/** Ends a process and everything that it has started. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
