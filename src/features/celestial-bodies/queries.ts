import { count, eq, gte, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { violates } from '../../db/constraints.ts'
import { cutPage } from '../../db/pages.ts'
import { idAtOffset, PLANET_ID_MAX, totalOf } from '../../db/ranks.ts'
import { celestialBodies, planets } from '../../db/tables.ts'
import { makeSalt } from '../../domain/event-id.ts'
import { ENTITY_MAX_BYTES, GROWTH_MAX, HEADROOM_BYTES } from '../../domain/limits.ts'
import type { AccountLimits } from '../../env.ts'
import type { Origin } from '../../events/happening.ts'
import { countBytes } from '../../lib/text.ts'
import { type BodyType, isPlanetType, type NonPlanetExtras, type NonPlanetType } from '../../schemas/celestial-body.ts'
import { SATELLITES_MAX, type Satellite, type SatelliteInput } from '../../schemas/satellite.ts'
import { fillHostTemplate, makeTemplate } from '../../stores/callbacks/planet-template.ts'
import { type KeepReply, keepNothing } from '../../stores/kept-replies.ts'
import { draftRow, insertLogRow } from '../../stores/log.ts'
import { planetInSql, satellitesInSql } from '../../stores/logged-planets.ts'
import { joinContents, selectCelestialBodiesPage, selectPlanetPage, type Window } from '../../stores/pages.ts'
import { bytesOf, nextVersion, timeOfWrite } from '../../stores/planets.ts'
import {
  countSatelliteBytes,
  idsWithSatellites,
  numberSatellites,
  type SatelliteDraft,
} from '../../stores/satellites.ts'
import { BODY_COLUMNS, type StoredCelestialBody } from '../../stores/stored-celestial-body.ts'
import type { StoredPlanet } from '../../stores/stored-planet.ts'
import { awaitWithinLimits, charge, requireRoomInAccount } from '../../stores/usage.ts'

// Celestial bodies that are not planets, and lists of all celestial bodies.

/** A satellite or a star to insert. */
export interface CelestialBodyDraft {
  /** Null for a satellite without a type. */
  type: NonPlanetType | null
  properties: SatelliteInput
  /** Properties that a satellite in the list of a planet cannot have; null if there are none. */
  extras: NonPlanetExtras | null
  /** Undefined if the client sent no list. */
  satellites: readonly SatelliteDraft[] | undefined
}

/**
 * The id of the body that the batch has inserted: the newest body without a host. The satellites that the batch inserts
 * after it have this body as their host (the star or satellite that a satellite belongs to).
 */
const insertedId = sql`(select max(${celestialBodies.id}) from ${celestialBodies} where ${celestialBodies.hostId} is null)`

/**
 * Stores a satellite or a star with its satellites, and appends a satellite to its planet's list, all or nothing. One
 * round trip.
 *
 * @param logged The data about the body for the log
 * @param planet The planet of the satellite. It had room for the satellite when it was read. Undefined for a star, or
 * for a satellite without a planet
 * @param keep Keeps the reply, with the id of the body and those of its satellites
 * @returns The body, without its planet, which the caller knows. `changed` if the planet is gone, has the maximum
 * number of satellites, or was changed since it was read and may have no room any more
 * @throws ProblemError 403 if a limit of the account is reached
 */
export async function insertCelestialBody(
  db: Database,
  creator: StoredPlanet['creator'],
  { satellites, ...draft }: CelestialBodyDraft,
  planet: StoredPlanet | undefined,
  logged: LoggedBody,
  limits: AccountLimits,
  now: Date,
  keep: KeepReply = keepNothing,
): Promise<Omit<StoredCelestialBody, 'planet'> | 'changed'> {
  const drafts = satellites ?? []
  const planetId = planet?.id ?? null
  const values = {
    ...draft,
    planetId,
    position: planet ? nextPosition(planet, draft.properties) : 0,
    creatorId: creator.id,
    lastUpdated: now,
    listsSatellites: satellites !== undefined,
    satelliteBytes: countSatelliteBytes(drafts),
  }
  const bodyBytes = sql`${celestialBodies.bytes}`
  const insertedRow = { table: celestialBodies, where: sql`${celestialBodies.id} = ${insertedId}` }
  try {
    const batch = db.batch([
      db.insert(celestialBodies).values(values).returning(BODY_COLUMNS),
      // A satellite of a planet is charged as a part of the planet, by the trigger for planets that grow.
      planet
        ? requireRoomInAccount(db, creator.id, { bodyBytes }, limits, insertedRow)
        : charge(db, creator.id, { bodies: 1, bodyBytes }, limits, insertedRow),
      writeHostedSatellites(db, drafts),
      // This statement precedes the change of the planet, because the log records the previous state of the planet.
      planet ? insertAttachment(db, planet, logged, now) : insertFreeBodies(db, logged, now),
      touchPlanet(db, planet, now),
      ...keep(db, insertedIds),
    ])
    const [[row], , writtenSatellites] = await awaitWithinLimits(db, creator.id, limits, batch)
    if (!row) throw new Error('the database returned no row for a body that it stored')
    return { ...row, creator, satellites: numberSatellites(drafts, writtenSatellites) }
  } catch (error) {
    if (planet && violates(error, 'foreignKey', 'satellitesFull')) return 'changed'
    throw error
  }
}

/** The ids of the inserted body and its satellites. */
const insertedIds = idsWithSatellites(insertedId, celestialBodies.hostId)

/** What the log needs to know about a new body. */
export interface LoggedBody {
  /**
   * The satellites that are new, with marks in place of their ids (callbacks/planet-template.ts). Ignored for a
   * satellite of a planet: the log then gets the whole planet, which SQL reads from the database.
   */
  satellites: Satellite[]
  origin: Origin
  /** The prefix of the URLs of uploaded images, up to the key. */
  imageUrlPrefix: string
}

/**
 * How many events a new satellite of a planet causes: `planet.updated`, `satellite.discovered`, and for each of these
 * two an event on the channel of celestial bodies.
 */
const ATTACHMENT_EVENTS = 4

/** The statement that writes to the log that the inserted body became a satellite of a planet. */
function insertAttachment(db: Database, planet: StoredPlanet, { origin, imageUrlPrefix }: LoggedBody, now: Date) {
  const { id } = planet
  const time = sql`max(planet.last_updated, ${now.getTime()})`
  const listsSatellites = sql`true`
  // The satellite is already inserted, so the previous list leaves it out.
  const previousList = sql`iif(planet.lists_satellites, ${satellitesInSql(insertedId)}, null)`
  const selectFromPlanet = (expression: SQL) =>
    sql<string>`(select ${expression} from ${planets} as planet where id = ${id})`
  const details = sql`json_set(${JSON.stringify(origin)}, '$.old', json_object('satellites', json(${previousList})))`
  return insertLogRow(db, {
    kind: 'planet_updated',
    userId: null,
    planetId: id,
    eventCount: ATTACHMENT_EVENTS,
    time: now.getTime(),
    salt: makeSalt(),
    body: selectFromPlanet(planetInSql(imageUrlPrefix, time, listsSatellites)),
    details: selectFromPlanet(details),
  })
}

/** The statement that writes new satellites without a planet to the log, if there are any. */
function insertFreeBodies(db: Database, { satellites, origin }: LoggedBody, now: Date) {
  const row = draftRow({ kind: 'satellites_created', body: satellites, details: origin }, { now })
  const body = fillHostTemplate(JSON.stringify(makeTemplate(satellites)), insertedId)
  return insertLogRow(db, { ...row, body }, satellites.length > 0 ? sql`true` : sql`false`)
}

/**
 * Maximum size of the parts of a satellite that are not stored with it, in any format, in bytes: its id, and the
 * reference to its planet without the planet's name.
 */
const REFERENCE_MAX_BYTES = 256

/**
 * SQL for the position after the planet's last satellite. If there may be no room, the result is a position that the
 * table rejects (SATELLITES_MAX). The insert then fails, and with it the whole batch. It would not be enough to insert
 * no row, because the other statements of the batch would still change the planet.
 *
 * If the planet still has the version that was read, there is room, because the caller has checked this version. In any
 * other version there is room if the planet and its satellites are so small that they fit in any format. So concurrent
 * requests that create small satellites do not have to wait for each other. The name of the planet must then be
 * unchanged, because the response contains it.
 */
function nextPosition({ id, version, properties: { name } }: StoredPlanet, satellite: SatelliteInput) {
  const bytes = countBytes(JSON.stringify(satellite))
  const currentName = sql`planet.properties ->> '$.name'`
  // Each satellite, with the new one, refers to the planet by its name.
  const satellitesAfter = sql`(siblings.number + 1)`
  const storedBytes = sql`octet_length(planet.properties) + siblings.bytes + ${bytes} + ${satellitesAfter} * octet_length(${currentName})`
  const documentBytes = sql`${GROWTH_MAX} * (${storedBytes}) + ${satellitesAfter} * ${REFERENCE_MAX_BYTES} + ${HEADROOM_BYTES}`
  const hasRoom = sql`planet.version = ${version} or (${currentName} = ${name} and ${documentBytes} <= ${ENTITY_MAX_BYTES})`
  // If the planet is gone, the position is 0, and the reference to the planet makes the insert fail.
  return sql<number>`coalesce((
    select iif(${hasRoom}, siblings.number, ${SATELLITES_MAX})
    from ${planets} as planet, (
      select count(*) as number, coalesce(sum(octet_length(${celestialBodies.properties})), 0) as bytes
      from ${celestialBodies} where ${celestialBodies.planetId} = ${id}) as siblings
    where planet.id = ${id}), 0)`
}

/**
 * The statement that updates a planet that got a satellite: its version, its time, and the size of its satellites.
 * Without a planet, the statement matches no row, because no planet has the id 0.
 */
function touchPlanet(db: Database, planet: StoredPlanet | undefined, now: Date) {
  return db
    .update(planets)
    .set({
      // Any version of the planet may get a satellite for which `nextPosition` has found room.
      version: nextVersion(undefined),
      lastUpdated: timeOfWrite(now),
      listsSatellites: true,
      satelliteBytes: sql`${planets.satelliteBytes} + (select ${celestialBodies.bytes} from ${celestialBodies} where ${celestialBodies.id} = ${insertedId})`,
    })
    .where(eq(planets.id, planet?.id ?? 0))
}

/** The statement that inserts the satellites of a star or of a satellite (their host). They belong to no planet. */
function writeHostedSatellites(db: Database, drafts: readonly SatelliteDraft[]) {
  return db
    .insert(celestialBodies)
    .select(sql`
      select null as id, null as planet_id, host.id, key as position, host.creator_id, host.last_updated,
        json_extract(value, '$.properties.type'), json_extract(value, '$.properties'), null as extras,
        false as lists_satellites, 0 as satellite_bytes
      from ${celestialBodies} as host, json_each(${JSON.stringify(drafts)})
      where host.id = ${insertedId} order by key`)
    .returning({ id: celestialBodies.id, position: celestialBodies.position })
}

/** A page of a list of celestial bodies. */
export interface CelestialBodiesPage {
  planets: StoredPlanet[]
  others: StoredCelestialBody[]
  total: number
}

/**
 * A page of the list of all celestial bodies in the order of their ids, planets first, cut at PAGE_MAX_BYTES. One round
 * trip, and the cost does not grow with the offset.
 */
export async function listCelestialBodies(
  db: Database,
  { limit, offset }: Required<Window>,
): Promise<CelestialBodiesPage> {
  const planetsTotal = totalOf('planets')
  const othersOffset = sql`max(${offset} - ${planetsTotal}, 0)`
  const reachesOthers = sql`${offset + limit} > ${planetsTotal}`
  const [[counted], planetRows, otherRows] = await db.batch([
    db.select({ planets: planetsTotal, others: totalOf('bodies') }).from(sql`(select 1)`),
    selectPlanetPage(db, gte(planets.id, idAtOffset('planets', offset)), { limit }),
    // If the page ends before the other bodies, the bound is null, which no id reaches. `reachesOthers` is part of the
    // bound, because SQLite would test a separate condition for each row.
    selectCelestialBodiesPage(
      db,
      gte(celestialBodies.id, sql`iif(${reachesOthers}, ${idAtOffset('bodies', othersOffset)}, null)`),
      { limit },
    ),
  ])
  const total = (counted?.planets ?? 0) + (counted?.others ?? 0)
  const sentPlanets = cutPage(planetRows, bytesOf)
  // If the page ends within its planets, the other bodies are on later pages.
  const endsWithinPlanets = sentPlanets.length < planetRows.length
  const sentOthers = endsWithinPlanets ? [] : fillPage(otherRows, sentPlanets, limit)
  return { planets: joinContents(sentPlanets), others: joinContents(sentOthers), total }
}

/** The other bodies that fit on a page of a list after its planets. */
function fillPage<Row extends { bytes: number }>(
  otherRows: readonly Row[],
  sentPlanets: readonly { bytes: number }[],
  limit: number,
) {
  // `cutPage` keeps the first item of a page even if it is too large. Undefined says that there is no item yet.
  const planetBytes = sentPlanets.length > 0 ? sentPlanets.reduce((sum, { bytes }) => sum + bytes, 0) : undefined
  return cutPage(otherRows.slice(0, limit - sentPlanets.length), bytesOf, planetBytes)
}

/**
 * A page of the list of celestial bodies of one type in the order of their ids, and their number, which is counted in
 * an index. One round trip.
 */
export async function listCelestialBodiesOfType(
  db: Database,
  type: BodyType,
  window: Required<Window>,
): Promise<CelestialBodiesPage> {
  return isPlanetType(type)
    ? await listPlanetsWhere(db, sql`${planets.properties} ->> '$.type' = ${type}`, window)
    : await listOthersWhere(db, eq(celestialBodies.type, type), window)
}

async function listPlanetsWhere(db: Database, where: SQL, window: Window): Promise<CelestialBodiesPage> {
  const [[counted], rows] = await db.batch([
    db.select({ total: count() }).from(planets).where(where),
    selectPlanetPage(db, where, window),
  ])
  return { planets: joinContents(cutPage(rows, bytesOf)), others: [], total: counted?.total ?? 0 }
}

async function listOthersWhere(db: Database, where: SQL, window: Window): Promise<CelestialBodiesPage> {
  const [[counted], rows] = await db.batch([
    db.select({ total: count() }).from(celestialBodies).where(where),
    selectCelestialBodiesPage(db, where, window),
  ])
  return { planets: [], others: joinContents(cutPage(rows, bytesOf)), total: counted?.total ?? 0 }
}

/** Whether an id is in the range of planet ids. */
export function isPlanetId(id: number): boolean {
  return id <= PLANET_ID_MAX
}
