import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writePlanetsSql } from './planets-sql.ts'
import { readShippedPlanets } from './shipped-planets.ts'
import { ROOT, runWrangler } from './wrangler.ts'

const FOLDER = join(ROOT, '.wrangler')

/**
 * Puts the shipped planets into a database that has the tables. Planets that are there already stay as they are.
 *
 * @param target Where the database is: `--remote`, or `--local` with `--persist-to` and a folder
 */
export async function loadPlanets(target: readonly string[]): Promise<void> {
  // One file for each process: two may load at the same time, into databases of their own.
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
  // So that a stop ends wrangler too.
  await import('./stop.ts')
  await loadPlanets(process.argv.slice(2))
  console.log('The shipped planets are in the database.')
}
