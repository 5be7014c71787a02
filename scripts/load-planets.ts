// Makes sure that a stop ends wrangler too.
import './stop.ts'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writePlanetsSql } from './planets-sql.ts'
import { readShippedPlanets } from './shipped-planets.ts'
import { ROOT, runWrangler } from './wrangler.ts'

const FOLDER = join(ROOT, '.wrangler')

/**
 * Inserts the shipped planets into a database that has its tables. Existing planets stay unchanged.
 *
 * @param target The database: `--remote`, or `--local` with `--persist-to` and a folder
 */
export async function loadPlanets(target: readonly string[]): Promise<void> {
  // One file for each process, because two processes may load their own databases at the same time.
  const file = join(FOLDER, `planets-${process.pid}.sql`)
  await mkdir(FOLDER, { recursive: true })
  await writeFile(file, writePlanetsSql(readShippedPlanets()))
  try {
    await runWrangler(['d1', 'execute', 'DB', '--yes', '--file', file, ...target])
  } finally {
    await rm(file)
  }
}

if (import.meta.main) {
  await loadPlanets(process.argv.slice(2))
  console.log('The shipped planets are in the database.')
}
