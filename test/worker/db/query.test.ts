import { env } from 'cloudflare:workers'
import { asc, eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { CredentialEnded } from '../../../src/db/constraints.ts'
import {
  aroundRuns,
  build,
  type Database,
  openD1,
  openSession,
  type Placeholders,
  prepare,
  type Session,
  together,
  write,
} from '../../../src/db/port.ts'
import { planets, users } from '../../../src/db/tables.ts'
import { GALAXY_USER_ID } from '../../../src/domain/galaxy-user.ts'

const NOW = new Date('2026-11-22T12:00:00Z')

let session: Session
let db: Database

beforeEach(async () => {
  await env.DB.prepare('insert or ignore into users (id, name, created_at) values (?, ?, ?)')
    .bind(GALAXY_USER_ID, 'Galaxy', 0)
    .run()
  session = openSession({ database: openD1(env.DB), hub: undefined }, 'first-primary')
  db = session.db
})

interface NewPlanet {
  properties: { name: string }
  lastUpdated: Date
  listsSatellites: boolean
  extras: null
}

const insertPlanet = prepare((values: Placeholders<NewPlanet>) => {
  const { properties, lastUpdated, listsSatellites, extras } = values
  return build
    .insert(planets)
    .values({ creatorId: GALAXY_USER_ID, properties, lastUpdated, listsSatellites, extras, satelliteBytes: 0 })
    .returning()
})

const PLANET = { properties: { name: 'Arrakis' }, lastUpdated: NOW, listsSatellites: true, extras: null }

describe('the values of a prepared statement', () => {
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
  const makeQuery = vi.fn(({ id }: Placeholders<{ id: number }>) =>
    build.select({ id: planets.id }).from(planets).where(eq(planets.id, id)).orderBy(asc(planets.id)),
  )
  const find = prepare(makeQuery)
  expect(makeQuery).not.toHaveBeenCalled()
  const [[row]] = await write(session, [insertPlanet(PLANET)])
  const filled = find({ id: row?.id ?? 0 })
  const builds = makeQuery.mock.calls.length
  expect(await db.read(filled)).toEqual([{ id: row?.id }])
  expect(await db.read(find({ id: 0 }))).toEqual([])
  expect(makeQuery).toHaveBeenCalledTimes(builds)
})

it('a prepared write runs only if the guard of its session allows it', async () => {
  session.guard(() => {
    throw new CredentialEnded('the token has expired')
  })
  await expect(write(session, [insertPlanet(PLANET)])).rejects.toThrow(CredentialEnded)
})

it('a statement that writes does not run by itself, and no database for reads accepts it', async () => {
  const count = () => env.DB.prepare('select count(*) as n from planets').first()
  const before = await count()
  await expect(async () => await build.delete(planets)).rejects.toMatchObject({
    cause: { message: expect.stringContaining('a session runs queries') },
  })
  expect(await count()).toEqual(before)
  const refused = [
    // @ts-expect-error: a statement that writes
    () => db.read(insertPlanet(PLANET)),
    // @ts-expect-error: a statement that writes
    () => db.batch([build.delete(planets)]),
  ]
  expect(refused).toHaveLength(2)
})

it('a limit is an expression, which SQLite does not plan for', async () => {
  const statements: string[] = []
  const noting = aroundRuns(openD1(env.DB), (list, run) => {
    statements.push(...list.map(({ sql }) => sql))
    return run(list)
  })
  await write(session, [insertPlanet(PLANET), insertPlanet(PLANET)])
  const { db: noted } = openSession({ database: noting, hub: undefined }, 'first-primary')
  const find = prepare(({ limit }: Placeholders<{ limit: number }>) => build.select().from(planets).limit(limit))
  expect(await noted.read(find({ limit: 1 }))).toHaveLength(1)
  expect(await noted.read(build.select().from(planets).limit(2))).toHaveLength(2)
  for (const statement of statements) expect(statement).toMatch(/ limit \?\+0$/)
  expect(statements).toHaveLength(2)
})

it('a query does not run by itself either', async () => {
  await expect(async () => await build.select().from(planets)).rejects.toMatchObject({
    cause: { message: expect.stringContaining('a session runs queries') },
  })
})

it('columns of two tables with the same names are both read', async () => {
  const [[row]] = await write(session, [insertPlanet(PLANET)])
  const creator = together({ id: users.id, name: users.name, createdAt: users.createdAt }).column().as('creator')
  const query = build
    .select({ id: planets.id, properties: planets.properties, creator })
    .from(planets)
    .innerJoin(users, eq(users.id, planets.creatorId))
    .where(eq(planets.id, row?.id ?? 0))
  const found = { id: row?.id, properties: PLANET.properties }
  expect(await db.read(query)).toEqual([
    { ...found, creator: { id: GALAXY_USER_ID, name: 'Galaxy', createdAt: new Date(0) } },
  ])
})

it('a session that was not used has no bookmark', async () => {
  const unused = openSession({ database: openD1(env.DB), hub: undefined }, 'first-primary')
  expect(unused.bookmark()).toBeNull()
  await write(unused, [insertPlanet(PLANET)])
  expect(unused.bookmark()).not.toBeNull()
})
