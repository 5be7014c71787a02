import { and, eq, inArray, isNotNull, isNull, notExists, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { celestialBodies, deliveries, planets, refusedCallbacks, users } from '../db/tables.ts'
import { removeImages } from './images.ts'
import { removePrivateEvents } from './log.ts'
import { byService, insertRemovals, type Removal } from './logged-planets.ts'

// The planets, celestial bodies and deliveries of a deleted account are removed in steps of bounded size, because an
// account can own very many of them. Triggers (migrations/) remove the other data: `users_deleted` when the account is
// deleted, and `users_left` when its row is removed.

/** The reason that the events about the deleted planets give. */
const ACCOUNT_DELETED = 'The account of its creator was deleted.'

const PLANETS_PER_STEP = 100
const BODIES_PER_STEP = 100
const DELIVERIES_PER_STEP = 500

/** Enough steps for an account that has as much as `ACCOUNT_LIMITS` allows by default. */
export const STEPS_PER_REQUEST = 25

/**
 * Removes everything that a deleted account owns, images included, and then the account itself. The removal can be
 * interrupted, repeated, and run concurrently.
 *
 * @param stepsMax Maximum number of steps
 * @param cause The request that caused the removal, for the log
 * @returns The number of steps, and whether nothing is left
 */
export async function removeAccount(
  db: Database,
  bucket: R2Bucket,
  id: number,
  stepsMax: number,
  cause: Omit<Removal, 'reason'>,
): Promise<{ steps: number; isGone: boolean }> {
  for (let steps = 1; steps <= stepsMax; steps++) {
    const { imageKeys, isGone } = await takeStep(db, id, cause, steps === 1)
    await removeImages(db, bucket, imageKeys)
    if (isGone) return { steps, isGone }
  }
  return { steps: stepsMax, isGone: false }
}

/**
 * Removes some rows of an account, and the account itself if no rows are left. A planet is removed together with its
 * satellites. One round trip.
 *
 * @param isFirst Whether this is the first step, which also removes the private events of the user
 */
async function takeStep(
  db: Database,
  id: number,
  cause: Omit<Removal, 'reason'>,
  isFirst: boolean,
): Promise<{ imageKeys: string[]; isGone: boolean }> {
  const ownedRows = selectOwnedRows(db, id)
  const isNextPlanet = sql`${planets.id} in ${ownedRows.planets.limit(PLANETS_PER_STEP)}`
  const [, , removedPlanets, , , removedUsers] = await db.batch([
    insertRemovals(db, isNextPlanet, { ...cause, reason: ACCOUNT_DELETED }),
    db.delete(refusedCallbacks).where(inArray(refusedCallbacks.planetId, ownedRows.planets.limit(PLANETS_PER_STEP))),
    db
      .delete(planets)
      .where(inArray(planets.id, ownedRows.planets.limit(PLANETS_PER_STEP)))
      .returning({ imageKey: planets.imageKey }),
    db.delete(celestialBodies).where(inArray(celestialBodies.id, ownedRows.bodies.limit(BODIES_PER_STEP))),
    db.delete(deliveries).where(inArray(deliveries.id, ownedRows.deliveries.limit(DELIVERIES_PER_STEP))),
    // Deletes the account only if none of `ownedRows` is left.
    db
      .delete(users)
      .where(
        and(eq(users.id, id), isNotNull(users.deletedAt), ...Object.values(ownedRows).map((rows) => notExists(rows))),
      )
      .returning({ id: users.id }),
    // If `endAccount` deleted the account, it has already removed these events. Other deletions have not.
    ...(isFirst ? [removePrivateEvents(db, id)] : []),
  ])
  return { imageKeys: removedPlanets.flatMap(({ imageKey }) => imageKey ?? []), isGone: removedUsers.length > 0 }
}

/**
 * Queries for the rows that an account can have very many of. Satellites are removed with their planets and stars, and
 * attempts with their deliveries.
 */
function selectOwnedRows(db: Database, id: number) {
  const isFreeBody = and(
    eq(celestialBodies.creatorId, id),
    isNull(celestialBodies.planetId),
    isNull(celestialBodies.hostId),
  )
  return {
    planets: db.select({ id: planets.id }).from(planets).where(eq(planets.creatorId, id)).$dynamic(),
    bodies: db.select({ id: celestialBodies.id }).from(celestialBodies).where(isFreeBody).$dynamic(),
    deliveries: db.select({ id: deliveries.id }).from(deliveries).where(eq(deliveries.userId, id)).$dynamic(),
  }
}

const ACCOUNTS_PER_SWEEP = 10
const STEPS_PER_SWEEP = 50

/**
 * Continues the removal of deleted accounts: those with very many rows, those whose removal was interrupted, and those
 * that the operator deleted.
 *
 * @throws The last error, after all accounts were tried
 */
export async function removeDeletedAccounts(db: Database, bucket: R2Bucket, now: Date): Promise<void> {
  const isDeleted = isNotNull(users.deletedAt)
  const deletedAccounts = await db.select({ id: users.id }).from(users).where(isDeleted).limit(ACCOUNTS_PER_SWEEP)
  const failures: unknown[] = []
  let stepsLeft = STEPS_PER_SWEEP
  for (const { id } of deletedAccounts) {
    if (stepsLeft === 0) break
    try {
      const { steps } = await removeAccount(db, bucket, id, stepsLeft, byService(now))
      stepsLeft -= steps
    } catch (error) {
      // The number of steps before the failure is unknown, so they count as one.
      stepsLeft--
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures.at(-1)
}
