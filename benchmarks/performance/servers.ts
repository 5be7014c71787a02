import { type ChildProcess, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../../scripts/lib/root.ts'
import { freePort } from '../../test/service/ports.ts'
import type { LoadRequest } from './autocannon.ts'
import type { Build } from './builds.ts'
import { FOLDER } from './packages.ts'
import type { WorkerSettings } from './serve-worker.ts'

/** The servers that are compared, with their names in tables. */
export const SERVERS = {
  galaxy: 'Galaxy',
  floor: 'floor',
  limit: 'limit',
  mockServer: 'mock-server',
  prism: 'Prism',
} as const

export type ServerName = keyof typeof SERVERS

/** What starts a server: the arguments for Node, and the working folder. */
export interface Command {
  args: readonly string[]
  folder: string
}

/** A program that serves at a port. It prepares each start before the time is taken. */
export type Program = (port: number) => Promise<Command>

/** A running program. */
export interface Server {
  url: string
  pid: number
  /** From the start of its process to the end of the first response, in milliseconds. */
  startUpMs: number
  stop(): Promise<void>
}

const SERVE_WORKER = join(import.meta.dirname, 'serve-worker.ts')
const START_TIMEOUT_MS = 100_000
const STOP_TIMEOUT_MS = 5_000
/** A port that nobody listens at refuses in a tenth of a millisecond, so looking takes 2 % of a core. */
const POLL_MS = 5

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
    const settings: WorkerSettings = { ...build, state, port }
    const file = join(state, 'settings.json')
    await writeFile(file, JSON.stringify(settings))
    return { args: [SERVE_WORKER, file], folder: ROOT }
  }
}

const DOCUMENT = join(ROOT, 'documents/out/openapi.json')

/**
 * Two mock servers, which read the OpenAPI document.
 *
 * @param folder Where their packages are installed, beside a copy of mock-server.js
 */
export function peersIn(folder: string): Record<'mockServer' | 'prism', Program> {
  const prism = join(folder, 'node_modules', '@stoplight', 'prism-cli', 'dist', 'index.js')
  return {
    mockServer: async (port) => ({ args: [join(folder, 'mock-server.js'), String(port), DOCUMENT], folder }),
    prism: async (port) => ({
      args: [prism, 'mock', DOCUMENT, '--port', String(port), '--verboseLevel', 'error'],
      folder,
    }),
  }
}

/** The mock servers that are installed for the benchmarks. */
export const PEERS = peersIn(FOLDER)

/**
 * Starts a program, and waits until it responds to a request with the status 200.
 *
 * @param node The file of Node
 * @throws Error if it ends, does not listen in time, or responds with another status
 */
export async function startServer(
  program: Program,
  { path, headers = {} }: LoadRequest,
  node = process.execPath,
): Promise<Server> {
  const port = await freePort()
  const { args, folder } = await program(port)
  const started = performance.now()
  const child = spawn(node, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], detached: true })
  running.add(child)
  const { pid } = child
  if (pid === undefined) throw new Error(`${args[0]} cannot be started`)
  try {
    while (!(await answers(port, path, headers))) {
      if (child.exitCode !== null) throw new Error(`${args[0]} has ended with the exit code ${child.exitCode}`)
      if (performance.now() - started > START_TIMEOUT_MS) throw new Error(`${args[0]} does not listen`)
      await sleep(POLL_MS)
    }
  } catch (error) {
    killGroup(child)
    throw error
  }
  return { url: `http://127.0.0.1:${port}`, pid, startUpMs: performance.now() - started, stop: () => stop(child) }
}

/** Whether a server responds. @throws Error if the status is not 200 */
async function answers(port: number, path: string, headers: Record<string, string>): Promise<boolean> {
  if (!(await listensAt(port))) return false
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers }).catch(() => undefined)
  await response?.arrayBuffer()
  if (response && response.status !== 200) throw new Error(`the first response of a server is ${response.status}`)
  return response !== undefined
}

function listensAt(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise((resolve) => {
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
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
