import builtSeed from '../../dist/universes/seed.json' with { type: 'json' }
import { readBuiltFile } from '../lib/built-file.ts'

/** What a new universe is filled with. The build writes it (scripts/lib/universe-seed.ts). */
export interface UniverseSeed {
  /** The SQL of each migration, oldest first. */
  migrations: string[]
  /** The statements that insert the shipped planets. */
  planets: string[]
  /** The statements that repeat what the triggers of the database do meanwhile. */
  derived: string[]
}

/** The number of migrations that this version of the code needs. */
export const MIGRATIONS = builtSeed.migrations

/** Reads the seed. It is not kept in memory, because universes are rarely created. @throws What `readBuiltFile` throws */
export async function readSeed(assets: Fetcher): Promise<UniverseSeed> {
  return JSON.parse(await readBuiltFile(assets, builtSeed.url))
}
