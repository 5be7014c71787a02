import { env } from 'cloudflare:workers'
import { asc, eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { CredentialEnded, type Database, openSession, type Session } from '../../../src/db/client.ts'
import { type Placeholders, prepare, prepareStatement } from '../../../src/db/prepared.ts'
import { build } from '../../../src/db/statements.ts'
import { planets } from '../../../src/db/tables.ts'
import { write } from '../../../src/db/write.ts'
import { GALAXY_USER_ID } from '../../../src/domain/galaxy-user.ts'

const NOW = new Date('2026-11-22T12:00:00Z')

let session: Session
let db: Database

beforeEach(async () => {
  await env.DB.prepare('insert or ignore into users (id, name, created_at) values (?, ?, ?)')
    .bind(GALAXY_USER_ID, 'Galaxy', 0)
    .run()
  session = openSession({ database: env.DB, hub: undefined }, 'first-primary')
  db = session.db
})

interface NewPlanet {
  properties: { name: string }
  lastUpdated: Date
  listsSatellites: boolean
  extras: null
}

const insertPlanet = prepareStatement((values: Placeholders<NewPlanet>) => {
  const { properties, lastUpdated, listsSatellites, extras } = values
  return build
    .insert(planets)
    .values({ creatorId: GALAXY_USER_ID, properties, lastUpdated, listsSatellites, extras, satelliteBytes: 0 })
    .returning()
})

const PLANET = { properties: { name: 'Arrakis' }, lastUpdated: NOW, listsSatellites: true, extras: null }

describe('the values of a prepared query', () => {
  it('are stored and read as the columns say: dates, booleans, JSON and null', async () => {
    const [[alone], [other]] = await write(session, [insertPlanet(PLANET), insertPlanet(PLANET)])
    expect([alone, other]).toMatchObject([PLANET, PLANET])
    const stored = await env.DB.prepare('select typeof(extras) as type from planets where id = ?')
      .bind(alone?.id)
      .first()
    expect(stored?.type).toBe('null')
  })

  it('belong to one call, even if several calls wait at the same time', async () => {
    const names = ['Caladan', 'Giedi Prime', 'Salusa Secundus']
    const inserted = await Promise.all(
      names.map((name) => write(session, [insertPlanet({ ...PLANET, properties: { name } })])),
    )
    expect(inserted.map(([[row]]) => row?.properties.name)).toEqual(names)
  })
})

it('a prepared query is built once', async () => {
  const makeQuery = vi.fn((connection: Database, { id }: Placeholders<{ id: number }>) =>
    connection.select({ id: planets.id }).from(planets).where(eq(planets.id, id)).orderBy(asc(planets.id)),
  )
  const find = prepare(makeQuery)
  expect(makeQuery).not.toHaveBeenCalled()
  const [[row]] = await write(session, [insertPlanet(PLANET)])
  expect(await find(db, { id: row?.id ?? 0 })).toEqual([{ id: row?.id }])
  expect(await find(openSession({ database: env.DB, hub: undefined }, 'first-primary').db, { id: 0 })).toEqual([])
  expect(makeQuery).toHaveBeenCalledTimes(1)
})

it('a prepared write runs only if the guard of its session allows it', async () => {
  session.guard(() => {
    throw new CredentialEnded('the token has expired')
  })
  await expect(write(session, [insertPlanet(PLANET)])).rejects.toThrow(CredentialEnded)
})

it('a statement that writes does not run by itself, and no batch of a database for reads accepts it', async () => {
  const count = () => env.DB.prepare('select count(*) as n from planets').first()
  const before = await count()
  await expect(async () => await insertPlanet(PLANET)).rejects.toThrow()
  await expect(async () => await build.delete(planets)).rejects.toThrow()
  expect(await count()).toEqual(before)
  // @ts-expect-error: a statement that writes
  const batches = [() => db.batch([insertPlanet(PLANET)]), () => db.batch([build.delete(planets)])]
  expect(batches).toHaveLength(2)
})

it('a session that was not used has no bookmark', async () => {
  const unused = openSession({ database: env.DB, hub: undefined }, 'first-primary')
  expect(unused.bookmark()).toBeNull()
  await write(unused, [insertPlanet(PLANET)])
  expect(unused.bookmark()).not.toBeNull()
})
