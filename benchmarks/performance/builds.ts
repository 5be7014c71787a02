import { join } from 'node:path'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { LOCAL_VARIABLES, writeLocalConfig } from '../../scripts/lib/local-config.ts'
import { runWrangler } from '../../scripts/lib/wrangler.ts'
import type { WorkerSettings } from './serve-worker.ts'

const WORKERS = {
  galaxy: 'src/index.ts',
  floor: 'benchmarks/performance/workers/floor.ts',
  recorder: 'benchmarks/performance/workers/recorder.ts',
} as const

export type WorkerName = keyof typeof WORKERS

/** A built Worker. */
export type Build = Pick<WorkerSettings, 'bundle' | 'file' | 'options' | 'bindings'>

/** Sign-ins are measured, so they are not limited. */
const NO_LIMITS = { TOKEN_RATE_LIMIT: '100000000', SIGNUP_RATE_LIMIT: '100000000' }

/** Builds the Workers as they are deployed, with the configuration of `npm start`. */
export async function buildWorkers(folder: string): Promise<Record<WorkerName, Build>> {
  const config = await writeLocalConfig()
  // These two options are not Miniflare's: the modules are built already, and there is no schedule.
  const { modulesRules: _, cronTriggers: __, ...options } = unstable_getMiniflareWorkerOptions(config).workerOptions
  const build = async (name: WorkerName): Promise<Build> => {
    const bundle = join(folder, name)
    await runWrangler(['deploy', WORKERS[name], '--config', config, '--dry-run', '--outdir', bundle])
    const file = WORKERS[name].split('/').at(-1)?.replace('.ts', '.js') ?? ''
    return { bundle, file, options, bindings: { ...LOCAL_VARIABLES, ...NO_LIMITS } }
  }
  return { galaxy: await build('galaxy'), floor: await build('floor'), recorder: await build('recorder') }
}
