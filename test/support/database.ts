import { applyD1Migrations, type D1Migration } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    database: { migrations: D1Migration[]; planetsSql: string }
  }
}

// Each test file has a database of its own; with the tables, but without the shipped planets.
await applyD1Migrations(env.DB, inject('database').migrations)

/** Puts the shipped planets in, by the very SQL that `npm start` runs. */
export async function loadShippedPlanets(): Promise<void> {
  const statements = inject('database').planetsSql.split(/;\n/).filter(Boolean)
  await env.DB.batch(statements.map((statement) => env.DB.prepare(statement)))
}
