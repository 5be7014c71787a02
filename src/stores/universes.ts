import { and, asc, eq, isNotNull, isNull, lte } from 'drizzle-orm'
import { build, type Database, type Session, write } from '../db/port.ts'
import { universes } from '../db/tables.ts'
import type { Seed } from '../domain/universe.ts'
import { AGE_MAX_HOURS, TOMBSTONE_DAYS } from '../domain/universe.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/time.ts'

// The list of universes in the common world. The row of a universe is written first and deleted last, so that the sweep
// finds universes whose creation or removal failed.

/** If the creation of a universe takes longer than this, the sweep removes the universe. */
const CREATION_MAX_MS = MINUTE_MS
/** A universe ends itself. If it still exists this long after its latest possible end, the sweep ends it. */
const OVERDUE_MS = HOUR_MS
/** The sweep repeats a removal that has not finished after this time. */
const REMOVAL_MAX_MS = MINUTE_MS
/** How long the sweep waits before it tries again after a failure. */
const POSTPONEMENT_MS = 10 * MINUTE_MS
const DUE_PER_SWEEP = 20

export type ListedUniverse = typeof universes.$inferSelect

/**
 * The state of the universe with an id. `unfinished`: it is being made, or its creation failed. Undefined: there is no
 * such universe, or it ended so long ago that it is forgotten.
 */
export async function findUniverseState(
  db: Database,
  id: string,
): Promise<'alive' | 'ended' | 'unfinished' | undefined> {
  const [row] = await db.read(build.select().from(universes).where(eq(universes.id, id)))
  if (!row) return undefined
  if (row.endedAt) return 'ended'
  return row.madeAt ? 'alive' : 'unfinished'
}

/** Adds a universe to the list. Call this before the universe is created. */
export async function insertUniverse(session: Session, id: string, seed: Seed, now: Date): Promise<void> {
  await write(session, [
    build.insert(universes).values({ id, seed, createdAt: now, dueAt: new Date(now.getTime() + CREATION_MAX_MS) }),
  ])
}

/** @returns False if the sweep has already removed it */
export async function noteCompletion(session: Session, id: string, createdAt: Date, now: Date): Promise<boolean> {
  const dueAt = new Date(createdAt.getTime() + AGE_MAX_HOURS * HOUR_MS + OVERDUE_MS)
  const [made] = await write(session, [
    build
      .update(universes)
      .set({ madeAt: now, dueAt })
      .where(and(eq(universes.id, id), isNull(universes.madeAt), isNull(universes.endedAt)))
      .returning({ id: universes.id }),
  ])
  return made.length > 0
}

/** Records that a universe has ended. Its address responds with 410 from now on. Repeating this changes nothing. */
export async function noteEnd(session: Session, id: string, now: Date): Promise<void> {
  await write(session, [
    build
      .update(universes)
      .set({ endedAt: now, dueAt: new Date(now.getTime() + REMOVAL_MAX_MS) })
      .where(and(eq(universes.id, id), isNull(universes.endedAt))),
  ])
}

/** Records that everything in an ended universe was removed. Its row stays until its address may be forgotten. */
export async function noteRemoval(session: Session, id: string, now: Date): Promise<void> {
  await write(session, [
    build
      .update(universes)
      .set({ dueAt: new Date(now.getTime() + TOMBSTONE_DAYS * DAY_MS) })
      .where(and(eq(universes.id, id), isNotNull(universes.endedAt))),
  ])
}

/** The universes that the sweep has to look at. */
export async function listDueUniverses(db: Database, now: Date): Promise<ListedUniverse[]> {
  return await db.read(
    build.select().from(universes).where(lte(universes.dueAt, now)).orderBy(asc(universes.dueAt)).limit(DUE_PER_SWEEP),
  )
}

/** Postpones a universe after a failure, so that it does not hold up the others. */
export async function postponeUniverse(session: Session, id: string, now: Date): Promise<void> {
  await write(session, [
    build
      .update(universes)
      .set({ dueAt: new Date(now.getTime() + POSTPONEMENT_MS) })
      .where(eq(universes.id, id)),
  ])
}

/** Removes a universe from the list, so that its address is unknown again. */
export async function forgetUniverse(session: Session, id: string): Promise<void> {
  await write(session, [build.delete(universes).where(eq(universes.id, id))])
}

/** Whether the address of an ended universe may be forgotten. */
export function isForgettable({ endedAt }: ListedUniverse, now: Date): boolean {
  return endedAt !== null && now.getTime() - endedAt.getTime() >= TOMBSTONE_DAYS * DAY_MS
}
