import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'smol-toml'
import { makeDataKey, makeSigningKeys } from './local-secrets.ts'
import { ROOT } from './root.ts'

/**
 * Maximum CPU time of a start, compared with that of compiling a text that is always the same. Milliseconds differ from
 * machine to machine, but this ratio hardly does. Two thirds are schemas, which grow with the operations. The platform
 * allows a second; a start of 2.8 takes 0.12 seconds.
 */
export const YARDSTICKS_MAX = 3.2

/** Maximum number of runs. Other work on the machine adds up to a tenth to the cost of a run. */
const RUNS_MAX = 7

/**
 * If even the best run exceeds the limit by this factor, no other run follows, because other work cannot be the cause.
 */
const HOPELESS_FACTOR = 3

/** The CPU time to start the Worker on this machine, in milliseconds. */
export interface StartCost {
  /** To compile the fixed text. It is not part of the start. */
  yardstickMs: number
  /** To compile the bundle. It grows with the size of the bundle. */
  compileMs: number
  /** To run the top level: to create schemas, routes and services. */
  runMs: number
}

/**
 * Measures the start of a bundle on Node, which has the JavaScript engine of the runtime. Each run is a process of its
 * own, because an engine compiles a text only once. CPU time is counted, so other work on the machine hardly matters.
 *
 * @returns The first run that is within the limit; if there is none, the run with the lowest ratio
 */
export async function measureStart(file: string): Promise<StartCost> {
  const { vars } = parse(await readFile(join(ROOT, 'wrangler.toml'), 'utf8')) as { vars: object }
  const bindings = JSON.stringify({ ...vars, SIGNING_KEYS: await makeSigningKeys(), DATA_KEY: makeDataKey('1') })
  let best = await runBundle(file, bindings)
  for (let run = 1; run < RUNS_MAX && isTooSlow(best) && !isHopeless(best); run++) {
    const cost = await runBundle(file, bindings)
    if (yardsticksOf(cost) < yardsticksOf(best)) best = cost
  }
  return best
}

async function runBundle(file: string, bindings: string): Promise<StartCost> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    // One thread, so that garbage collection is counted in the same way each time. Unlike the runtime, Node 24 has the
    // Base64 methods of `Uint8Array` only behind a flag.
    [
      '--single-threaded',
      '--js-base-64',
      '--experimental-vm-modules',
      join(import.meta.dirname, 'run-bundle.ts'),
      file,
    ],
    { env: { ...process.env, WORKER_BINDINGS: bindings } },
  )
  return JSON.parse(stdout)
}

export function isTooSlow(cost: StartCost): boolean {
  return yardsticksOf(cost) > YARDSTICKS_MAX
}

function isHopeless(cost: StartCost): boolean {
  return yardsticksOf(cost) > HOPELESS_FACTOR * YARDSTICKS_MAX
}

function yardsticksOf({ yardstickMs, compileMs, runMs }: StartCost): number {
  return (compileMs + runMs) / yardstickMs
}

/** A line about the start, which says whether it is within the limit. */
export function describeStart(cost: StartCost): string {
  const { compileMs, runMs } = cost
  const [total, compiling, running] = [compileMs + runMs, compileMs, runMs].map((time) => Math.round(time))
  const line =
    `Start: ${total} ms of CPU time on this machine, ${compiling} to compile and ${running} to run: ` +
    `${yardsticksOf(cost).toFixed(2)} times the yardstick (at most ${YARDSTICKS_MAX})`
  return isTooSlow(cost) ? `${line}. The bundle is too large, or too much is done at the top level of a module.` : line
}
