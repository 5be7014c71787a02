import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from './wrangler.ts'

/** Next to wrangler.toml, so that relative paths in it stay valid. Ignored by git. */
const FILE = join(ROOT, 'wrangler.local.toml')

// The edge runs many invocations of the consumer at the same time, each with six connections. The local queue delivers
// one batch at a time, and connections are not limited there.
const DEPLOYED = 'max_batch_size = 6'
const LOCAL = 'max_batch_size = 100'

/** Writes the configuration of the local service: wrangler.toml, adapted to the local queue. @returns Its path */
export async function writeLocalConfig(): Promise<string> {
  const text = await readFile(join(ROOT, 'wrangler.toml'), 'utf8')
  if (!text.includes(DEPLOYED))
    throw new Error(`wrangler.toml no longer contains "${DEPLOYED}": see scripts/local-config.ts`)
  const content = `# Made from wrangler.toml by npm start.\n${text.replace(DEPLOYED, LOCAL)}`
  // Another service that runs from this folder watches the file, and would restart without a reason.
  if ((await readFile(FILE, 'utf8').catch(() => '')) === content) return FILE
  // Renamed into place, because that service may be reading the file.
  const draft = `${FILE}.${process.pid}`
  await writeFile(draft, content)
  await rename(draft, FILE)
  return FILE
}
