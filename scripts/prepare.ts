import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureLocalSecrets } from './local-secrets.ts'
import { ROOT, runWrangler } from './wrangler.ts'

/**
 * Brings the local database up to date: migrations, then, once, the shipped planets. Both can be done again without harm
 * but cost seconds, so a stamp beside the database says with which migrations it was prepared.
 *
 * @param stateFolder What wrangler calls `--persist-to`
 */
export async function prepareDatabase(stateFolder: string): Promise<void> {
  const stampFile = join(stateFolder, 'v3', 'd1', 'prepared-from')
  const stamp = await hashMigrations()
  if ((await readFile(stampFile, 'utf8').catch(() => '')) === stamp) return
  const target = ['--local', '--persist-to', stateFolder]
  console.log('Preparing the database: migrations and 5,402 planets …')
  // Loaded here, because the planets need modules that a start with a prepared database does not.
  const { loadPlanets } = await import('./load-planets.ts')
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

// node scripts/prepare.ts DIR: what `npm start` does before it starts the service.
if (import.meta.main) {
  // So that a stop ends wrangler too.
  await import('./stop.ts')
  await ensureLocalSecrets()
  await prepareDatabase(process.argv[2] ?? '.wrangler/state')
}
