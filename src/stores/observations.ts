import { and, asc, eq, gt, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import type { Requirement } from '../changes/change.ts'
import { build, type Database, type Session, write } from '../db/port.ts'
import { observationBatches, planets } from '../db/tables.ts'
import { DAY_MS } from '../lib/time.ts'
import type { Observation } from '../schemas/observation.ts'
import type { PageQuery } from '../schemas/page.ts'
import { type ListPage, readPage } from './cut-page.ts'

export type StoredBatch = typeof observationBatches.$inferSelect
export type NewBatch = Pick<
  StoredBatch,
  'id' | 'userId' | 'planetId' | 'observer' | 'observedAt' | 'accepted' | 'images' | 'createdAt'
>

/** How many batches are kept for a user. */
const BATCHES_MAX = 100
/** How many batches of a user may be unfinished. */
export const UNFINISHED_MAX = 5
/** How long a completed batch is kept. */
const KEPT_MS = DAY_MS
const REMOVALS_PER_SWEEP = 1000

const { id, userId, planetId, createdAt, leasedUntil, completedAt } = observationBatches

/**
 * The statements that store a new batch. The oldest completed batches of the user give way to it.
 *
 * @param refusal The error for a user who has too many unfinished batches
 * @returns Them, and what they require
 */
export function insertBatch(batch: NewBatch, refusal: Error) {
  const isOwn = eq(userId, batch.userId)
  const unfinished = build.$count(observationBatches, and(isOwn, isNull(completedAt)))
  const requires: Requirement[] = [{ holds: sql`${unfinished} < ${UNFINISHED_MAX}`, otherwise: refusal }]
  // There are fewer unfinished batches than are kept, so only completed ones are too many.
  const surplus = sql`(
    select ${id} from ${observationBatches} where ${and(isOwn, isNotNull(completedAt))}
    order by ${createdAt} desc, ${id} desc limit -1 offset ${BATCHES_MAX - 1} - ${unfinished})`
  return {
    requires,
    statements: [
      build.delete(observationBatches).where(sql`${id} in ${surplus}`),
      build.insert(observationBatches).values(batch),
    ],
  }
}

/** A page of a user's batches of a planet, oldest first, and their total number. One round trip. */
export async function listBatches(
  db: Database,
  owner: number,
  planet: number,
  { limit, offset }: PageQuery,
  now: Date,
): Promise<ListPage<StoredBatch>> {
  const isListed = and(eq(userId, owner), eq(planetId, planet), isKept(now))
  const rows = build
    .select()
    .from(observationBatches)
    .where(isListed)
    .orderBy(asc(createdAt), asc(id))
    .limit(limit)
    .offset(offset)
  return await readPage(db, observationBatches, isListed, rows)
}

/** The query for a planet, to see whether it exists: a list with one item or none. */
export function selectPlanetId(planet: number) {
  return build.select({ id: planets.id }).from(planets).where(eq(planets.id, planet))
}

/** Which batch is meant: of which user, and at which path. */
export interface BatchKey {
  userId: number
  planetId: number
  batchId: string
}

/** @returns Undefined if the user has no such batch */
export async function findBatch(db: Database, key: BatchKey, now: Date): Promise<StoredBatch | undefined> {
  const [batch] = await db.read(build.select().from(observationBatches).where(isBatch(key, now)))
  return batch
}

/** The statement that deletes a batch. It returns a row if the batch existed. */
export function deleteBatch(key: BatchKey, now: Date) {
  return build.delete(observationBatches).where(isBatch(key, now)).returning({ id })
}

function isBatch(key: BatchKey, now: Date) {
  return and(eq(id, key.batchId), eq(userId, key.userId), eq(planetId, key.planetId), isKept(now))
}

function isKept(now: Date) {
  return or(isNull(completedAt), gt(completedAt, new Date(now.getTime() - KEPT_MS)))
}

/**
 * Gives a batch to a worker for the time of a lease, so that no other worker has it. One round trip.
 *
 * @returns Undefined if it does not exist any more, is completed, or is with another worker
 */
export async function leaseBatch(
  session: Session,
  batchId: string,
  now: Date,
  leaseMs: number,
): Promise<StoredBatch | undefined> {
  const [[leased]] = await write(session, [
    build
      .update(observationBatches)
      .set({ leasedUntil: new Date(now.getTime() + leaseMs) })
      .where(and(eq(id, batchId), isNull(completedAt), hasNoLease(now)))
      .returning(),
  ])
  return leased
}

/** The statement that completes a leased batch. If the lease has passed to another worker, it changes nothing. */
export function completeBatch(leased: StoredBatch, observations: Observation[], now: Date) {
  return build
    .update(observationBatches)
    .set({ observations, images: null, completedAt: now })
    .where(and(eq(id, leased.id), isNull(completedAt), sql`${leasedUntil} is ${leased.leasedUntil?.getTime()}`))
}

/** Lists batches that no worker has and that are not younger than a time, oldest first. */
export async function listUnfinished(db: Database, acceptedUntil: Date, now: Date, limit: number): Promise<string[]> {
  const rows = await db.read(
    build
      .select({ id })
      .from(observationBatches)
      .where(and(isNull(completedAt), lte(createdAt, acceptedUntil), hasNoLease(now)))
      .orderBy(asc(createdAt))
      .limit(limit),
  )
  return rows.map((row) => row.id)
}

function hasNoLease(now: Date) {
  return or(isNull(leasedUntil), lte(leasedUntil, now))
}

/** Removes batches that were completed long enough ago. */
export async function removeEndedBatches(session: Session, now: Date): Promise<void> {
  const ended = build
    .select({ id })
    .from(observationBatches)
    .where(lte(completedAt, new Date(now.getTime() - KEPT_MS)))
    .limit(REMOVALS_PER_SWEEP)
  await write(session, [build.delete(observationBatches).where(sql`${id} in ${ended}`)])
}
