import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, stringify } from 'smol-toml'
import { ROOT } from './root.ts'

/** The local configuration. It is next to wrangler.toml, so that relative paths in it stay valid. Ignored by git. */
const FILE = join(ROOT, 'wrangler.local.toml')

// When deployed, many invocations of the queue's consumer run side by side, each with at most six connections. The
// local queue hands out one batch at a time, but does not limit connections, so a batch can be larger.
const LOCAL_BATCH_SIZE = 100

/** The part of wrangler.toml that this file uses. */
interface Config {
  triggers?: unknown
  env?: unknown
  queues: { consumers: { max_batch_size?: number }[] }
}

/**
 * Writes the configuration of the local service, which is wrangler.toml with changes for a developer's machine.
 *
 * @returns The path of the written file
 */
export async function writeLocalConfig(): Promise<string> {
  const content = `# Generated from wrangler.toml by npm start.\n${localConfigOf(await readFile(join(ROOT, 'wrangler.toml'), 'utf8'))}`
  // An unchanged file is not written again. Another service that runs from this folder watches it, and would restart.
  if ((await readFile(FILE, 'utf8').catch(() => '')) === content) return FILE
  // Written elsewhere and then renamed, because the other service may be reading the file.
  const draft = `${FILE}.${process.pid}`
  await writeFile(draft, content)
  await rename(draft, FILE)
  return FILE
}

function localConfigOf(deployed: string): string {
  // Local cron triggers never fire, and wrangler would warn about them. `npm start` runs the minutely job itself.
  // Environments are for deployments.
  const { triggers, env, ...config } = parse(deployed) as unknown as Config
  for (const consumer of config.queues.consumers) {
    if (consumer.max_batch_size !== undefined) consumer.max_batch_size = LOCAL_BATCH_SIZE
  }
  return stringify(config)
}
