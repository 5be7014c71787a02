import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** The root of the project. */
export const ROOT = join(import.meta.dirname, '..')

const WRANGLER = join(dirname(createRequire(import.meta.url).resolve('wrangler/package.json')), 'bin/wrangler.js')

// A demonstration that calls home would be a surprise, and without a network it would wait for nothing.
const QUIET = { WRANGLER_SEND_METRICS: 'false', WRANGLER_HIDE_BANNER: 'true', CLOUDFLARE_CF_FETCH_ENABLED: 'false' }

/** Starts wrangler in the root of the project, on the Node that runs this. */
export function startWrangler(args: readonly string[], options: SpawnOptions = {}): ChildProcess {
  return spawn(process.execPath, [WRANGLER, ...args], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, ...QUIET },
    ...options,
  })
}

/**
 * Runs wrangler to its end. What it prints is shown only where it fails.
 *
 * @throws Error where it does
 */
export async function runWrangler(args: readonly string[]): Promise<void> {
  const child = startWrangler(args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))
  const code = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject))
  if (code !== 0) throw new Error(`wrangler ${args.join(' ')} failed:\n${output}`)
}
