import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
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

/**
 * Puts the shipped planets into a database that has the tables. Planets that are there already stay as they are.
 *
 * @param target Where the database is: `--remote`, or `--local` with `--persist-to` and a folder
 */
export async function loadPlanets(target: readonly string[]): Promise<void> {
  // Imported here, because a start with a prepared database has no use for what they import.
  const { readShippedPlanets } = await import('./shipped-planets.ts')
  const { writePlanetsSql } = await import('./planets-sql.ts')
  const folder = join(ROOT, '.wrangler')
  // One file for each process: two may load at the same time, into databases of their own.
  const file = join(folder, `planets-${process.pid}.sql`)
  await mkdir(folder, { recursive: true })
  await writeFile(file, writePlanetsSql(readShippedPlanets()))
  try {
    await runWrangler(['d1', 'execute', 'DB', '--yes', '--file', file, ...target])
  } finally {
    await rm(file)
  }
}
