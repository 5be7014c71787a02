import { and, lte, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { removePlanets } from '../changes/removals.ts'
import { build, news, type Session, write } from '../db/port.ts'
import { celestialBodies, planets, retentionPositions, users } from '../db/tables.ts'
import { GALAXY_USER_ID } from '../domain/galaxy-user.ts'
import { removeImages } from './images.ts'
import { removeAccount } from './removed-accounts.ts'
import { makeRemovals, selectRemovable } from './removed-planets.ts'
import { isUnusedAccount } from './unused-accounts.ts'

// Data of visitors is removed at the age of VISITOR_RETENTION_HOURS. The sweep goes through it in the order of an index
// that exists for other queries: a part in each minute, and from the beginning again after the end (README.md).

/** The position of an item in its index. The position of the last item that a sweep looked at is stored. */
interface Position {
  ownerId: number
  id: number
}

/** Before the first item of a visitor. The items of the Galaxy user, such as shipped planets, precede it. */
const START: Position = { ownerId: GALAXY_USER_ID, id: Number.MAX_SAFE_INTEGER }

/** The result of a step: the items that it has looked at, and how many of them it has removed. */
interface Step {
  items: Position[]
  removed: number
}

/** A kind of items, and how many of them are looked at and removed in a minute. */
interface Kind {
  name: string
  /** Number of items that a step looks at. */
  pageSize: number
  stepsMax: number
  /** After this many removals, the sweep takes no further step. */
  removalsMax: number
  step(after: Position): Promise<Step>
}

/** The reason that the events about the deleted planets give. */
const RETENTION_OVER = 'This service keeps planets only for a limited time.'

const BODIES_PER_STEP = 100
const BODY_STEPS_MAX = 20
/** This number is small, because each removal of an account reads all satellites once. */
const ACCOUNTS_PER_STEP = 10
const ACCOUNT_STEPS_MAX = 50
/** Steps of `removeAccount` for an unused account. One usually suffices, because the account owns no planet or body. */
const REMOVAL_STEPS_MAX = 1

/**
 * Removes the planets and celestial bodies that visitors created or last changed at or before `until`, with their
 * satellites and images. Also removes the accounts that were not used since then (`isUnusedAccount`). The removal can
 * be interrupted, repeated, and run concurrently.
 */
export async function removeOldItems(session: Session, bucket: R2Bucket, until: Date, now: Date): Promise<void> {
  // All bodies that are looked at may be removed.
  const removalsMax = BODY_STEPS_MAX * BODIES_PER_STEP
  const bodies = { pageSize: BODIES_PER_STEP, stepsMax: BODY_STEPS_MAX, removalsMax }
  const accounts = { pageSize: ACCOUNTS_PER_STEP, stepsMax: ACCOUNT_STEPS_MAX, removalsMax: ACCOUNTS_PER_STEP }
  const kinds: Kind[] = [
    { name: 'planets', ...bodies, step: (after) => removeOldPlanets(session, bucket, after, until, now) },
    { name: 'bodies', ...bodies, step: (after) => removeBodies(session, after, until) },
    { name: 'accounts', ...accounts, step: (after) => removeUnusedAccounts(session, bucket, after, until, now) },
  ]
  const storedPositions = await session.db.read(build.select().from(retentionPositions))
  // The kinds are handled one after the other, because an account is only unused if its planets are gone.
  for (const kind of kinds) {
    const start = storedPositions.find((stored) => stored.kind === kind.name) ?? START
    const end = await takeSteps(kind, start)
    await savePosition(session, kind.name, start, end)
  }
}

/** Takes the steps of a minute. @returns The last item that was looked at; START if there are no more items */
async function takeSteps({ pageSize, stepsMax, removalsMax, step }: Kind, start: Position): Promise<Position> {
  let position = start
  let removals = 0
  for (let steps = 0; steps < stepsMax && removals < removalsMax; steps++) {
    const { items, removed } = await step(position)
    const last = items.at(-1)
    if (last === undefined || items.length < pageSize) return START
    position = last
    removals += removed
  }
  return position
}

/** Stores a position. If a sweep is interrupted before this, the next sweep looks at the same items again. */
async function savePosition(
  session: Session,
  kind: string,
  before: Position,
  { ownerId, id }: Position,
): Promise<void> {
  if (before.ownerId === ownerId && before.id === id) return
  await write(session, [
    build
      .insert(retentionPositions)
      .values({ kind, ownerId, id })
      .onConflictDoUpdate({ target: retentionPositions.kind, set: { ownerId, id } }),
  ])
}

/**
 * Removes the old planets of the next page. A planet that was changed after it was read stays. One round trip, and
 * another one if there are old planets; more if they are so large that they are read in parts.
 */
async function removeOldPlanets(
  session: Session,
  bucket: R2Bucket,
  after: Position,
  until: Date,
  now: Date,
): Promise<Step> {
  const { db } = session
  const { creatorId, id, lastUpdated } = planets
  const page = pageAfter(after, { table: planets, owner: creatorId, id, size: BODIES_PER_STEP })
  const isOld = sql`${and(isOnPage(page, id), lte(lastUpdated, until))}`
  const [items, ...part] = await db.batch([selectPage(page), ...selectRemovable(isOld, BODIES_PER_STEP)])
  let removed = 0
  for (let [rows, shownImages] = part; rows.length > 0; ) {
    const found = makeRemovals(rows, shownImages)
    const removal = { origin: {}, reason: RETENTION_OVER, now }
    const [, deleted] = await write(session, removePlanets(found, removal))
    await removeImages(
      session,
      bucket,
      deleted.flatMap(({ imageKey }) => imageKey ?? []),
    )
    removed += deleted.length
    if (found.length === rows.length || deleted.length === 0) break
    ;[rows, shownImages] = await db.batch(selectRemovable(isOld, BODIES_PER_STEP))
  }
  return { items, removed }
}

/**
 * Removes the old bodies of the next page: stars, and satellites without a planet or host. Satellites of these bodies
 * are removed with them.
 */
async function removeBodies(session: Session, after: Position, until: Date): Promise<Step> {
  const { creatorId, id, planetId, hostId, lastUpdated } = celestialBodies
  const where = sql`${planetId} is null and ${hostId} is null`
  const page = pageAfter(after, { table: celestialBodies, owner: creatorId, id, where, size: BODIES_PER_STEP })
  const [items, removed] = await write(session, [
    selectPage(page),
    build
      .delete(celestialBodies)
      .where(and(isOnPage(page, id), lte(lastUpdated, until)))
      .returning({ id }),
  ])
  return { items, removed: removed.length }
}

/**
 * Deletes the unused accounts of the next page, as `DELETE /me` does, and begins to remove the data that belongs to
 * them. If an account has very many rows, `removeDeletedAccounts` continues the removal.
 */
async function removeUnusedAccounts(
  session: Session,
  bucket: R2Bucket,
  after: Position,
  until: Date,
  now: Date,
): Promise<Step> {
  const { id } = users
  const page = pageAfter(after, { table: users, owner: id, id, size: ACCOUNTS_PER_STEP })
  const [items, ended] = await write(session, [
    selectPage(page),
    news(
      build
        .update(users)
        .set({ deletedAt: now })
        .where(and(isOnPage(page, id), isUnusedAccount(until, now)))
        .returning({ id }),
    ),
  ])
  for (const account of ended) await removeAccount(session, bucket, account.id, REMOVAL_STEPS_MAX, { origin: {}, now })
  return { items, removed: ended.length }
}

/** The items that a page is taken from. Their table has an index of the owner and the id. */
interface Source {
  table: SQLiteTable
  owner: SQLiteColumn
  id: SQLiteColumn
  /** The condition of the index, if it is partial. */
  where?: SQL
  size: number
}

/**
 * The query for the page after a position: first the other items of the same owner, then the items of later owners.
 * These two conditions are two ranges of the index. With one comparison of pairs, SQLite would read all items of the
 * owner.
 */
function pageAfter({ ownerId, id: lastId }: Position, { table, owner, id, where = sql`true`, size }: Source): SQL {
  const select = sql`select ${owner} as owner_id, ${id} as id from ${table} where ${where}`
  return sql`(
    ${select} and ${owner} = ${ownerId} and ${id} > ${lastId} union all ${select} and ${owner} > ${ownerId}
    order by 1, 2 limit ${size})`
}

function selectPage(page: SQL) {
  return build.select({ ownerId: sql<number>`owner_id`, id: sql<number>`id` }).from(page)
}

function isOnPage(page: SQL, id: SQLiteColumn): SQL {
  return sql`${id} in (select id from ${page})`
}
