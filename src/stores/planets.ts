import { and, eq, gte, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { violates } from '../db/constraints.ts'
import { cutPage } from '../db/pages.ts'
import { type Placeholders, prepare } from '../db/prepared.ts'
import { countPlanets, idAtOffset } from '../db/ranks.ts'
import { celestialBodies, images, planets } from '../db/tables.ts'
import type { AccountLimits } from '../env.ts'
import type { Happening, UploadedImage } from '../events/happening.ts'
import { countBytes } from '../lib/text.ts'
import type { CallbackMessage } from '../schemas/callback-message.ts'
import type { PlanetExtras } from '../schemas/celestial-body.ts'
import type { PlanetProperties } from '../schemas/planet.ts'
import {
  type DeliveryFields,
  type EventDraft,
  insertDelivery,
  insertEvent,
  insertEventFor,
  insertEventForSubscribers,
  isCallbackWanted,
  makeDeliveryFields,
  type Receiver,
} from './callbacks/outbox.ts'
import { fillTemplate, makeTemplate, newestPlanet } from './callbacks/planet-template.ts'
import { type KeepReply, keepNothing } from './kept-replies.ts'
import { draftRow, firstEventIdPrefix, insertLogRow, newestBody, newestEventId } from './log.ts'
import {
  insertRemovals,
  insertReplacement,
  insertShownImage,
  type LoggedChange,
  type Removal,
} from './logged-planets.ts'
import { joinContents, selectPlanetPage } from './pages.ts'
import {
  countSatelliteBytes,
  deleteOtherSatellites,
  idsWithSatellites,
  numberSatellites,
  type SatelliteDraft,
  satelliteBytesAfter,
  writeSatellites,
} from './satellites.ts'
import { PLANET_COLUMNS, type StoredPlanet } from './stored-planet.ts'
import { awaitWithinLimits, charge, requireRoomInAccount } from './usage.ts'

/** The planet as the client sent it. `satellites` is undefined if the client sent no list. */
export interface PlanetDraft {
  properties: PlanetProperties
  satellites: readonly SatelliteDraft[] | undefined
}

/** A planet to insert. */
interface NewPlanet extends PlanetDraft {
  /** The members that only a celestial body can have; null if the client sent none of them. */
  extras: PlanetExtras | null
}

/**
 * A page of the list of all planets in the order of their ids, cut at PAGE_MAX_BYTES, and the total number of planets.
 * One round trip.
 */
export async function listPlanets(
  db: Database,
  window: { limit: number; offset: number },
): Promise<{ rows: StoredPlanet[]; total: number }> {
  const [counts, rows] = await db.batch([countPlanets(db), planetPage(db, window)])
  return { rows: joinContents(cutPage(rows, bytesOf)), total: counts[0]?.total ?? 0 }
}

const planetPage = prepare((db, { limit, offset }: Placeholders<{ limit: number; offset: number }>) =>
  selectPlanetPage(db, gte(planets.id, idAtOffset('planets', offset)), { limit }),
)

/** Size of a planet or another celestial body and its satellites in the database, in bytes. */
export function bytesOf({ bytes }: { bytes: number }): number {
  return bytes
}

/** The log row and the receiver for a new planet. */
interface Announcement {
  /** Its body has marks in place of the ids, which are not known yet (callbacks/planet-template.ts). */
  happening: Extract<Happening, { kind: 'planet_created' }>
  /** The planet's own receiver; undefined if it has none. */
  receiver: Receiver | undefined
}

/**
 * Stores a new planet, its satellites and the events about it, all or nothing. One round trip.
 *
 * @param keep Keeps the reply, with the id of the planet and those of its satellites
 * @returns The planet, and the messages for the queue
 * @throws ProblemError 403 if a limit of the account is reached
 */
export async function insertPlanet(
  db: Database,
  creator: StoredPlanet['creator'],
  draft: NewPlanet,
  { happening, receiver }: Announcement,
  limits: AccountLimits,
  now: Date,
  keep: KeepReply = keepNothing,
): Promise<{ planet: StoredPlanet; messages: CallbackMessage[] }> {
  const drafts = draft.satellites ?? []
  const time = now.getTime()
  const template = JSON.stringify(makeTemplate(happening.body))
  const row = draftRow(happening, { now })
  const idPrefix = firstEventIdPrefix(row)
  const statements = [
    insertPlanetRow(db, {
      creatorId: creator.id,
      lastUpdated: now,
      properties: draft.properties,
      listsSatellites: draft.satellites !== undefined,
      extras: draft.extras,
      satelliteBytes: countSatelliteBytes(drafts),
    }),
    chargeNewest(db, { ...limits, userId: creator.id, addedDeliveries: receiver ? 1 : 0 }),
    insertSatellites(db, { drafts: JSON.stringify(drafts) }),
    insertCreationRow(db, { ...row, template }),
    insertNewPlanetEvent(db, { idPrefix, time }),
  ] as const
  const keepStatements = keep(db, newestIds)
  const store = async () => {
    if (!receiver) {
      const [stored, charged, satellites, logged, messages] = await db.batch([...statements, ...keepStatements])
      // `undefined` and `[]` stand for the results of the two statements for a receiver.
      return [stored, charged, satellites, logged, messages, undefined, []] as const
    }
    const delivery = makeDeliveryFields('planetCreated', receiver)
    return await db.batch([
      ...statements,
      insertCreatedEvent(db, { idPrefix, time }),
      insertCreatedDelivery(db, { time, ...delivery }),
      ...keepStatements,
    ])
  }
  // The results are those of `statements`, then of the event and the delivery for the receiver.
  const results = await awaitWithinLimits(db, creator.id, limits, store())
  const [[stored], , writtenSatellites, , subscriberMessages, , receiverMessages] = results
  if (!stored) throw new Error('the database returned no row for a planet that it stored')
  const planet = { ...stored, creator, satellites: numberSatellites(drafts, writtenSatellites) }
  return { planet, messages: [...receiverMessages, ...subscriberMessages] }
}

// The statements of `insertPlanet`.

/** The ids of the newest planet and its satellites. */
const newestIds = idsWithSatellites(newestPlanet, celestialBodies.planetId)

type PlanetRow = Omit<NewPlanet, 'satellites'> & {
  creatorId: number
  lastUpdated: Date
  listsSatellites: boolean
  satelliteBytes: number
}

const insertPlanetRow = prepare((db, row: Placeholders<PlanetRow>) => {
  const { creatorId, lastUpdated, properties, listsSatellites, extras, satelliteBytes } = row
  const values = { creatorId, lastUpdated, properties, listsSatellites, extras, satelliteBytes }
  return db.insert(planets).values(values).returning(PLANET_COLUMNS)
})

/** The limits of the creator's account, and how many deliveries are charged beside the planet. */
type NewestCharge = AccountLimits & { userId: number; addedDeliveries: number }

const chargeNewest = prepare((db, charged: Placeholders<NewestCharge>) => {
  const { userId, addedDeliveries, bodies, bodyBytes, images: imagesMax, imageBytes, deliveries } = charged
  const addedUsage = { bodies: 1, bodyBytes: sql`${planets.bytes}`, deliveries: addedDeliveries }
  const limits = { bodies, bodyBytes, images: imagesMax, imageBytes, deliveries }
  return charge(db, userId, addedUsage, limits, { table: planets, where: sql`${planets.id} = ${newestPlanet}` })
})

const insertSatellites = prepare((db, { drafts }: Placeholders<{ drafts: string }>) =>
  writeSatellites(db, newestPlanet, drafts),
)

const insertCreationRow = prepare((db, row: Placeholders<ReturnType<typeof draftRow> & { template: string }>) => {
  const { kind, userId, eventCount, time, salt, details, template } = row
  const values = { kind, userId, planetId: newestPlanet, eventCount, time, salt, details }
  return insertLogRow(db, { ...values, body: fillTemplate(template) })
})

type PlanetEvent = Placeholders<{ idPrefix: string; time: number }>

const insertNewPlanetEvent = prepare((db, { idPrefix, time }: PlanetEvent) =>
  insertEventForSubscribers(db, { type: 'newPlanet', ...describeNewestEvent(idPrefix) }, time),
)

const insertCreatedEvent = prepare((db, { idPrefix, time }: PlanetEvent) =>
  insertEvent(db, { type: 'planetCreated', ...describeNewestEvent(idPrefix), time, expandedTo: null }, sql`true`),
)

/** The event that callbacks send about the newest planet, taken from the row of the log. */
function describeNewestEvent(idPrefix: PlanetEvent['idPrefix']) {
  return { planetId: newestPlanet, body: newestBody, liveId: newestEventId(idPrefix) }
}

const insertCreatedDelivery = prepare((db, fields: Placeholders<DeliveryFields & { time: number }>) => {
  const { messageId, userId, webhookId, url, origin, host, time } = fields
  const event = { type: 'planetCreated', planetId: newestPlanet, time } as const
  return insertDelivery(db, { ...event, messageId, userId, webhookId, url, origin, host }, sql`true`)
})

/** Why a write did not happen. `gone`: there is no such planet. `changed`: it does not have the expected version. */
export type MissedWrite = 'gone' | 'changed'

/** The new content of a planet. */
export interface Replacement extends PlanetDraft {
  image: 'keep' | 'drop'
  /**
   * The version that the write must find; undefined for any version. A draft with satellites always has an expected
   * version, because the ids of its satellites come from the planet as it was read.
   */
  expected: number | undefined
}

/** The log row for a changed planet. */
type PlanetUpdated = Extract<Happening, { kind: 'planet_updated' }>

/**
 * Replaces the parts of a planet that a client can set, all or nothing. Satellites that the draft does not name by id
 * are removed. One round trip.
 *
 * @param happening The change, compared with the planet as it was read. New satellites have marks in place of their ids
 * @param logged The data for the log if any version may be replaced: the previous planet is then read by SQL
 * @returns The updated planet, and the key of the upload that it showed before (null if it showed none); `gone` or
 * `changed` if nothing was written
 * @throws ProblemError 403 if the planet grows and a limit of the account is reached
 */
export async function updatePlanet(
  db: Database,
  planet: StoredPlanet,
  draft: Replacement,
  happening: PlanetUpdated,
  logged: LoggedChange,
  limits: AccountLimits,
  now: Date,
): Promise<{ planet: StoredPlanet; shownKey: string | null } | MissedWrite> {
  const { id } = planet
  const { expected } = draft
  const drafts = draft.satellites ?? []
  const satelliteBytes = satelliteBytesAfter(planet.id, drafts)
  const planetBytes = sql`${countBytes(JSON.stringify(draft.properties))} + coalesce(octet_length(${planets.extras}), 0)`
  const addedUsage = { bodyBytes: sql`${planetBytes} + ${satelliteBytes} - ${planets.bytes}` }
  const update = db
    .update(planets)
    .set({
      // If the planet does not have the expected version, a trigger aborts the batch.
      version: nextVersion(expected),
      lastUpdated: timeOfWrite(now),
      properties: draft.properties,
      listsSatellites: draft.satellites !== undefined,
      satelliteBytes,
      ...(draft.image === 'drop' && { imageKey: null }),
    })
    .where(eq(planets.id, id))
    .returning(PLANET_COLUMNS)
  const statements = [
    selectShownKey(db, id),
    requireRoomInAccount(db, planet.creator.id, addedUsage, limits, sourceOfPlanet(id, expected)),
    update,
    deleteOtherSatellites(db, id, drafts),
    writeSatellites(db, sql`${id}`, JSON.stringify(drafts)),
  ] as const
  const store = async () => {
    // With an expected version, the row of the log is written last, because it contains the ids of new satellites.
    // Otherwise it is written first, because it contains the planet that is replaced.
    if (expected !== undefined) return await db.batch([...statements, insertUpdateRow(db, id, happening, now)])
    const [, ...results] = await db.batch([
      insertReplacement(db, id, happening.body, draft.image, logged, now),
      ...statements,
    ])
    return results
  }
  try {
    const results = await awaitWithinLimits(db, planet.creator.id, limits, store())
    const [[before], , [row], , writtenSatellites] = results
    if (!before || !row) return 'gone'
    const satellites = numberSatellites(drafts, writtenSatellites)
    return { planet: { ...row, creator: planet.creator, satellites }, shownKey: before.imageKey }
  } catch (error) {
    return explainConflict(error)
  }
}

/** The statement that writes a changed planet to the log, if there is such a planet. */
function insertUpdateRow(db: Database, id: number, happening: PlanetUpdated, now: Date) {
  const template = JSON.stringify(makeTemplate(happening.body))
  const row = { ...draftRow(happening, { planetId: id, now }), body: fillTemplate(template, id) }
  return insertLogRow(db, row, sql`exists (select 1 from ${planets} where ${eq(planets.id, id)})`)
}

/** A planet and the version of it that an upload is for. */
export interface ImageTarget {
  id: number
  creatorId: number
  /** The version that the write must find; undefined for any. */
  expected: number | undefined
}

/**
 * Makes a planet show an uploaded image. The upload that it showed before becomes an orphan (an upload that no planet
 * shows).
 *
 * @param keep Keeps the reply, which has no id that only the database knows
 * @returns The key of the upload that the planet showed before (null if it showed none); `gone` or `changed` if nothing
 * was written
 * @throws ProblemError 403 if a limit of the account is reached
 */
export async function setPlanetImage(
  db: Database,
  planet: ImageTarget,
  { key: imageKey, fileSize }: { key: string; fileSize: number },
  logged: LoggedChange & { image: UploadedImage },
  limits: AccountLimits,
  now: Date,
  keep: KeepReply = keepNothing,
): Promise<{ shownKey: string | null } | MissedWrite> {
  const { id, creatorId, expected } = planet
  const update = db
    .update(planets)
    .set({ version: nextVersion(expected), lastUpdated: timeOfWrite(now), imageKey })
    .where(eq(planets.id, id))
  try {
    const batch = db.batch([
      selectShownKey(db, id),
      requireImageRoom(db, planet, fileSize, limits),
      insertShownImage(db, id, logged.image, logged, now),
      update,
      ...keep(db, sql`(select '[]' from ${planets} where ${planets.id} = ${id})`),
    ])
    const [[before]] = await awaitWithinLimits(db, creatorId, limits, batch)
    return before ? { shownKey: before.imageKey } : 'gone'
  } catch (error) {
    return explainConflict(error)
  }
}

/** The statement that checks the account's limits for an upload that replaces the image that the planet shows. */
export function requireImageRoom(
  db: Database,
  { id, creatorId, expected }: ImageTarget,
  fileSize: number,
  limits: AccountLimits,
) {
  const shownBytes = sql`coalesce((select ${images.fileSize} from ${images} where ${images.key} = ${planets.imageKey}), 0)`
  // A condition is 0 or 1 in SQLite: if the planet already shows an upload, the number of images does not grow.
  const addedUsage = { images: sql`${planets.imageKey} is null`, imageBytes: sql`${fileSize} - ${shownBytes}` }
  return requireRoomInAccount(db, creatorId, addedUsage, limits, sourceOfPlanet(id, expected))
}

/**
 * The planet to change, as a source for `requireRoomInAccount`. If the write will not find the planet, the source has
 * no row, so nothing is checked.
 */
function sourceOfPlanet(id: number, expected: number | undefined) {
  const willBeFound = and(eq(planets.id, id), expected === undefined ? undefined : eq(planets.version, expected))
  return { table: planets, where: sql`${willBeFound}` }
}

/**
 * The query for the upload that a planet shows. If it is in the same batch as a write, its result is exact, because the
 * database runs concurrent batches one after the other.
 */
function selectShownKey(db: Database, id: number) {
  return db.select({ imageKey: planets.imageKey }).from(planets).where(eq(planets.id, id))
}

/**
 * Deletes a planet and its satellites, if it has the expected version. One round trip.
 *
 * @param expected The expected version; undefined for any
 * @returns The key of the upload that it showed (null if it showed none). If nothing was deleted: `changed` with an
 * expected version, otherwise `gone`
 */
export async function deletePlanet(
  db: Database,
  id: number,
  expected: number | undefined,
  removal: Removal,
): Promise<{ shownKey: string | null } | MissedWrite> {
  const hasExpectedVersion = expected === undefined ? undefined : eq(planets.version, expected)
  const isTarget = sql`${and(eq(planets.id, id), hasExpectedVersion)}`
  const [, [deleted]] = await db.batch([
    insertRemovals(db, isTarget, removal),
    db.delete(planets).where(isTarget).returning({ shownKey: planets.imageKey }),
  ])
  if (deleted) return deleted
  // With an expected version, the planet is gone or has another version. The result does not show which is true.
  return expected === undefined ? 'gone' : 'changed'
}

/**
 * Deletes a planet and its satellites if it is still as it was read, and stores the event for its receiver, all or
 * nothing. One round trip.
 *
 * @param happening The planet as it was read, which is also the body of the callback
 * @param receiver The receiver of the callback; undefined if there is none
 * @returns The messages for the queue; `changed` if the planet was changed or deleted since it was read
 * @throws ProblemError 403 if the account has no room for the delivery
 */
export async function explodePlanet(
  db: Database,
  { id, version, creator }: StoredPlanet,
  happening: Extract<Happening, { kind: 'planet_exploded' }>,
  receiver: Receiver | undefined,
  limits: AccountLimits,
  now: Date,
): Promise<CallbackMessage[] | 'changed'> {
  const isThisVersion = and(eq(planets.id, id), eq(planets.version, version))
  const isUnchanged = sql`exists (select 1 from ${planets} where ${isThisVersion})`
  const row = { ...draftRow(happening, { planetId: id, now }), body: JSON.stringify(happening.body) }
  const liveId = newestEventId(firstEventIdPrefix(row))
  const event: EventDraft = { type: 'planetExploded', planetId: id, body: newestBody, liveId }
  const getsCallback = receiver ? sql`${isUnchanged} and ${isCallbackWanted(id, receiver.url)}` : sql`false`
  const batch = db.batch([
    // Only checks the limit. The delivery is charged by the trigger on the deletion of the planet.
    requireRoomInAccount(db, creator.id, { deliveries: 1 }, limits, { where: getsCallback }),
    insertLogRow(db, row, isUnchanged),
    ...insertEventFor(db, event, receiver, now, getsCallback),
    db.delete(planets).where(isThisVersion).returning({ id: planets.id }),
  ])
  const [, , , messages, deleted] = await awaitWithinLimits(db, creator.id, limits, batch)
  return deleted.length > 0 ? messages : 'changed'
}

/**
 * The version of a planet after a write. A trigger aborts a write that does not increase the version by exactly one.
 *
 * @param expected The version that the write must find; undefined for any version
 */
export function nextVersion(expected: number | undefined) {
  return expected === undefined ? sql`${planets.version} + 1` : expected + 1
}

/** SQL for the time of a write. It never goes back, even if a request that began later has written first. */
export function timeOfWrite(now: Date) {
  return sql`max(${planets.lastUpdated}, ${now.getTime()})`
}

/** Translates the error of a version conflict. @throws Any other error */
function explainConflict(error: unknown): 'changed' {
  if (violates(error, 'planetVersion')) return 'changed'
  throw error
}
