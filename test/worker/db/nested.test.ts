import { env } from 'cloudflare:workers'
import { asc, eq, sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { build, openD1, openSession, rowIfAny, rowOf, rowsOf, together } from '../../../src/db/port.ts'
import { celestialBodies, planets, users } from '../../../src/db/tables.ts'

beforeAll(async () => {
  await env.DB.batch([
    env.DB.prepare(
      "insert into users (id, name, created_at, renamed_at) values (1, 'Galaxy', 0, 1500), (2, null, 7, null)",
    ),
    ...[
      [1, '{"name":"One","tags":["\\"a\\"",null,1.50]}'],
      [2, '{"name":"Two"}'],
    ].map((values) =>
      env.DB.prepare(
        'insert into planets (id, creator_id, last_updated, properties, lists_satellites) values (?1, ?1, 9, ?2, 1)',
      ).bind(...values),
    ),
    ...[2, 0, 1].map((position) =>
      env.DB.prepare(
        'insert into bodies (planet_id, position, creator_id, last_updated, properties, lists_satellites) values (1, ?1, 1, ?1, ?2, ?1)',
      ).bind(position, `{"name":"Moon ${position}"}`),
    ),
  ])
})

const { db } = openSession({ database: openD1(env.DB), hub: undefined }, 'first-primary')

const ofPlanet = sql`from ${celestialBodies} where ${celestialBodies.planetId} = ${planets.id} order by ${celestialBodies.position}`
const creator = rowOf(
  { id: users.id, name: users.name, renamedAt: users.renamedAt },
  sql`from ${users} where ${users.id} = ${planets.creatorId}`,
)

it('a row of another table has the values that its columns describe', async () => {
  const query = build
    .select({ creator: creator.column().as('creator') })
    .from(planets)
    .orderBy(asc(planets.id))
  expect(await db.read(query)).toEqual([
    { creator: { id: 1, name: 'Galaxy', renamedAt: new Date(1500) } },
    { creator: { id: 2, name: null, renamedAt: null } },
  ])
})

it('a row that may be absent is null, and so it is within another value', async () => {
  const first = rowIfAny({ lastUpdated: celestialBodies.lastUpdated }, sql`${ofPlanet} limit 1`)
  const both = together({ id: planets.id, first })
  const query = build
    .select({ first: first.column().as('first'), both: both.column().as('both') })
    .from(planets)
    .orderBy(asc(planets.id))
  const found = { lastUpdated: new Date(0) }
  expect(await db.read(query)).toEqual([
    { first: found, both: { id: 1, first: found } },
    { first: null, both: { id: 2, first: null } },
  ])
})

it('rows are a list in the order of their query, with JSON, booleans, SQL and other rows in them', async () => {
  const shape = {
    properties: celestialBodies.properties,
    listsSatellites: celestialBodies.listsSatellites,
    name: sql<string>`${celestialBodies.properties} ->> '$.name'`,
    creator: rowOf({ name: users.name }, sql`from ${users} where ${users.id} = ${celestialBodies.creatorId}`),
  }
  const query = build
    .select({ moons: rowsOf(shape, ofPlanet).column().as('moons') })
    .from(planets)
    .orderBy(asc(planets.id))
  const moon = (position: number, listsSatellites: boolean) => {
    const name = `Moon ${position}`
    return { properties: { name }, listsSatellites, name, creator: { name: 'Galaxy' } }
  }
  const [one, two] = await db.read(query)
  expect(one?.moons.map(({ name }) => name)).toEqual(['Moon 0', 'Moon 1', 'Moon 2'])
  expect(one?.moons.slice(0, 2)).toEqual([moon(0, false), moon(1, true)])
  expect(two?.moons).toEqual([])
})

it('JSON in a value is what it is in a column of its own', async () => {
  const query = build
    .select({
      properties: planets.properties,
      within: together({ properties: planets.properties }).column().as('within'),
    })
    .from(planets)
    .where(eq(planets.id, 1))
  const [row] = await db.read(query)
  expect(row?.properties).toEqual({ name: 'One', tags: ['"a"', null, 1.5] })
  expect(row?.within).toEqual({ properties: row?.properties })
})

it('a value with a condition is null where the condition is false', async () => {
  const named = together({ id: planets.id }).when(sql`${planets.id} = 2`).column()
  const query = build
    .select({ named: named.as('named') })
    .from(planets)
    .orderBy(asc(planets.id))
  expect(await db.read(query)).toEqual([{ named: null }, { named: { id: 2 } }])
})
