import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { celestialBodies, images, log, planets, users } from '../db/tables.ts'
import { makeSalt, SALT_MAX } from '../domain/event-id.ts'
import { withoutNulls } from '../events/changes.ts'
import type { Origin, UploadedImage } from '../events/happening.ts'
import type { Planet } from '../schemas/planet.ts'
import { insertRow, previousBytes, previousPublic } from './log.ts'

// SQL that writes planets to the log as GET shows them. It is used if only the database knows a planet at the time of a
// write: because others may change it at the same time without a conflict, or because the service itself deletes many
// planets. Members that are null may stay, because events leave them out in any case (events/changes.ts).

/** The creator of the row `planet` in JSON. */
const CREATOR = sql`(
  select json_object('id', id, 'name', name) from ${users} as creator where creator.id = planet.creator_id)`

/** The member `image` of the row `planet`, if it shows an upload, as a JSON object. @param imageUrlPrefix See `planetInSql` */
function uploadedImage(imageUrlPrefix: string | null): SQL {
  const stored = sql`(select ${images.url} from ${images} where ${images.key} = planet.image_key)`
  const url = imageUrlPrefix === null ? stored : sql`${imageUrlPrefix} || planet.image_key`
  return sql`iif(planet.image_key is null, '{}', json_object('image', ${url}))`
}

/**
 * The planet of the row `planet` in JSON.
 *
 * @param imageUrlPrefix What the URLs of uploaded images begin with, up to the key. Null if no request says so: then an image
 * has the URL that the response to its upload gave. If that was not stored, the image is left out
 * @param lastUpdated In milliseconds since 1970
 */
export function planetInSql(
  imageUrlPrefix: string | null,
  lastUpdated: SQL = sql`planet.last_updated`,
  listsSatellites: SQL = sql`planet.lists_satellites`,
): SQL<string> {
  const image = uploadedImage(imageUrlPrefix)
  const ownMembers = sql`json_object(
    'id', planet.id, 'creator', json(${CREATOR}),
    'lastUpdated', strftime('%Y-%m-%dT%H:%M:%fZ', ${lastUpdated} / 1000.0, 'unixepoch'))`
  const list = sql`iif(${listsSatellites}, json_object('satellites', json(${satellitesInSql()})), '{}')`
  return sql<string>`json_patch(json_patch(json_patch(planet.properties, ${image}), ${ownMembers}), ${list})`
}

/**
 * The satellites of the row `planet` in JSON, in their order.
 *
 * @param without A satellite that is left out
 */
export function satellitesInSql(without: SQL = sql`null`): SQL<string> {
  const reference = sql`json_object('planet', json_object('id', planet.id, 'name', planet.properties ->> '$.name'))`
  const orbit = sql`json_patch(${reference}, body.properties -> '$.orbit')`
  const properties = sql`iif(
    body.properties -> '$.orbit' is null, body.properties, json_set(body.properties, '$.orbit', ${orbit}))`
  return sql<string>`(
    select json_group_array(json(shown)) from (
      select json_patch(json_object('id', body.id), ${properties}) as shown
      from ${celestialBodies} as body
      where body.planet_id = planet.id and body.id is not ${without}
      order by body.position))`
}

/** The cause of a deletion of planets. */
export interface Removal {
  /** The reason for users, if the service deletes the planets. Absent if their creator does. */
  reason?: string
  /** The request that caused it. Empty if the service acts by itself. */
  origin: Origin
  /** See `planetInSql`. */
  imageUrlPrefix: string | null
  now: Date
}

/** A deletion that no request caused. */
export function byService(now: Date): Omit<Removal, 'reason'> {
  return { origin: {}, imageUrlPrefix: null, now }
}

/**
 * The statement that writes to the log which planets the next statements delete: a row for each.
 *
 * @param where Which planets
 */
export function insertRemovals(db: Database, where: SQL, { reason, origin, imageUrlPrefix, now }: Removal) {
  const details = JSON.stringify({ ...origin, ...(reason !== undefined && { reason }) })
  return db.insert(log).select(sql`
    select null as place, 'planet_deleted', null as user_id, deleted.id, 1, ${now.getTime()}, (${makeSalt()} + deleted.id) % ${SALT_MAX + 1},
      ${previousBytes} + sum(octet_length(deleted.body) + octet_length(${details})) over (order by deleted.id),
      ${previousPublic} + count(*) over (order by deleted.id), 0, deleted.body, ${details}
    from (
      select planet.id as id, ${planetInSql(imageUrlPrefix)} as body from ${planets} as planet
      where planet.id in (select ${planets.id} from ${planets} where ${where})) as deleted
    order by deleted.id`)
}

/** What the log needs to know about a change, besides the planet in the database. */
export interface LoggedChange {
  origin: Origin
  /** The prefix of the URLs of uploaded images, up to the key. */
  imageUrlPrefix: string
}

/**
 * The statement that writes to the log that a planet is about to be replaced. It runs before the write, so it knows the
 * planet that the write finds.
 *
 * @param planet The new planet, without an uploaded image and without its time. It has no new satellites
 * @param image Whether it keeps an uploaded image
 */
export function insertReplacement(
  db: Database,
  id: number,
  planet: Planet,
  image: 'keep' | 'drop',
  { origin, imageUrlPrefix }: LoggedChange,
  now: Date,
) {
  const { image: own, lastUpdated: _time, ...members } = withoutNulls(planet)
  const given = JSON.stringify({ ...members, ...(image === 'drop' && own !== undefined && { image: own }) })
  const atmosphere = JSON.stringify(planet.atmosphere ?? null)
  const hasOtherAtmosphere = sql`coalesce(planet.properties -> '$.atmosphere', 'null') <> ${atmosphere}`
  return insertChange(db, id, now, {
    eventCount: sql<number>`${REPLACEMENT_EVENTS} + (${hasOtherAtmosphere})`,
    body: sql`json_patch(json_patch(${given}, ${image === 'keep' ? uploadedImage(imageUrlPrefix) : sql`'{}'`}), ${timeMember(now)})`,
    details: sql`json_set(${JSON.stringify(origin)}, '$.before', json(${planetInSql(imageUrlPrefix)}))`,
  })
}

/** `planet.updated` and `celestial_body.updated`. */
const REPLACEMENT_EVENTS = 2

/** The same for a planet that is about to show another image. */
export function insertShownImage(
  db: Database,
  id: number,
  image: UploadedImage,
  { origin, imageUrlPrefix }: LoggedChange,
  now: Date,
) {
  const before = sql`iif(planet.image_key is null, planet.properties ->> '$.image', ${imageUrlPrefix} || planet.image_key)`
  const details = sql`json_set(${JSON.stringify({ ...origin, image })},
    '$.old', json_object('image', ${before}), '$.uploader', json_patch('{}', ${CREATOR}))`
  const shown = sql`json_patch(${planetInSql(imageUrlPrefix)}, json_object('image', ${image.url}))`
  const body = sql`json_patch(${shown}, ${timeMember(now)})`
  return insertChange(db, id, now, { eventCount: sql<number>`${IMAGE_EVENTS}`, body, details })
}

/** `planet.updated`, `image.uploaded` and `celestial_body.updated`. */
const IMAGE_EVENTS = 3

/** The time of a write, which never goes back (`timeOfWrite`). */
function timeMember(now: Date): SQL {
  const time = sql`max(planet.last_updated, ${now.getTime()})`
  return sql`json_object('lastUpdated', strftime('%Y-%m-%dT%H:%M:%fZ', ${time} / 1000.0, 'unixepoch'))`
}

/** The statement that writes a changed planet, if there is such a planet. Its values are about the row `planet`. */
function insertChange(
  db: Database,
  id: number,
  now: Date,
  { eventCount, body, details }: Record<'body' | 'details', SQL> & { eventCount: SQL<number> },
) {
  const ofPlanet = <Value>(expression: SQL) =>
    sql<Value>`(select ${expression} from ${planets} as planet where planet.id = ${id})`
  const row = {
    ...({ kind: 'planet_updated', userId: null, planetId: id, time: now.getTime(), salt: makeSalt() } as const),
    ...{ eventCount: ofPlanet<number>(eventCount), body: ofPlanet<string>(body), details: ofPlanet<string>(details) },
  }
  return insertRow(db, row, sql`exists (select 1 from ${planets} where ${planets.id} = ${id})`)
}
