import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, stringify } from 'smol-toml'
import { ROOT } from './wrangler.ts'

/** Next to wrangler.toml, so that relative paths in it stay valid. Ignored by git. */
const FILE = join(ROOT, 'wrangler.local.toml')

// The edge runs many invocations of the consumer side by side, each with six connections. The local queue hands out one
// batch at a time, and there connections are no limit.
const LOCAL_BATCH_SIZE = 100

/** What is read here of wrangler.toml. */
interface Config {
  triggers?: unknown
  queues: { consumers: { max_batch_size?: number }[] }
}

/** Writes the configuration of the local service: wrangler.toml with changes for a developer's machine. @returns Its path */
export async function writeLocalConfig(): Promise<string> {
  const content = `# Generated from wrangler.toml by npm start.\n${localConfigOf(await readFile(join(ROOT, 'wrangler.toml'), 'utf8'))}`
  // Another service that runs from this folder watches the file, and would restart for nothing.
  if ((await readFile(FILE, 'utf8').catch(() => '')) === content) return FILE
  // Renamed into place, because the other service may be reading it.
  const draft = `${FILE}.${process.pid}`
  await writeFile(draft, content)
  await rename(draft, FILE)
  return FILE
}

function localConfigOf(deployed: string): string {
  // Local cron triggers never fire, and wrangler would warn about them. `npm start` runs the minutely job itself.
  const { triggers, ...config } = parse(deployed) as unknown as Config
  for (const consumer of config.queues.consumers) {
    if (consumer.max_batch_size !== undefined) consumer.max_batch_size = LOCAL_BATCH_SIZE
  }
  return stringify(config)
}
