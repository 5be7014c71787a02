import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from './root.ts'

/** The program to run. With `GALAXY_WRANGLER`, tests replace it to try commands that would need an account. */
const WRANGLER =
  process.env.GALAXY_WRANGLER ??
  join(dirname(createRequire(import.meta.url).resolve('wrangler/package.json')), 'bin/wrangler.js')
const STOP_TIMEOUT_MS = 5_000

// A demonstration should not send metrics, and without a network wrangler would wait for a response in vain.
const QUIET = { WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true', CLOUDFLARE_CF_FETCH_ENABLED: 'false' }

// wrangler serves an explorer of databases and buckets at the port of the Worker, without a credential, and keeps every
// URL, which can contain an API key, in a file of the state folder.
const CLOSED = { X_LOCAL_EXPLORER: 'false', X_LOCAL_OBSERVABILITY: 'false' }

// Closes the paths that wrangler's runtime serves by itself.
const CLOSE_RUNTIME = pathToFileURL(join(import.meta.dirname, 'close-runtime.ts')).href

/**
 * Where Node keeps what it has compiled. wrangler is one file of many megabytes: compiling it takes a sixth of a start.
 */
export const COMPILED_FOLDER = join(ROOT, '.wrangler', 'compiled')

const running = new Set<ChildProcess>()

/**
 * Starts wrangler in the root of the project, with the Node that runs this process. wrangler gets its own
 * process group, so that Ctrl-C reaches only this process, and everything that wrangler starts can be ended together
 * with it.
 */
export function startWrangler(
  args: readonly string[],
  options: SpawnOptions = {},
  variables: Record<string, string> = {},
): ChildProcess {
  const loadedFirst = args[0] === 'dev' ? ['--import', CLOSE_RUNTIME] : []
  const child = spawn(process.execPath, [...loadedFirst, WRANGLER, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { NODE_COMPILE_CACHE: COMPILED_FOLDER, ...process.env, ...QUIET, ...CLOSED, ...variables },
    detached: process.platform !== 'win32',
    ...options,
  })
  running.add(child)
  child.on('error', () => running.delete(child))
  child.on('exit', () => {
    // What wrangler has started may still be running.
    signalGroup(child, 'SIGKILL')
    running.delete(child)
  })
  return child
}

interface RunOptions {
  /** The text for its standard input. A secret is passed in this way, because others can see a command line. */
  input?: string
  /** Variables of its environment, besides those of this process. */
  variables?: Record<string, string>
}

export type RunWrangler = (args: readonly string[], options?: RunOptions) => Promise<string>

/**
 * Runs wrangler until it ends. It never asks a question, because it has no terminal.
 *
 * @returns What it printed
 * @throws Error with what it printed, if it fails
 */
export async function runWrangler(args: readonly string[], { input, variables }: RunOptions = {}): Promise<string> {
  const child = startWrangler(args, { stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] }, variables)
  child.stdin?.end(input)
  let output = ''
  let faults = ''
  // A part of the output can end within a character.
  child.stdout?.setEncoding('utf8').on('data', (chunk) => (output += chunk))
  child.stderr?.setEncoding('utf8').on('data', (chunk) => (faults += chunk))
  const code = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject))
  if (code !== 0) throw new Error(`wrangler ${args.join(' ')} failed:\n${output}${faults}`)
  return output
}

export type Row = Record<string, string | number | null>

/** Runs statements of SQL on a database, one after the other. @returns The rows of the last one */
export type Query = (...statements: string[]) => Promise<Row[]>

/**
 * Runs SQL on the database of a deployment or of this machine, in one transaction.
 *
 * @param target `--remote`, or `--local`, with `--persist-to` and a folder if it is not the default one
 * @returns The rows of each statement
 */
export async function queryAll(
  sql: string,
  target: readonly string[],
  run: RunWrangler = runWrangler,
): Promise<Row[][]> {
  const output = await run(['d1', 'execute', 'DB', '--yes', '--json', '--command', sql, ...target])
  return (JSON.parse(output) as { results: Row[] }[]).map(({ results }) => results)
}

/** Queries the database at a target of `queryAll`. */
export function queryThroughWrangler(target: readonly string[], run: RunWrangler = runWrangler): Query {
  return async (...statements) => (await queryAll(statements.join(';\n'), target, run)).at(-1) ?? []
}

/** Ends every running wrangler, with everything that it started. */
export async function stopWrangler(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const ended = new Promise((resolve) => child.on('exit', resolve).on('error', resolve))
      signalGroup(child, 'SIGTERM')
      const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_TIMEOUT_MS)
      await ended
      clearTimeout(timer)
    }),
  )
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // It has ended already.
  }
}
