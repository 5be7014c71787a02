import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, stringify } from 'smol-toml'
import { HOME, IS_PACKAGE, ROOT } from './wrangler.ts'

/**
 * The local configuration. In a clone it is next to wrangler.toml, so that relative paths in it stay valid. Ignored by
 * git.
 */
const FILE = join(HOME, 'wrangler.local.toml')

/**
 * The built Worker of the package. It has a folder of its own, because wrangler takes every script there for a part of
 * it.
 */
export const PACKAGED_WORKER = join(ROOT, 'dist', 'worker', 'index.js')

// When deployed, many invocations of the queue's consumer run side by side, each with at most six connections. The
// local queue hands out one batch at a time, but does not limit connections, so a batch can be larger.
const LOCAL_BATCH_SIZE = 100

/** Variables that differ from wrangler.toml on a local machine. `--var` overrides them. */
export const LOCAL_VARIABLES = {
  WRITE_RATE_LIMIT: 'off',
  CALLBACK_ALLOW_PRIVATE: 'on',
  CALLBACK_TARGET_LIMITS: 'off',
  ACCOUNT_LIMITS: 'off',
  // wrangler prints each request in words.
  LOG_REQUESTS: 'off',
  // A test suite makes a universe for each of its files, all from one address.
  UNIVERSE_RATE_LIMIT: '10000',
}

/** The part of wrangler.toml that this file uses. */
interface Config {
  triggers?: unknown
  env?: unknown
  build?: unknown
  minify?: unknown
  keep_names?: unknown
  upload_source_maps?: unknown
  assets: { directory: string }
  d1_databases: { migrations_dir: string }[]
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
  return stringify(IS_PACKAGE ? packagedConfigOf(config) : config)
}

/**
 * The configuration of the package, whose Worker is already built. The paths are absolute, because HOME is another
 * folder.
 */
function packagedConfigOf(config: Config): object {
  const { build, minify, keep_names, upload_source_maps, assets, d1_databases, ...rest } = config
  return {
    ...rest,
    main: PACKAGED_WORKER,
    no_bundle: true,
    assets: { ...assets, directory: join(ROOT, assets.directory) },
    d1_databases: d1_databases.map((database) => ({
      ...database,
      migrations_dir: join(ROOT, database.migrations_dir),
    })),
  }
}
