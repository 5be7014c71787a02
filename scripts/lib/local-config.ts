import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, stringify } from 'smol-toml'
import { ROOT } from './wrangler.ts'

/** Beside wrangler.toml, so that its paths lead to the same places. Ignored by git. */
const FILE = join(ROOT, 'wrangler.local.toml')

// The edge runs many invocations of the consumer side by side, each with six connections. The local queue hands out one
// batch at a time, and there connections are no limit.
const LOCAL_BATCH_SIZE = 100

/** What is read here of wrangler.toml. */
interface Config {
  triggers?: unknown
  queues: { consumers: { max_batch_size?: number }[] }
}

/** Writes what the local service runs with: wrangler.toml, with what suits one's own machine. @returns Its path */
export async function writeLocalConfig(): Promise<string> {
  const wanted = `# Made from wrangler.toml by npm start.\n${localConfigOf(await readFile(join(ROOT, 'wrangler.toml'), 'utf8'))}`
  // Another service that runs from here watches the file, and would start anew for nothing.
  if ((await readFile(FILE, 'utf8').catch(() => '')) === wanted) return FILE
  // Renamed into place, because it may be reading it too.
  const draft = `${FILE}.${process.pid}`
  await writeFile(draft, wanted)
  await rename(draft, FILE)
  return FILE
}

function localConfigOf(deployed: string): string {
  // Cron does not fire here, and wrangler would warn of it; `npm start` runs the job of each minute itself.
  const { triggers, ...config } = parse(deployed) as unknown as Config
  for (const consumer of config.queues.consumers) {
    if (consumer.max_batch_size !== undefined) consumer.max_batch_size = LOCAL_BATCH_SIZE
  }
  return stringify(config)
}
