import { env } from 'cloudflare:workers'
import { inject } from 'vitest'
import { readSeedFile } from '../../src/universes/seed.ts'
import { runAll } from './fresh-database.ts'

/** The number of planets that the service ships with. */
export const SHIPPED = inject('database').shipped

/** Loads the shipped planets, with the same SQL that `npm start` runs: the build has written it for universes. */
export async function loadShippedPlanets(): Promise<void> {
  const { planets } = await readSeedFile(env.ASSETS)
  await runAll(env.DB, planets)
}
