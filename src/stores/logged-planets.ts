import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { celestialBodies, images, log, planets, users } from '../db/tables.ts'
import { makeSalt, SALT_MAX } from '../domain/event-id.ts'
import { withoutNulls } from '../events/changes.ts'
import type { Origin, UploadedImage } from '../events/happening.ts'
import type { Planet } from '../schemas/planet.ts'
import { bytesSoFar, insertLogRow, publicEventsSoFar } from './log.ts'

// SQL that writes planets to the log as GET shows them. It is used if only the database knows the planet at the time of
// the write: if other requests may change the planet at the same time without a conflict, or if the service deletes
// many planets. The JSON may contain members that are null, because events leave out such members (events/changes.ts).
// The row `planet` is the row of `planets` that a statement reads under this alias.

/** The creator of the row `planet` in JSON. */
const CREATOR = sql`(
  select json_object('id', id, 'name', name) from ${users} as creator where creator.id = planet.creator_id)`

/**
 * A JSON object with the member `image`; empty if the row `planet` shows no upload.
 *
 * @param imageUrlPrefix See `planetInSql`
 */
function uploadedImage(imageUrlPrefix: string | null): SQL {
  const stored = sql`(select ${images.url} from ${images} where ${images.key} = planet.image_key)`
  const url = imageUrlPrefix === null ? stored : sql`${imageUrlPrefix} || planet.image_key`
  return sql`iif(planet.image_key is null, '{}', json_object('image', ${url}))`
}

/**
 * The planet of the row `planet` in JSON.
 *
 * @param imageUrlPrefix The URL of an uploaded image without its key. Null if no request causes the write, so the
 * prefix is unknown: the image then has the URL that was stored with its upload
 * @param lastUpdated In milliseconds since 1970
 * @param listsSatellites Whether the planet has the member `satellites`
 */
export function planetInSql(
  imageUrlPrefix: string | null,
  lastUpdated: SQL = sql`planet.last_updated`,
  listsSatellites: SQL = sql`planet.lists_satellites`,
): SQL<string> {
  const image = uploadedImage(imageUrlPrefix)
  // The members that the service sets.
  const serviceMembers = sql`json_object(
    'id', planet.id, 'creator', json(${CREATOR}),
    'lastUpdated', strftime('%Y-%m-%dT%H:%M:%fZ', ${lastUpdated} / 1000.0, 'unixepoch'))`
  const satellitesMember = sql`iif(${listsSatellites}, json_object('satellites', json(${satellitesInSql()})), '{}')`
  return sql<string>`json_patch(json_patch(json_patch(planet.properties, ${image}), ${serviceMembers}), ${satellitesMember})`
}

/**
 * The satellites of the row `planet` in JSON, in their order.
 *
 * @param without The id of a satellite that is left out; SQL null for none
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
  /** The reason that events give, if the service deletes the planets. Absent if their creator deletes them. */
  reason?: string
  /** The request that caused the deletion. Empty if the service acts by itself. */
  origin: Origin
  /** See `planetInSql`. */
  imageUrlPrefix: string | null
  now: Date
}

/** The cause of a deletion that no request caused. */
export function byService(now: Date): Omit<Removal, 'reason'> {
  return { origin: {}, imageUrlPrefix: null, now }
}

/**
 * The statement that writes a row to the log for each planet that the next statements delete. Each row has one event.
 *
 * @param where The condition for the planets
 */
export function insertRemovals(db: Database, where: SQL, { reason, origin, imageUrlPrefix, now }: Removal) {
  const details = JSON.stringify({ ...origin, ...(reason !== undefined && { reason }) })
  // One random salt is enough for all rows: the id of the planet makes the salts different.
  const salt = sql`(${makeSalt()} + deleted.id) % ${SALT_MAX + 1}`
  return db.insert(log).select(sql`
    select null as place, 'planet_deleted', null as user_id, deleted.id, 1 as event_count, ${now.getTime()}, ${salt},
      ${bytesSoFar} + sum(octet_length(deleted.body) + octet_length(${details})) over (order by deleted.id),
      ${publicEventsSoFar} + count(*) over (order by deleted.id), 0 as private_until, deleted.body, ${details}
    from (
      select planet.id as id, ${planetInSql(imageUrlPrefix)} as body from ${planets} as planet
      where planet.id in (select ${planets.id} from ${planets} where ${where})) as deleted
    order by deleted.id`)
}

/** The data for the log about a change of a planet, besides the planet in the database. */
export interface LoggedChange {
  origin: Origin
  /** The prefix of the URLs of uploaded images, up to the key. */
  imageUrlPrefix: string
}

/**
 * The statement that writes to the log that a planet is about to be replaced. It must run before the write, because it
 * also records the planet that the write replaces.
 *
 * @param planet The new planet, which has no satellites. SQL sets its time, and its image if the upload is kept
 * @param image Whether the planet keeps its uploaded image
 */
export function insertReplacement(
  db: Database,
  id: number,
  planet: Planet,
  image: 'keep' | 'drop',
  { origin, imageUrlPrefix }: LoggedChange,
  now: Date,
) {
  const { image: imageUrl, lastUpdated: _time, ...members } = withoutNulls(planet)
  const showsImageUrl = image === 'drop' && imageUrl !== undefined
  const newMembers = JSON.stringify({ ...members, ...(showsImageUrl && { image: imageUrl }) })
  const keptImage = image === 'keep' ? uploadedImage(imageUrlPrefix) : sql`'{}'`
  const atmosphere = JSON.stringify(planet.atmosphere ?? null)
  const hasOtherAtmosphere = sql`coalesce(planet.properties -> '$.atmosphere', 'null') <> ${atmosphere}`
  return insertChange(db, id, now, {
    // A condition is 0 or 1 in SQLite: another atmosphere causes one more event.
    eventCount: sql<number>`${REPLACEMENT_EVENTS} + (${hasOtherAtmosphere})`,
    body: sql`json_patch(json_patch(${newMembers}, ${keptImage}), ${timeMember(now)})`,
    details: sql`json_set(${JSON.stringify(origin)}, '$.before', json(${planetInSql(imageUrlPrefix)}))`,
  })
}

/** The events of every replacement: `planet.updated` and `celestial_body.updated`. */
const REPLACEMENT_EVENTS = 2

/** The statement that writes to the log that a planet is about to show another image. It must run before the write. */
export function insertShownImage(
  db: Database,
  id: number,
  image: UploadedImage,
  { origin, imageUrlPrefix }: LoggedChange,
  now: Date,
) {
  const oldImage = sql`iif(planet.image_key is null, planet.properties ->> '$.image', ${imageUrlPrefix} || planet.image_key)`
  // `json_patch` leaves out the name of the creator if it is null.
  const uploader = sql`json_patch('{}', ${CREATOR})`
  const details = sql`json_set(${JSON.stringify({ ...origin, image })},
    '$.old', json_object('image', ${oldImage}), '$.uploader', ${uploader})`
  const shown = sql`json_patch(${planetInSql(imageUrlPrefix)}, json_object('image', ${image.url}))`
  const body = sql`json_patch(${shown}, ${timeMember(now)})`
  return insertChange(db, id, now, { eventCount: sql<number>`${IMAGE_EVENTS}`, body, details })
}

/** The events of an upload: `planet.updated`, `image.uploaded` and `celestial_body.updated`. */
const IMAGE_EVENTS = 3

/** A JSON object with the member `lastUpdated`: the time of a write, which never goes back (`timeOfWrite`). */
function timeMember(now: Date): SQL {
  const time = sql`max(planet.last_updated, ${now.getTime()})`
  return sql`json_object('lastUpdated', strftime('%Y-%m-%dT%H:%M:%fZ', ${time} / 1000.0, 'unixepoch'))`
}

/**
 * The statement that writes a change of a planet to the log, if the planet exists. The SQL of the values reads the row
 * `planet`.
 */
function insertChange(
  db: Database,
  id: number,
  now: Date,
  { eventCount, body, details }: Record<'body' | 'details', SQL> & { eventCount: SQL<number> },
) {
  const selectFromPlanet = <Value>(expression: SQL) =>
    sql<Value>`(select ${expression} from ${planets} as planet where planet.id = ${id})`
  const row = {
    kind: 'planet_updated' as const,
    userId: null,
    planetId: id,
    eventCount: selectFromPlanet<number>(eventCount),
    time: now.getTime(),
    salt: makeSalt(),
    body: selectFromPlanet<string>(body),
    details: selectFromPlanet<string>(details),
  }
  return insertLogRow(db, row, sql`exists (select 1 from ${planets} where ${planets.id} = ${id})`)
}
