import { asc, count, eq, gte, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { idAtOffset, PLANET_ID_MAX, totalOf } from '../db/ranks.ts'
import { bodies, planets } from '../db/tables.ts'
import { ENTITY_MAX_BYTES } from '../lib/entity-size.ts'
import { rootCause } from '../lib/root-cause.ts'
import { type BodyExtras, type BodyType, isPlanetType, type OtherType } from '../schemas/celestial-body.ts'
import { SATELLITES_MAX, type SatelliteInput } from '../schemas/satellite.ts'
import { nextVersion, notBefore, type StoredPlanet, WITH_PARTS } from './planets.ts'
import { numberSatellites, type SatelliteDraft } from './satellites.ts'

// Celestial bodies that are no planets, and lists of all of them.

/** A satellite or a star as the database has it, with its creator, its planet and its satellites. */
export type StoredBody = Awaited<ReturnType<typeof selectBody>>[number]

/** A satellite or a star to be made. */
export interface BodyDraft {
  type: OtherType
  properties: SatelliteInput
  extras: BodyExtras
  satellites: readonly SatelliteDraft[] | undefined
}

/** Without the rest of the planet, which every satellite of a page would bring along. */
const nameOfPlanet = sql<string>`${planets.properties} ->> '$.name'`.as('name')

const WITH_ALL = {
  creator: { columns: { id: true, name: true } },
  planet: { columns: { id: true }, extras: { name: nameOfPlanet } },
  satellites: { orderBy: asc(bodies.position), columns: { id: true, properties: true } },
} as const

/** The query for a satellite or a star: a list of one, or of none. */
export function selectBody(db: Database, id: number) {
  return db.query.bodies.findMany({ where: eq(bodies.id, id), limit: 1, with: WITH_ALL })
}

/** Of those that were made by themselves the newest is the one that this batch has made. */
const newestHost = sql`(select max(${bodies.id}) from ${bodies} where ${bodies.hostId} is null)`

/**
 * Stores a satellite or a star with its satellites, and puts it at the end of its planet's list, all or nothing. One round
 * trip.
 *
 * @param planet Whose satellite it is; undefined of a star, and of a free satellite
 * @returns The body; undefined where the planet is gone, or has as many satellites as it may have
 */
export async function insertBody(
  db: Database,
  creator: StoredPlanet['creator'],
  { satellites, ...draft }: BodyDraft,
  planet: StoredPlanet | undefined,
  now: Date,
): Promise<StoredBody | undefined> {
  const drafts = satellites ?? []
  const planetId = planet?.id ?? null
  const values = {
    ...draft,
    planetId,
    position: nextPosition(planetId, draft.properties),
    creatorId: creator.id,
    lastUpdated: now,
    listsSatellites: satellites !== undefined,
  }
  try {
    const [[row], written] = await db.batch([
      db.insert(bodies).values(values).returning(),
      writeHostedSatellites(db, drafts),
      touchPlanet(db, planet, now),
    ])
    if (!row) throw new Error('the database returned no row for a body that it stored')
    return {
      ...row,
      creator,
      planet: planet ? { id: planet.id, name: planet.properties.name } : null,
      satellites: numberSatellites(drafts, written),
    }
  } catch (error) {
    if (/FOREIGN KEY constraint failed|bodies_bounded/.test(rootCause(error).message)) return undefined
    throw error
  }
}

/**
 * The place behind the satellites that a planet has; none that the table takes where they would be too large together, so
 * that of many that come at the same moment none is too much.
 */
function nextPosition(planetId: number | null, properties: SatelliteInput) {
  const bytes = new TextEncoder().encode(JSON.stringify(properties)).byteLength
  const size = sql`coalesce(sum(octet_length(${bodies.properties})), 0) + ${bytes}`
  return sql<number>`(
    select iif(${size} > ${ENTITY_MAX_BYTES}, ${SATELLITES_MAX}, count(*)) from ${bodies}
    where ${bodies.planetId} = ${planetId})`
}

/** A planet that has got a satellite is another planet than before. */
function touchPlanet(db: Database, planet: StoredPlanet | undefined, now: Date) {
  return db
    .update(planets)
    .set({ version: nextVersion(undefined), lastUpdated: notBefore(now), listsSatellites: true })
    .where(eq(planets.id, planet?.id ?? 0))
}

/** The satellites of a star, or of a satellite: they belong to no planet. */
function writeHostedSatellites(db: Database, drafts: readonly SatelliteDraft[]) {
  return db
    .insert(bodies)
    .select(sql`
      select null, null, host.id, key, host.creator_id, host.last_updated,
        json_extract(value, '$.properties.type'), json_extract(value, '$.properties'), null, false
      from ${bodies} as host, json_each(${JSON.stringify(drafts)})
      where host.id = ${newestHost} order by key`)
    .returning({ id: bodies.id, position: bodies.position })
}

/** A page of celestial bodies. */
export interface BodyPage {
  planets: StoredPlanet[]
  others: StoredBody[]
  total: number
}

interface Window {
  limit: number
  offset: number
}

/** A page of all celestial bodies in the order of their ids, planets first. One round trip, however deep the page lies. */
export async function listBodies(db: Database, { limit, offset }: Window): Promise<BodyPage> {
  const planetsBefore = totalOf('planets')
  const othersOffset = sql`max(${offset} - ${planetsBefore}, 0)`
  const isReached = sql`${offset + limit} > ${planetsBefore}`
  const [[counted], planetRows, others] = await db.batch([
    db.select({ total: sql<number>`${planetsBefore} + ${totalOf('bodies')}` }).from(sql`(select 1)`),
    db.query.planets.findMany({
      where: gte(planets.id, idAtOffset('planets', offset)),
      orderBy: [asc(planets.id)],
      limit,
      with: WITH_PARTS,
    }),
    db.query.bodies.findMany({
      // As a bound, not as a condition beside it, which would be tested for each row.
      where: gte(bodies.id, sql`iif(${isReached}, ${idAtOffset('bodies', othersOffset)}, null)`),
      orderBy: [asc(bodies.id)],
      limit,
      with: WITH_ALL,
    }),
  ])
  const room = limit - planetRows.length
  return { planets: planetRows, others: others.slice(0, room), total: counted?.total ?? 0 }
}

/** A page of the celestial bodies of a type in the order of their ids. One round trip; it counts what has the type by an index. */
export async function listBodiesOfType(db: Database, type: BodyType, { limit, offset }: Window): Promise<BodyPage> {
  return isPlanetType(type)
    ? await listPlanetsWhere(db, sql`${planets.properties} ->> '$.type' = ${type}`, { limit, offset })
    : await listOthersWhere(db, eq(bodies.type, type), { limit, offset })
}

async function listPlanetsWhere(db: Database, where: SQL, window: Window): Promise<BodyPage> {
  const [[counted], rows] = await db.batch([
    db.select({ total: count() }).from(planets).where(where),
    db.query.planets.findMany({ where, orderBy: [asc(planets.id)], ...window, with: WITH_PARTS }),
  ])
  return { planets: rows, others: [], total: counted?.total ?? 0 }
}

async function listOthersWhere(db: Database, where: SQL, window: Window): Promise<BodyPage> {
  const [[counted], rows] = await db.batch([
    db.select({ total: count() }).from(bodies).where(where),
    db.query.bodies.findMany({ where, orderBy: [asc(bodies.id)], ...window, with: WITH_ALL }),
  ])
  return { planets: [], others: rows, total: counted?.total ?? 0 }
}

/** Whether an id is one of planets. */
export function isPlanetId(id: number): boolean {
  return id <= PLANET_ID_MAX
}
