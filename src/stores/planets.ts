import { and, eq, gte, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { violates } from '../db/constraints.ts'
import { cutPage } from '../db/pages.ts'
import { type Placeholders, prepare } from '../db/prepared.ts'
import { countPlanets, idAtOffset } from '../db/ranks.ts'
import { images, planets } from '../db/tables.ts'
import type { AccountLimits } from '../env.ts'
import { countBytes } from '../lib/text.ts'
import type { CallbackMessage } from '../schemas/callback-message.ts'
import type { PlanetExtras } from '../schemas/celestial-body.ts'
import type { PlanetProperties } from '../schemas/planet.ts'
import {
  type DeliveryFields,
  deliveryFields,
  type EventDraft,
  insertDelivery,
  insertEvent,
  insertEventFor,
  insertEventForSubscribers,
  isWelcome,
  type Receiver,
} from './callbacks/outbox.ts'
import { fillTemplate, newestPlanet, type PlanetTemplate } from './callbacks/planet-template.ts'
import { joinContents, selectPlanetPage } from './pages.ts'
import {
  countSatelliteBytes,
  deleteOtherSatellites,
  numberSatellites,
  type SatelliteDraft,
  satelliteBytesAfter,
  writeSatellites,
} from './satellites.ts'
import { PLANET_COLUMNS, type StoredPlanet } from './stored-planet.ts'
import { awaitWithinLimits, charge, requireRoomInAccount } from './usage.ts'

/** The planet as the client sent it. `satellites` is undefined if it sent no list. */
export interface PlanetDraft {
  properties: PlanetProperties
  satellites: readonly SatelliteDraft[] | undefined
}

/** A planet to insert. */
interface NewPlanet extends PlanetDraft {
  /** Null if it was not sent as a celestial body, or only has the members of a planet. */
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

/** The callbacks for a new planet: their body and the planet's own receiver. */
interface Announcement {
  body: PlanetTemplate
  /** The planet's own receiver; undefined if it has none. */
  receiver: Receiver | undefined
}

/**
 * Stores a new planet, its satellites and the events about it, all or nothing. One round trip.
 *
 * @returns The planet, and the messages for the queue
 * @throws ProblemError 403 if a limit of the account is reached
 */
export async function insertPlanet(
  db: Database,
  creator: StoredPlanet['creator'],
  draft: NewPlanet,
  { body, receiver }: Announcement,
  limits: AccountLimits,
  now: Date,
): Promise<{ planet: StoredPlanet; messages: CallbackMessage[] }> {
  const drafts = draft.satellites ?? []
  const time = now.getTime()
  const template = JSON.stringify(body)
  const statements = [
    insertRow(db, {
      creatorId: creator.id,
      lastUpdated: now,
      properties: draft.properties,
      listsSatellites: draft.satellites !== undefined,
      extras: draft.extras,
      satelliteBytes: countSatelliteBytes(drafts),
    }),
    chargeNewest(db, { ...limits, userId: creator.id, addedDeliveries: receiver ? 1 : 0 }),
    insertSatellites(db, { drafts: JSON.stringify(drafts) }),
    insertNewPlanetEvent(db, { template, time }),
  ] as const
  const store = async () => {
    if (!receiver) return [...(await db.batch(statements)), undefined, []] as const
    const delivery = deliveryFields('planetCreated', receiver)
    return await db.batch([
      ...statements,
      insertCreatedEvent(db, { template, time }),
      insertCreatedDelivery(db, { time, ...delivery }),
    ])
  }
  const results = await awaitWithinLimits(db, creator.id, limits, store())
  const [[row], , writtenSatellites, subscriberMessages, , receiverMessages] = results
  if (!row) throw new Error('the database returned no row for a planet that it stored')
  const planet = { ...row, creator, satellites: numberSatellites(drafts, writtenSatellites) }
  return { planet, messages: [...receiverMessages, ...subscriberMessages] }
}

// The statements of `insertPlanet`.

type PlanetRow = Omit<NewPlanet, 'satellites'> & {
  creatorId: number
  lastUpdated: Date
  listsSatellites: boolean
  satelliteBytes: number
}

const insertRow = prepare((db, row: Placeholders<PlanetRow>) => {
  const { creatorId, lastUpdated, properties, listsSatellites, extras, satelliteBytes } = row
  const values = { creatorId, lastUpdated, properties, listsSatellites, extras, satelliteBytes }
  return db.insert(planets).values(values).returning(PLANET_COLUMNS)
})

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

type PlanetEvent = Placeholders<{ template: string; time: number }>

const insertNewPlanetEvent = prepare((db, { template, time }: PlanetEvent) =>
  insertEventForSubscribers(db, { type: 'newPlanet', planetId: newestPlanet, body: fillTemplate(template) }, time),
)

const insertCreatedEvent = prepare((db, { template, time }: PlanetEvent) =>
  insertEvent(
    db,
    { type: 'planetCreated', planetId: newestPlanet, body: fillTemplate(template), time, expandedTo: null },
    sql`true`,
  ),
)

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
  /** The expected version; undefined for any. */
  expected: number | undefined
}

/**
 * Replaces what a client can set of a planet, all or nothing. Satellites that the draft does not name by id are
 * removed. One round trip.
 *
 * @returns The updated planet, and the key of the upload that it showed before; `gone` or `changed` if nothing was
 * written
 * @throws ProblemError 403 if the planet grows and a limit of the account is reached
 */
export async function updatePlanet(
  db: Database,
  planet: StoredPlanet,
  draft: Replacement,
  limits: AccountLimits,
  now: Date,
): Promise<{ planet: StoredPlanet; shownKey: string | null } | MissedWrite> {
  const drafts = draft.satellites ?? []
  const satelliteBytes = satelliteBytesAfter(planet.id, drafts)
  const planetBytes = sql`${countBytes(JSON.stringify(draft.properties))} + coalesce(octet_length(${planets.extras}), 0)`
  const addedUsage = { bodyBytes: sql`${planetBytes} + ${satelliteBytes} - ${planets.bytes}` }
  const update = db
    .update(planets)
    .set({
      version: nextVersion(draft.expected),
      lastUpdated: timeOfWrite(now),
      properties: draft.properties,
      listsSatellites: draft.satellites !== undefined,
      satelliteBytes,
      ...(draft.image === 'drop' && { imageKey: null }),
    })
    .where(eq(planets.id, planet.id))
    .returning(PLANET_COLUMNS)
  try {
    const batch = db.batch([
      selectShownKey(db, planet.id),
      requireRoomInAccount(db, planet.creator.id, addedUsage, limits, sourceOfPlanet(planet.id, draft.expected)),
      update,
      deleteOtherSatellites(db, planet.id, drafts),
      writeSatellites(db, sql`${planet.id}`, JSON.stringify(drafts)),
    ])
    const [[before], , [row], , writtenSatellites] = await awaitWithinLimits(db, planet.creator.id, limits, batch)
    if (!before || !row) return 'gone'
    const satellites = numberSatellites(drafts, writtenSatellites)
    return { planet: { ...row, creator: planet.creator, satellites }, shownKey: before.imageKey }
  } catch (error) {
    return explainConflict(error)
  }
}

/** A planet and the version of it that an upload is for. */
export interface ImageTarget {
  id: number
  creatorId: number
  /** The expected version; undefined for any. */
  expected: number | undefined
}

/**
 * Makes a planet show an uploaded image. The upload that it showed before becomes an orphan (an upload that no planet
 * shows).
 *
 * @returns The key of the upload that it showed before; `gone` or `changed` if nothing was written
 * @throws ProblemError 403 if a limit of the account is reached
 */
export async function setPlanetImage(
  db: Database,
  planet: ImageTarget,
  { key: imageKey, fileSize }: { key: string; fileSize: number },
  limits: AccountLimits,
  now: Date,
): Promise<{ shownKey: string | null } | MissedWrite> {
  const { id, creatorId, expected } = planet
  const update = db
    .update(planets)
    .set({ version: nextVersion(expected), lastUpdated: timeOfWrite(now), imageKey })
    .where(eq(planets.id, id))
  try {
    const batch = db.batch([selectShownKey(db, id), requireImageRoom(db, planet, fileSize, limits), update])
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
 * Deletes a planet and its satellites, if it has the expected version.
 *
 * @param expected The expected version; undefined for any
 * @returns The key of the upload that it showed; `gone` or `changed` if nothing was deleted
 */
export async function deletePlanet(
  db: Database,
  id: number,
  expected: number | undefined,
): Promise<{ shownKey: string | null } | MissedWrite> {
  const deleted = await db
    .delete(planets)
    .where(and(eq(planets.id, id), expected === undefined ? undefined : eq(planets.version, expected)))
    .returning({ shownKey: planets.imageKey })
  if (deleted[0]) return deleted[0]
  // With an expected version, this does not tell a planet that is gone from one that was changed.
  return expected === undefined ? 'gone' : 'changed'
}

/**
 * Deletes a planet and its satellites if it is still as it was read, and stores the event for its receiver, all or
 * nothing. One round trip.
 *
 * @param body Body of the callback
 * @param receiver Undefined if there is none
 * @returns The messages for the queue; `changed` if the planet was changed or deleted since it was read
 * @throws ProblemError 403 if the account has no room for the delivery
 */
export async function explodePlanet(
  db: Database,
  { id, version, creator }: StoredPlanet,
  body: string,
  receiver: Receiver | undefined,
  limits: AccountLimits,
  now: Date,
): Promise<CallbackMessage[] | 'changed'> {
  const isThisVersion = and(eq(planets.id, id), eq(planets.version, version))
  const isUnchanged = sql`exists (select 1 from ${planets} where ${isThisVersion})`
  const event: EventDraft = { type: 'planetExploded', planetId: id, body }
  const wantsCallback = sql`${isUnchanged} and ${isWelcome(id, receiver?.url ?? '')}`
  const getsCallback = receiver ? wantsCallback : sql`false`
  const batch = db.batch([
    // Only checks the limit. The delivery is charged by the trigger on the deletion of the planet.
    requireRoomInAccount(db, creator.id, { deliveries: 1 }, limits, { where: getsCallback }),
    ...insertEventFor(db, event, receiver, now, wantsCallback),
    db.delete(planets).where(isThisVersion).returning({ id: planets.id }),
  ])
  const [, , messages, deleted] = await awaitWithinLimits(db, creator.id, limits, batch)
  return deleted.length > 0 ? messages : 'changed'
}

/** The version after this write. A trigger aborts a write whose version is not one more than the planet's. */
export function nextVersion(expected: number | undefined) {
  return expected === undefined ? sql`${planets.version} + 1` : expected + 1
}

/** The time of a write. It never goes back, even if this writer began earlier than the previous one. */
export function timeOfWrite(now: Date) {
  return sql`max(${planets.lastUpdated}, ${now.getTime()})`
}

/** Translates the error of a version conflict. @throws Any other error */
function explainConflict(error: unknown): 'changed' {
  if (violates(error, 'planetVersion')) return 'changed'
  throw error
}
