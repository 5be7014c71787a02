import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadPlanets } from './load-planets.ts'
import { ROOT, runWrangler } from './wrangler.ts'

/**
 * Brings the local database up to date: applies the migrations, then inserts the shipped planets. Repeating this does
 * no harm but takes seconds, so a stamp next to the database records the migrations with which it was prepared.
 *
 * @param stateFolder The value for wrangler's `--persist-to`
 */
export async function prepareDatabase(stateFolder: string): Promise<void> {
  const stampFile = join(stateFolder, 'v3', 'd1', 'prepared-from')
  const stamp = await hashMigrations()
  if ((await readFile(stampFile, 'utf8').catch(() => '')) === stamp) return
  const target = ['--local', '--persist-to', stateFolder]
  console.log('Preparing the database: migrations and 5,402 planets …')
  await runWrangler(['d1', 'migrations', 'apply', 'DB', ...target])
  await loadPlanets(target)
  await writeFile(stampFile, stamp)
}

async function hashMigrations(): Promise<string> {
  const hash = createHash('sha256')
  const folder = join(ROOT, 'migrations')
  for (const name of (await readdir(folder)).sort()) {
    if (name.endsWith('.sql')) hash.update(await readFile(join(folder, name)))
  }
  return hash.digest('hex')
}
