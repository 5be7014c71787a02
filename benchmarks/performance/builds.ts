import { join } from 'node:path'
import { LOCAL_VARIABLES } from '../../scripts/lib/local-variables.ts'
import { type BuiltWorker, buildWorker as build } from './build-worker.ts'
import type { WorkerSettings } from './serve-worker.ts'

export const WORKERS = {
  galaxy: 'src/index.ts',
  floor: 'benchmarks/performance/workers/floor.ts',
  limit: 'benchmarks/performance/workers/limit.ts',
  recorder: 'benchmarks/performance/workers/recorder.ts',
  meter: 'benchmarks/performance/workers/meter.ts',
} as const

export type WorkerName = keyof typeof WORKERS

/** A built Worker, and its variables. */
export type Build = BuiltWorker & Pick<WorkerSettings, 'bindings'>

/** What is measured is not limited. */
const NO_LIMITS = {
  TOKEN_RATE_LIMIT: '100000000',
  SIGNUP_RATE_LIMIT: '100000000',
  UNIVERSE_RATE_LIMIT: '100000000',
  SOCKET_LIMIT: '100000000',
}

/** Builds a Worker as it is deployed, with the configuration of `npm start`. */
export async function buildWorker(folder: string, name: WorkerName): Promise<Build> {
  const built = await build(join(folder, name), WORKERS[name])
  return { ...built, bindings: { ...LOCAL_VARIABLES, ...NO_LIMITS } }
}
