import { env } from 'cloudflare:workers'
import { inject } from 'vitest'
import { runAll } from './fresh-database.ts'

/** The number of planets that the service ships with. */
export const SHIPPED = inject('database').shipped

/** Loads the shipped planets, with the same SQL that `npm start` runs. */
export async function loadShippedPlanets(): Promise<void> {
  await runAll(env.DB, inject('database').planetsSql.split(/;\n/).filter(Boolean))
}
