import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadPlanets } from './load-planets.ts'
import { ROOT, runWrangler } from './wrangler.ts'

// What the local database is made from: while none of it changes, a database that was prepared is prepared.
const SOURCES = ['migrations', 'data', 'scripts']

/**
 * Brings the local database up to date: migrations, then the shipped planets. Both can be done again without harm, but
 * cost seconds, so a stamp beside the database says from what it was made. Whoever deletes the database deletes the stamp.
 *
 * @param stateFolder What wrangler calls `--persist-to`
 */
export async function prepareDatabase(stateFolder: string): Promise<void> {
  const stampFile = join(stateFolder, 'v3', 'd1', 'prepared-from')
  const stamp = await hashSources()
  if ((await readFile(stampFile, 'utf8').catch(() => '')) === stamp) return
  const target = ['--local', '--persist-to', stateFolder]
  console.log('Preparing the database: migrations and 5,402 planets …')
  await runWrangler(['d1', 'migrations', 'apply', 'DB', ...target])
  await loadPlanets(target)
  await writeFile(stampFile, stamp)
}

async function hashSources(): Promise<string> {
  const hash = createHash('sha256')
  for (const source of SOURCES) {
    for (const name of (await readdir(join(ROOT, source))).sort()) {
      if (/\.(sql|csv|ts)$/.test(name)) hash.update(await readFile(join(ROOT, source, name)))
    }
  }
  return hash.digest('hex')
}
