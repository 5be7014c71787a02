import { and, asc, eq, isNotNull, isNull, lte } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { universes } from '../db/tables.ts'
import type { Seed } from '../domain/universe.ts'
import { HOURS_MAX, TOMBSTONE_DAYS } from '../domain/universe.ts'
import { HOUR_MS, MINUTE_MS } from '../lib/time.ts'

// The list of universes in the common world. A row is older than its universe and outlives it, so whatever fails on
// the way is found here.

/** A universe that is not complete after this time is given up, and removed. */
const MAKING_MS = MINUTE_MS
/** How long after its last possible end a universe may still be there, before the sweep ends it itself. */
const LATE_MS = HOUR_MS
/** How long the sweep leaves a removal to whoever has begun it, before it tries itself. */
const REMOVING_MS = MINUTE_MS
/** How long the sweep leaves a universe alone that it could not settle. */
const POSTPONED_MS = 10 * MINUTE_MS
const DUE_PER_SWEEP = 20

export type ListedUniverse = typeof universes.$inferSelect

/** Whether an id is that of a universe that exists (`alive`), has ended, is being made, or never was (undefined). */
export async function findUniverseState(
  db: Database,
  id: string,
): Promise<'alive' | 'ended' | 'unfinished' | undefined> {
  const [row] = await db.select().from(universes).where(eq(universes.id, id))
  if (!row) return undefined
  if (row.endedAt) return 'ended'
  return row.madeAt ? 'alive' : 'unfinished'
}

/** Lists a universe before it is made. */
export async function listUnfinished(db: Database, id: string, seed: Seed, now: Date): Promise<void> {
  await db.insert(universes).values({ id, seed, createdAt: now, dueAt: new Date(now.getTime() + MAKING_MS) })
}

/** Notes that a universe is complete. @returns False if the sweep has given it up meanwhile */
export async function noteMade(db: Database, id: string, createdAt: Date, now: Date): Promise<boolean> {
  const dueAt = new Date(createdAt.getTime() + HOURS_MAX * HOUR_MS + LATE_MS)
  const made = await db
    .update(universes)
    .set({ madeAt: now, dueAt })
    .where(and(eq(universes.id, id), isNull(universes.madeAt), isNull(universes.endedAt)))
    .returning({ id: universes.id })
  return made.length > 0
}

/** Notes that a universe has ended. Its address responds with 410 from now on. Repeating this changes nothing. */
export async function noteEnd(db: Database, id: string, now: Date): Promise<void> {
  await db
    .update(universes)
    .set({ endedAt: now, dueAt: new Date(now.getTime() + REMOVING_MS) })
    .where(and(eq(universes.id, id), isNull(universes.endedAt)))
}

/** Notes that nothing of an ended universe is left except its row, which stays until its address may be forgotten. */
export async function noteRemoval(db: Database, id: string, now: Date): Promise<void> {
  await db
    .update(universes)
    .set({ dueAt: new Date(now.getTime() + TOMBSTONE_DAYS * 24 * HOUR_MS) })
    .where(and(eq(universes.id, id), isNotNull(universes.endedAt)))
}

/** The universes that the sweep has to look at. */
export async function listDueUniverses(db: Database, now: Date): Promise<ListedUniverse[]> {
  return await db
    .select()
    .from(universes)
    .where(lte(universes.dueAt, now))
    .orderBy(asc(universes.dueAt))
    .limit(DUE_PER_SWEEP)
}

/** Lets the sweep look at a universe later, so that one that it cannot settle does not hold up the others. */
export async function postpone(db: Database, id: string, now: Date): Promise<void> {
  await db
    .update(universes)
    .set({ dueAt: new Date(now.getTime() + POSTPONED_MS) })
    .where(eq(universes.id, id))
}

/** Removes a universe from the list. */
export async function forgetUniverse(db: Database, id: string): Promise<void> {
  await db.delete(universes).where(eq(universes.id, id))
}

/** Whether the address of an ended universe may be forgotten. */
export function isForgettable({ endedAt }: ListedUniverse, now: Date): boolean {
  return endedAt !== null && now.getTime() - endedAt.getTime() >= TOMBSTONE_DAYS * 24 * HOUR_MS
}
