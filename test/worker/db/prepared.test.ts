import { env } from 'cloudflare:workers'
import { asc, eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type Database, openSession, type Session } from '../../../src/db/client.ts'
import { CredentialEnded } from '../../../src/db/guarded-session.ts'
import { type Placeholders, prepare } from '../../../src/db/prepared.ts'
import { planets } from '../../../src/db/tables.ts'
import { GALAXY_USER_ID } from '../../../src/domain/galaxy-user.ts'

const NOW = new Date('2026-11-22T12:00:00Z')

let session: Session
let db: Database

beforeEach(async () => {
  await env.DB.prepare('insert or ignore into users (id, name, created_at) values (?, ?, ?)')
    .bind(GALAXY_USER_ID, 'Galaxy', 0)
    .run()
  session = openSession(env.DB, 'first-primary')
  db = session.db
})

interface NewPlanet {
  properties: { name: string }
  lastUpdated: Date
  listsSatellites: boolean
  extras: null
}

const insertPlanet = prepare((connection, values: Placeholders<NewPlanet>) => {
  const { properties, lastUpdated, listsSatellites, extras } = values
  return connection
    .insert(planets)
    .values({ creatorId: GALAXY_USER_ID, properties, lastUpdated, listsSatellites, extras, satelliteBytes: 0 })
    .returning()
})

const PLANET = { properties: { name: 'Arrakis' }, lastUpdated: NOW, listsSatellites: true, extras: null }

describe('the values of a prepared query', () => {
  it('are stored and read as the columns say: dates, booleans, JSON and null', async () => {
    const [alone] = await insertPlanet(db, PLANET)
    expect(alone).toMatchObject(PLANET)
    const [[inBatch]] = await db.batch([insertPlanet(db, PLANET)])
    expect(inBatch).toMatchObject(PLANET)
    const stored = await env.DB.prepare('select typeof(extras) as type from planets where id = ?')
      .bind(alone?.id)
      .first()
    expect(stored?.type).toBe('null')
  })

  it('belong to one call, even if several calls wait at the same time', async () => {
    const names = ['Caladan', 'Giedi Prime', 'Salusa Secundus']
    const inserted = await Promise.all(names.map((name) => insertPlanet(db, { ...PLANET, properties: { name } })))
    expect(inserted.map(([row]) => row?.properties.name)).toEqual(names)
  })
})

it('a prepared query is built once', async () => {
  const build = vi.fn((connection: Database, { id }: Placeholders<{ id: number }>) =>
    connection.select({ id: planets.id }).from(planets).where(eq(planets.id, id)).orderBy(asc(planets.id)),
  )
  const find = prepare(build)
  expect(build).not.toHaveBeenCalled()
  const [row] = await insertPlanet(db, PLANET)
  expect(await find(db, { id: row?.id ?? 0 })).toEqual([{ id: row?.id }])
  expect(await find(openSession(env.DB, 'first-primary').db, { id: 0 })).toEqual([])
  expect(build).toHaveBeenCalledTimes(1)
})

it('a prepared write runs only if the guard of its session allows it', async () => {
  session.guard(() => {
    throw new CredentialEnded('the token has expired')
  })
  await expect(insertPlanet(db, PLANET)).rejects.toThrow(CredentialEnded)
  await expect(db.batch([insertPlanet(db, PLANET)])).rejects.toThrow(CredentialEnded)
})

it('a session that was not used has no bookmark', async () => {
  const unused = openSession(env.DB, 'first-primary')
  expect(unused.bookmark()).toBeNull()
  await insertPlanet(unused.db, PLANET)
  expect(unused.bookmark()).not.toBeNull()
})
