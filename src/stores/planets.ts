import { and, eq, gte, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { violates } from '../db/constraints.ts'
import { cutPage } from '../db/pages.ts'
import { countPlanets, idAtOffset } from '../db/ranks.ts'
import { images, planets } from '../db/tables.ts'
import type { AccountLimits } from '../env.ts'
import { countBytes } from '../lib/text.ts'
import type { CallbackMessage } from '../schemas/callback-message.ts'
import type { PlanetExtras } from '../schemas/celestial-body.ts'
import type { PlanetProperties } from '../schemas/planet.ts'
import {
  type EventDraft,
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
import { charge, orLimitReached, requireRoom } from './usage.ts'

/** What a client says of a planet. `satellites` is undefined where it sent no list. */
export interface PlanetDraft {
  properties: PlanetProperties
  satellites: readonly SatelliteDraft[] | undefined
}

/** A planet to be made. */
export interface NewPlanet extends PlanetDraft {
  /** Null where it was not sent as a celestial body, or has no more than a planet. */
  extras: PlanetExtras | null
}

/** A page of all planets in the order of their ids, cut at PAGE_MAX_BYTES, and how many there are. One round trip. */
export async function listPlanets(
  db: Database,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: StoredPlanet[]; total: number }> {
  const [counts, rows] = await db.batch([
    countPlanets(db),
    selectPlanetPage(db, gte(planets.id, idAtOffset('planets', offset)), { limit }),
  ])
  return { rows: joinContents(cutPage(rows, bytesOf)), total: counts[0]?.total ?? 0 }
}

/** Bytes of a document and its satellites in the database. */
export function bytesOf({ bytes }: { bytes: number }): number {
  return bytes
}

/** Who is told of a new planet, and of what. */
export interface Announcement {
  body: PlanetTemplate
  /** The planet's own receiver; undefined where it has none. */
  receiver: Receiver | undefined
}

/**
 * Stores a new planet and its satellites, and what others are to be told of it, all or nothing. One round trip.
 *
 * @returns The planet, and the messages for the queue
 * @throws ProblemError 403 if the account has no room for it
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
  const values = {
    creatorId: creator.id,
    lastUpdated: now,
    properties: draft.properties,
    listsSatellites: draft.satellites !== undefined,
    extras: draft.extras,
    satelliteBytes: countSatelliteBytes(drafts),
  }
  const insertion = db.insert(planets).values(values).returning(PLANET_COLUMNS)
  const told = { planetId: newestPlanet, body: fillTemplate(body) }
  const added = { bodies: 1, bodyBytes: sql`${planets.bytes}`, deliveries: receiver ? 1 : 0 }
  const batch = db.batch([
    insertion,
    charge(db, creator.id, added, limits, sql`from ${planets} where ${planets.id} = ${newestPlanet}`),
    writeSatellites(db, newestPlanet, drafts),
    ...insertEventFor(db, { type: 'planetCreated', ...told }, receiver, now),
    insertEventForSubscribers(db, { type: 'newPlanet', ...told }, now),
  ])
  const [[row], , written, , own, all] = await orLimitReached(db, creator.id, limits, batch)
  if (!row) throw new Error('the database returned no row for a planet that it stored')
  const planet = { ...row, creator, satellites: numberSatellites(drafts, written) }
  return { planet, messages: [...own, ...all] }
}

/** What a write found in the place of the planet that it was to change. */
export type Missed = 'gone' | 'changed'

/** How a planet is to be replaced. */
export interface Replacement extends PlanetDraft {
  image: 'keep' | 'drop'
  /** The version that has to be found; undefined for any. */
  expected: number | undefined
}

/**
 * Replaces what the client owns of a planet, all or nothing. Satellites that are not named by id are removed. One round
 * trip.
 *
 * @returns The planet as it now is, and the key of the upload that it showed before
 * @throws ProblemError 403 if the account has no room for what it grows by
 */
export async function updatePlanet(
  db: Database,
  planet: StoredPlanet,
  draft: Replacement,
  limits: AccountLimits,
  now: Date,
): Promise<{ planet: StoredPlanet; shownKey: string | null } | Missed> {
  const drafts = draft.satellites ?? []
  const satelliteBytes = satelliteBytesAfter(planet.id, drafts)
  const ownBytes = sql`${countBytes(JSON.stringify(draft.properties))} + coalesce(octet_length(${planets.extras}), 0)`
  const added = { bodyBytes: sql`${ownBytes} + ${satelliteBytes} - ${planets.bytes}` }
  const update = db
    .update(planets)
    .set({
      version: nextVersion(draft.expected),
      lastUpdated: notBefore(now),
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
      requireRoom(db, planet.creator.id, added, limits, fromPlanet(planet.id, draft.expected)),
      update,
      deleteOtherSatellites(db, planet.id, drafts),
      writeSatellites(db, sql`${planet.id}`, drafts),
    ])
    const [[before], , [row], , written] = await orLimitReached(db, planet.creator.id, limits, batch)
    if (!before || !row) return 'gone'
    const stored = { ...row, creator: planet.creator, satellites: numberSatellites(drafts, written) }
    return { planet: stored, shownKey: before.imageKey }
  } catch (error) {
    return explainConflict(error)
  }
}

/** A planet that is to show an upload. */
export interface Illustrated {
  id: number
  creatorId: number
  /** The version that has to be found; undefined for any. */
  expected: number | undefined
}

/**
 * Lets a planet show an upload of its own. Whatever it showed before becomes an orphan.
 *
 * @returns The key of the upload that it showed before
 * @throws ProblemError 403 if the account has no room for it
 */
export async function setPlanetImage(
  db: Database,
  planet: Illustrated,
  { key: imageKey, fileSize }: { key: string; fileSize: number },
  limits: AccountLimits,
  now: Date,
): Promise<{ shownKey: string | null } | Missed> {
  const { id, creatorId, expected } = planet
  const update = db
    .update(planets)
    .set({ version: nextVersion(expected), lastUpdated: notBefore(now), imageKey })
    .where(eq(planets.id, id))
  try {
    const batch = db.batch([selectShownKey(db, id), requireImageRoom(db, planet, fileSize, limits), update])
    const [[before]] = await orLimitReached(db, creatorId, limits, batch)
    return before ? { shownKey: before.imageKey } : 'gone'
  } catch (error) {
    return explainConflict(error)
  }
}

/** The statement that checks whether there is room for an upload in the place of what the planet shows. */
export function requireImageRoom(
  db: Database,
  { id, creatorId, expected }: Illustrated,
  fileSize: number,
  limits: AccountLimits,
) {
  const shownBytes = sql`coalesce((select ${images.fileSize} from ${images} where ${images.key} = ${planets.imageKey}), 0)`
  const added = { images: sql`${planets.imageKey} is null`, imageBytes: sql`${fileSize} - ${shownBytes}` }
  return requireRoom(db, creatorId, added, limits, fromPlanet(id, expected))
}

/** The planet that is to be changed, for `requireRoom`: none if the write will not find it, and so not change it. */
function fromPlanet(id: number, expected: number | undefined): SQL {
  const found = and(eq(planets.id, id), expected === undefined ? undefined : eq(planets.version, expected))
  return sql`from ${planets} where ${found}`
}

/** In the batch of a write this is exact: of writers at the same moment each sees what the one before it left. */
function selectShownKey(db: Database, id: number) {
  return db.select({ imageKey: planets.imageKey }).from(planets).where(eq(planets.id, id))
}

/**
 * Deletes a planet, its satellites with it. A version that is expected and not found leaves it.
 *
 * @returns The key of the upload that it showed
 */
export async function deletePlanet(
  db: Database,
  id: number,
  expected: number | undefined,
): Promise<{ shownKey: string | null } | Missed> {
  const deleted = await db
    .delete(planets)
    .where(and(eq(planets.id, id), expected === undefined ? undefined : eq(planets.version, expected)))
    .returning({ shownKey: planets.imageKey })
  if (deleted[0]) return deleted[0]
  return expected === undefined ? 'gone' : 'changed'
}

/**
 * Deletes a planet as it was read, its satellites with it, and stores what its receiver is to be told, all or nothing. One
 * round trip.
 *
 * @param body What the receiver is told
 * @param receiver Undefined where there is none
 * @returns The messages for the queue; `changed` if the planet has changed or gone since it was read
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
  const found = and(eq(planets.id, id), eq(planets.version, version))
  const isFound = sql`exists (select 1 from ${planets} where ${found})`
  const event: EventDraft = { type: 'planetExploded', planetId: id, body }
  const condition = sql`${isFound} and ${isWelcome(id, receiver?.url ?? '')}`
  const isTold = receiver ? condition : sql`false`
  const batch = db.batch([
    // The delivery is charged by the trigger that gives back the room of the planet.
    requireRoom(db, creator.id, { deliveries: 1 }, limits, sql`where ${isTold}`),
    ...insertEventFor(db, event, receiver, now, condition),
    db.delete(planets).where(found).returning({ id: planets.id }),
  ])
  const [, , told, deleted] = await orLimitReached(db, creator.id, limits, batch)
  return deleted.length > 0 ? told : 'changed'
}

/** The version after this write. A trigger undoes a write whose version is not the one after the planet's. */
export function nextVersion(expected: number | undefined) {
  return expected === undefined ? sql`${planets.version} + 1` : expected + 1
}

/** The time of a write. A writer that began earlier than the one before it does not turn the time back. */
export function notBefore(now: Date) {
  return sql`max(${planets.lastUpdated}, ${now.getTime()})`
}

/** @throws The error itself, where it is not about a planet that changed or went since it was read */
function explainConflict(error: unknown): 'changed' {
  if (violates(error, 'planetVersion')) return 'changed'
  throw error
}
