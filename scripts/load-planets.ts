import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writePlanetsSql } from './planets-sql.ts'
import { readShippedPlanets } from './shipped-planets.ts'
import { runWrangler } from './wrangler.ts'

/**
 * Puts the shipped planets into a database that has the tables. Planets that are there already stay as they are.
 *
 * @param target Where the database is: `--remote`, or `--local` with `--persist-to` and a folder
 */
export async function loadPlanets(target: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'galaxy-'))
  try {
    const file = join(folder, 'planets.sql')
    await writeFile(file, writePlanetsSql(readShippedPlanets()))
    await runWrangler(['d1', 'execute', 'DB', '--yes', '--file', file, ...target])
  } finally {
    await rm(folder, { recursive: true })
  }
}

if (import.meta.main) {
  await loadPlanets(process.argv.slice(2))
  console.log('The shipped planets are in the database.')
}
