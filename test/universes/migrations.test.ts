import { runInDurableObject } from 'cloudflare:test'
import { expect, it } from 'vitest'
import type { UniverseRecord } from '../../src/universes/record.ts'
import { MIGRATION_COUNT, readSeedFile } from '../../src/universes/seed.ts'
import {
  bodyOf,
  clock,
  commonServices,
  DAY_MS,
  makeUniverse,
  type OwnWorld,
  queryInside,
  replaceServices,
  stubOf,
  sweepUniverses,
  useWorlds,
} from '../support/worlds.ts'

useWorlds()

// A version of the service with another migration meets universes that were made before it.

/** Starts the object of a universe again, and lets it know one migration less than the service has. */
async function restartAsOlder(world: OwnWorld): Promise<void> {
  await runInDurableObject(world.stub, (_, { storage: { sql } }) => {
    const [row] = sql.exec<{ record: string }>('select record from universe_record').toArray()
    const record: UniverseRecord = JSON.parse(row?.record ?? '')
    sql.exec('update universe_record set record = ?', JSON.stringify({ ...record, migrations: MIGRATION_COUNT - 1 }))
  })
  await runInDurableObject(world.stub, (_, context) => context.abort('the object starts again')).catch(() => {})
  world.stub = stubOf(world.id)
}

/** Lets the last migration be this one. No universe is made after this, so nobody misses the one that it replaces. */
async function migrateBy(migration: string): Promise<void> {
  const { migrations, ...planets } = await readSeedFile(commonServices.assets)
  const seed = { migrations: [...migrations.slice(0, -1), migration], ...planets }
  replaceServices({ assets: { fetch: async () => Response.json(seed) } as unknown as Fetcher })
}

it('a universe that is older than a migration counts and limits as before, and a reset knows the migration', async () => {
  const world = await makeUniverse()
  await world.own('POST', '/planets', { name: 'Mine' })
  await world.own('POST', '/inboxes')
  const { limits, usage } = await bodyOf(await world.send('/universe'))
  expect(usage).toMatchObject({ planets: 1, inboxes: 1 })
  const [inboxes] = await queryInside<{ sql: string }>(world, "select sql from sqlite_master where name = 'inboxes'")
  await migrateBy(`
    create table kept_inboxes as select * from inboxes;
    drop table inboxes;
    ${inboxes?.sql};
    insert into inboxes select * from kept_inboxes;
    drop table kept_inboxes;
    insert into clients (id, metadata, created_at, last_used_at) values ('from-migration', json_object(), 0, 0);`)
  await restartAsOlder(world)
  expect(await bodyOf(await world.send('/universe'))).toMatchObject({ limits, usage })
  await world.own('POST', '/inboxes')
  expect((await bodyOf(await world.send('/universe'))).usage).toEqual({ ...usage, inboxes: 2 })

  expect((await world.own('POST', '/universe/reset')).status).toBe(204)
  expect(await bodyOf(await world.send('/universe'))).toMatchObject({ limits, usage: { planets: 0, inboxes: 0 } })
  expect(await queryInside(world, "select id from clients where id = 'from-migration'")).toHaveLength(1)
})

it('a reset after a migration keeps the counts of calls, which it neither removes nor inserts twice', async () => {
  const world = await makeUniverse()
  const insertCount = (host: string) =>
    queryInside(
      world,
      `insert into call_targets (host, window_start, calls, leases, kept_until)
      values ('${host}', 0, 1, '{}', 9999999999999)`,
    )
  await insertCount('kept.example')
  await insertCount('removed.example')
  await migrateBy('select 1;')
  await restartAsOlder(world)
  expect((await world.send('/universe')).status).toBe(200)
  // Counts are removed when they are no longer needed. A reset must not bring them back.
  await queryInside(world, "delete from call_targets where host = 'removed.example'")
  expect((await world.own('POST', '/universe/reset')).status).toBe(204)
  expect(await queryInside(world, 'select host from call_targets')).toEqual([{ host: 'kept.example' }])
  expect(await queryInside(world, "select 1 from universe_first_rows where name = 'call_targets'")).toEqual([])
})

it('a universe that cannot be migrated ends nevertheless', async () => {
  const world = await makeUniverse()
  await migrateBy('this is no SQL')
  await restartAsOlder(world)
  expect((await world.send('/planets')).status).toBe(503)
  clock.advance(7 * DAY_MS + DAY_MS)
  await sweepUniverses()
  expect((await world.send('/planets')).status).toBe(410)
  expect(await queryInside(world, "select name from sqlite_master where name not glob '_cf_*'")).toEqual([])
})
