import { basename } from 'node:path'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { writeLocalConfig } from '../../scripts/lib/local-config.ts'
import { runWrangler } from '../../scripts/lib/wrangler.ts'
import type { WorkerSettings } from './serve-worker.ts'

/** A built Worker. */
export type BuiltWorker = Pick<WorkerSettings, 'bundle' | 'file' | 'options'>

/** Builds a Worker into a folder as it is deployed, with the configuration of `npm start`. */
export async function buildWorker(bundle: string, entry = 'src/index.ts'): Promise<BuiltWorker> {
  const config = await writeLocalConfig()
  // These two options are not Miniflare's: the modules are built already, and there is no schedule.
  const { modulesRules: _, cronTriggers: __, ...options } = unstable_getMiniflareWorkerOptions(config).workerOptions
  await runWrangler(['deploy', entry, '--config', config, '--dry-run', '--outdir', bundle])
  return { bundle, file: basename(entry).replace('.ts', '.js'), options }
}
