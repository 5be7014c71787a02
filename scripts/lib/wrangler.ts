import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The root of the project. */
export const ROOT = join(import.meta.dirname, '..', '..')

const WRANGLER = join(dirname(createRequire(import.meta.url).resolve('wrangler/package.json')), 'bin/wrangler.js')
const STOP_TIMEOUT_MS = 5_000

// A demonstration should not send metrics, and without a network wrangler would wait for a response in vain.
const QUIET = { WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true', CLOUDFLARE_CF_FETCH_ENABLED: 'false' }

// wrangler is one file of many megabytes. Compiling it each time would take a sixth of the time of a start.
const COMPILED = { NODE_COMPILE_CACHE: join(ROOT, '.wrangler', 'compiled') }

const running = new Set<ChildProcess>()

/**
 * Starts wrangler in the root of the project, with the Node that runs this process. wrangler gets its own process
 * group, so that Ctrl-C reaches only this process, and everything that wrangler starts can be ended together with it.
 */
export function startWrangler(args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  const child = spawn(process.execPath, [WRANGLER, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...COMPILED, ...process.env, ...QUIET },
    detached: process.platform !== 'win32',
    ...options,
  })
  running.add(child)
  child.on('error', () => running.delete(child))
  child.on('exit', () => {
    signalGroup(child, 'SIGKILL')
    running.delete(child)
  })
  return child
}

/**
 * Runs wrangler until it ends.
 *
 * @returns What it printed
 * @throws Error with what it printed, if it fails
 */
export async function runWrangler(args: readonly string[]): Promise<string> {
  const child = startWrangler(args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let faults = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (faults += chunk))
  const code = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject))
  if (code !== 0) throw new Error(`wrangler ${args.join(' ')} failed:\n${output}${faults}`)
  return output
}

type Row = Record<string, string | number | null>

/**
 * Runs SQL on the database of a deployment or of this machine.
 *
 * @param target `--remote`, or `--local`, with `--persist-to` and a folder if it is not the default one
 * @returns The rows of the last statement
 */
export async function queryDatabase(sql: string, target: readonly string[]): Promise<Row[]> {
  const output = await runWrangler(['d1', 'execute', 'DB', '--yes', '--json', '--command', sql, ...target])
  const results: { results: Row[] }[] = JSON.parse(output)
  return results.at(-1)?.results ?? []
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
