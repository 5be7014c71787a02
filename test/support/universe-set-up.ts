import { env } from 'cloudflare:workers'
import { afterAll, afterEach, inject } from 'vitest'
import { IDLE_HOURS_MAX } from '../../src/domain/universe.ts'
import type { Universe } from '../../src/universes/universe.ts'
import { emptyPrefix, keyPrefixOf } from '../../src/universes/universe-bucket.ts'
import { finishDeferred } from './deferred.ts'
import { freshDatabase } from './fresh-database.ts'
import { stopTimeouts } from './timeouts.ts'
import { bucketInside, databaseInside } from './universe-database.ts'
import { BASE_URL, UNIVERSE_ID, UNIVERSE_WORLD } from './world.ts'

// This runs before each test file of a universe. The file gets a new universe without planets, and sees its database
// and its bucket where tests of the common world see theirs.

if (!UNIVERSE_WORLD) throw new Error('these tests need the Worker of universe-worker.ts')
const { env: common, services, universes } = UNIVERSE_WORLD
const stub = common.UNIVERSE.get(common.UNIVERSE.idFromName(UNIVERSE_ID)) as DurableObjectStub<Universe>
await emptyPrefix(common.IMAGES, '')
await freshDatabase(
  common.DB,
  inject('database').migrations.flatMap(({ queries }) => queries),
)
// Otherwise the service would give ids of the file before to this database, which counts anew and would give them again.
services.ids.forget()
await stub.remove(UNIVERSE_ID)
await universes.make(UNIVERSE_ID, 'blank', IDLE_HOURS_MAX, BASE_URL)
Object.assign(env, {
  DB: databaseInside(stub, UNIVERSE_WORLD.storage),
  IMAGES: bucketInside(common.IMAGES, `${keyPrefixOf(UNIVERSE_ID)}0/`),
})
afterEach(stopTimeouts)
afterAll(finishDeferred)
