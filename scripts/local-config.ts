import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from './wrangler.ts'

/** Beside wrangler.toml, so that its paths lead to the same places. Ignored by git. */
const FILE = join(ROOT, 'wrangler.local.toml')

// The edge runs many invocations of the consumer side by side, each with six connections. The local queue hands out one
// batch at a time, and there connections are no limit.
const DEPLOYED = 'max_batch_size = 6'
const LOCAL = 'max_batch_size = 100'

/** Writes what the local service runs with: wrangler.toml, with what suits the local queue. @returns Its path */
export async function writeLocalConfig(): Promise<string> {
  const text = await readFile(join(ROOT, 'wrangler.toml'), 'utf8')
  if (!text.includes(DEPLOYED))
    throw new Error(`wrangler.toml no longer contains "${DEPLOYED}": see scripts/local-config.ts`)
  const wanted = `# Made from wrangler.toml by npm start.\n${text.replace(DEPLOYED, LOCAL)}`
  // Another service that runs from here watches the file, and would start anew for nothing.
  if ((await readFile(FILE, 'utf8').catch(() => '')) === wanted) return FILE
  // Renamed into place, because it may be reading it too.
  const draft = `${FILE}.${process.pid}`
  await writeFile(draft, wanted)
  await rename(draft, FILE)
  return FILE
}
