import builtSeed from '../../dist/universes/seed.json' with { type: 'json' }
import { readBuiltFile } from '../lib/built-file.ts'

/** The contents of a new universe. The build writes them (scripts/lib/universe-seed.ts). */
export interface SeedFile {
  /** The SQL of each migration, oldest first. */
  migrations: string[]
  /** The statements that insert the shipped planets. */
  planets: string[]
  /** The statements that do the work of triggers, because the planets are inserted without triggers. */
  derived: string[]
}

/** The number of migrations that this version of the code needs. */
export const MIGRATION_COUNT = builtSeed.migrations

/**
 * Reads the seed. It is not kept in memory, because universes are rarely created.
 *
 * @throws Any error of `readBuiltFile`
 */
export async function readSeedFile(assets: Fetcher): Promise<SeedFile> {
  return JSON.parse(await readBuiltFile(assets, builtSeed.url))
}
