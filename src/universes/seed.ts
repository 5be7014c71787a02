import list from '../../dist/universes/seed.json' with { type: 'json' }
import { readBuiltFile } from '../lib/built-file.ts'

/** What a universe is made from, as the build writes it (scripts/lib/universe-seed.ts). */
export interface UniverseSeed {
  /** The SQL of each migration, oldest first. */
  migrations: string[]
  /** The statements that insert the shipped planets. */
  planets: string[]
}

/** The number of migrations that this version of the code needs. */
export const MIGRATIONS = list.migrations

/** Reads the seed. It is not kept in memory, because universes are made seldom. @throws What `readBuiltFile` throws */
export async function readSeed(assets: Fetcher): Promise<UniverseSeed> {
  return JSON.parse(await readBuiltFile(assets, list.url))
}
