import type { D1Migration } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, afterEach, inject } from 'vitest'
import { finishDeferred } from './deferred.ts'
import { freshDatabase } from './fresh-database.ts'
import { stopTimeouts } from './timeouts.ts'

declare module 'vitest' {
  interface ProvidedContext {
    database: { migrations: D1Migration[]; shipped: number }
  }
}

// This runs before each test file. Files share a runtime and its modules, because starting a runtime takes longer than
// most files. They do not share stored data: each file begins with an empty bucket, and with a database that has the
// tables, but not the shipped planets.
await emptyBucket()
await freshDatabase(
  env.DB,
  inject('database').migrations.flatMap(({ queries }) => queries),
)
afterEach(stopTimeouts)
afterAll(finishDeferred)

async function emptyBucket(): Promise<void> {
  const { objects } = await env.IMAGES.list()
  if (objects.length > 0) await env.IMAGES.delete(objects.map(({ key }) => key))
}
