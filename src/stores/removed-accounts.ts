import { and, eq, inArray, isNotNull, isNull, notExists, sql } from 'drizzle-orm'
import { removePrivateEvents } from '../changes/log.ts'
import { type Removal, type RemovedPlanet, removePlanets } from '../changes/removals.ts'
import { build, type Session, write } from '../db/port.ts'
import { celestialBodies, deliveries, planets, refusedCallbacks, users } from '../db/tables.ts'
import { removeImages } from './images.ts'
import { makeRemovals, selectRemovable } from './removed-planets.ts'

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
 * @param cause The request that caused the removal, for the log
 * @param planetsToRemove The first of its planets, if they are already read (`endAccount`)
 * @returns The number of steps, and whether nothing is left
 */
export async function removeAccount(
  session: Session,
  bucket: R2Bucket,
  id: number,
  stepsMax: number,
  cause: Omit<Removal, 'reason'>,
  planetsToRemove?: readonly RemovedPlanet[],
): Promise<{ steps: number; isGone: boolean }> {
  let found = planetsToRemove ?? (await findPlanetsOf(session, id))
  for (let steps = 1; steps <= stepsMax; steps++) {
    const { imageKeys, isGone, next } = await takeStep(session, id, found, cause, steps === 1)
    await removeImages(session, bucket, imageKeys)
    if (isGone) return { steps, isGone }
    found = next
  }
  return { steps: stepsMax, isGone: false }
}

/** The queries for the first planets of an account. Pass the results to `makeRemovals`. */
export function selectPlanetsOf(id: number) {
  return selectRemovable(eq(planets.creatorId, id), PLANETS_PER_STEP)
}

async function findPlanetsOf({ db }: Session, id: number): Promise<RemovedPlanet[]> {
  const [page, shownImages] = await db.batch(selectPlanetsOf(id))
  return makeRemovals(page, shownImages)
}

/**
 * Removes some rows of an account, and the account itself if no rows are left. A planet is removed together with its
 * satellites. One round trip.
 *
 * @param found The planets that the previous step has found
 * @param isFirst Whether this is the first step, which also removes the private events of the user
 * @returns The keys of the images that the removed planets showed, whether the account is gone, and the planets for the
 * next step
 */
async function takeStep(
  session: Session,
  id: number,
  found: readonly RemovedPlanet[],
  cause: Omit<Removal, 'reason'>,
  isFirst: boolean,
): Promise<{ imageKeys: string[]; isGone: boolean; next: RemovedPlanet[] }> {
  const ownedRows = selectOwnedRows(id)
  const ids = JSON.stringify(found.map((planet) => planet.id))
  const [insertion, deletion] = removePlanets(found, { ...cause, reason: ACCOUNT_DELETED })
  const [, removedPlanets, , , , removedUsers, page, shownImages] = await write(session, [
    insertion,
    deletion,
    build.delete(refusedCallbacks).where(sql`${refusedCallbacks.planetId} in (select value from json_each(${ids}))`),
    build.delete(celestialBodies).where(inArray(celestialBodies.id, ownedRows.bodies.limit(BODIES_PER_STEP))),
    build.delete(deliveries).where(inArray(deliveries.id, ownedRows.deliveries.limit(DELIVERIES_PER_STEP))),
    // Deletes the account only if none of `ownedRows` is left.
    build
      .delete(users)
      .where(
        and(eq(users.id, id), isNotNull(users.deletedAt), ...Object.values(ownedRows).map((rows) => notExists(rows))),
      )
      .returning({ id: users.id }),
    ...selectPlanetsOf(id),
    // If `endAccount` deleted the account, it has already removed these events. Other deletions have not.
    ...(isFirst ? [removePrivateEvents(id)] : []),
  ])
  return {
    imageKeys: removedPlanets.flatMap(({ imageKey }) => imageKey ?? []),
    isGone: removedUsers.length > 0,
    next: makeRemovals(page, shownImages),
  }
}

/**
 * Queries for the rows that an account can have very many of. Satellites are removed with their planets and stars, and
 * attempts with their deliveries.
 */
function selectOwnedRows(id: number) {
  const isFreeBody = and(
    eq(celestialBodies.creatorId, id),
    isNull(celestialBodies.planetId),
    isNull(celestialBodies.hostId),
  )
  return {
    planets: build.select({ id: planets.id }).from(planets).where(eq(planets.creatorId, id)).$dynamic(),
    bodies: build.select({ id: celestialBodies.id }).from(celestialBodies).where(isFreeBody).$dynamic(),
    deliveries: build.select({ id: deliveries.id }).from(deliveries).where(eq(deliveries.userId, id)).$dynamic(),
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
export async function removeDeletedAccounts(session: Session, bucket: R2Bucket, now: Date): Promise<void> {
  const isDeleted = isNotNull(users.deletedAt)
  const deletedAccounts = await session.db.read(
    build.select({ id: users.id }).from(users).where(isDeleted).limit(ACCOUNTS_PER_SWEEP),
  )
  const failures: unknown[] = []
  let stepsLeft = STEPS_PER_SWEEP
  for (const { id } of deletedAccounts) {
    if (stepsLeft === 0) break
    try {
      const { steps } = await removeAccount(session, bucket, id, stepsLeft, { origin: {}, now })
      stepsLeft -= steps
    } catch (error) {
      // The number of steps before the failure is unknown, so they count as one.
      stepsLeft--
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures.at(-1)
}
