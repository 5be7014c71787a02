import { eq, type SQL, sql } from 'drizzle-orm'
import { integer, type SQLiteTable, sqliteTable } from 'drizzle-orm/sqlite-core'
import type { Database } from '../db/client.ts'
import { violatedName, violates } from '../db/constraints.ts'
import type { Value } from '../db/prepared.ts'
import { users } from '../db/tables.ts'
import type { AccountLimitName } from '../domain/limits.ts'
import { ProblemError } from '../domain/problems.ts'
import type { AccountLimits } from '../env.ts'
import { rootCause } from '../lib/root-cause.ts'

// How much each account uses, and how much it may use. The usage is stored in columns of `users`. When data is deleted
// or changes its size, triggers in the migrations update the usage, so that no statement can forget the update. New
// data is charged by one statement for a whole batch, because a trigger would update the account once for each new row.

/** The view that accepts charges. A trigger checks them and adds them to the columns of `users`. */
const accountCharges = sqliteTable('account_charges', {
  userId: integer('user_id').notNull(),
  bodies: integer('bodies').notNull(),
  bodyBytes: integer('body_bytes').notNull(),
  images: integer('images').notNull(),
  imageBytes: integer('image_bytes').notNull(),
  deliveries: integer('deliveries').notNull(),
  bodiesMax: integer('bodies_max').notNull(),
  bodyBytesMax: integer('body_bytes_max').notNull(),
  imagesMax: integer('images_max').notNull(),
  imageBytesMax: integer('image_bytes_max').notNull(),
  deliveriesMax: integer('deliveries_max').notNull(),
  isCharged: integer('is_charged', { mode: 'boolean' }).notNull(),
})

/** The usage that a batch adds to an account. */
interface Charge {
  bodies?: Value<number>
  /** Bytes of planets and other celestial bodies. */
  bodyBytes?: Value<number>
  images?: Value<number>
  imageBytes?: Value<number>
  deliveries?: Value<number>
}

/**
 * How often the usage is charged: once for each row of `table` that matches `where`. Without a table, it is charged
 * once if `where` is true.
 */
interface ChargeSource {
  table?: SQLiteTable
  where: SQL
}

/** The limits of the statement, which can be placeholders. */
type ChargeLimits = { readonly [Name in keyof AccountLimits]: Value<number> }

/**
 * The statement that charges an account for the data that its batch stores. If the new usage exceeds a limit, the whole
 * batch is rolled back, and `awaitWithinLimits` throws the problem.
 *
 * @param userId Id of the account, or the column that contains it
 * @param source If it has no rows, nothing is charged
 */
export function charge(
  db: Database,
  userId: Value<number>,
  addedUsage: Charge,
  limits: ChargeLimits,
  source: ChargeSource,
) {
  return insertCharge(db, userId, addedUsage, limits, source, true)
}

/**
 * The statement that only checks whether the account has room. Use it if triggers charge the account. A change that
 * makes data smaller always fits.
 */
export function requireRoomInAccount(
  db: Database,
  userId: Value<number>,
  addedUsage: Charge,
  limits: ChargeLimits,
  source: ChargeSource,
) {
  return insertCharge(db, userId, addedUsage, limits, source, false)
}

function insertCharge(
  db: Database,
  userId: Value<number>,
  { bodies = 0, bodyBytes = 0, images = 0, imageBytes = 0, deliveries = 0 }: Charge,
  limits: ChargeLimits,
  { table, where }: ChargeSource,
  isCharged: boolean,
) {
  const from = table ? sql`from ${table}` : sql.empty()
  return db.insert(accountCharges).select(sql`
    select ${userId}, ${bodies}, ${bodyBytes}, ${images}, ${imageBytes}, ${deliveries}, ${limits.bodies}, ${limits.bodyBytes},
      ${limits.images}, ${limits.imageBytes}, ${limits.deliveries}, ${Number(isCharged)} ${from} where ${where}`)
}

/**
 * Registry: the limits by the names that callers see. `allowed` is the name of the limit in the configuration, `used`
 * is the column with the current usage, and `what` is the unit in the error message.
 */
const LIMITS = {
  celestialBodies: { allowed: 'bodies', used: 'bodiesUsed', what: 'planets and celestial bodies' },
  celestialBodyBytes: { allowed: 'bodyBytes', used: 'bodyBytesUsed', what: 'bytes of planets and celestial bodies' },
  images: { allowed: 'images', used: 'imagesUsed', what: 'images' },
  imageBytes: { allowed: 'imageBytes', used: 'imageBytesUsed', what: 'bytes of images' },
  deliveries: { allowed: 'deliveries', used: 'deliveriesUsed', what: 'deliveries in its log' },
} as const satisfies Record<AccountLimitName, { allowed: keyof AccountLimits; used: keyof typeof users; what: string }>

/**
 * Awaits a batch that charges an account.
 *
 * @throws ProblemError 403 if a limit of the account is reached; otherwise the error of the batch
 */
export async function awaitWithinLimits<Result>(
  db: Database,
  userId: number,
  limits: AccountLimits,
  batch: Promise<Result>,
): Promise<Result> {
  try {
    return await batch
  } catch (error) {
    const name = limitNameOf(error)
    if (!name) throw error
    const { allowed, used, what } = LIMITS[name]
    const [usage] = await db.select({ used: users[used] }).from(users).where(eq(users.id, userId))
    const limit = { name, used: usage?.used ?? 0, allowed: limits[allowed] }
    const detail = `An account can have at most ${limit.allowed} ${what}. Yours has ${limit.used}, and this request would exceed the limit.`
    throw new ProblemError('account-limit-reached', detail, { limit })
  }
}

/** Whether a write was refused because the account or the universe has no room for it. */
export function isRefusedForRoom(error: unknown): boolean {
  const cause = rootCause(error)
  const isFull = cause instanceof ProblemError && ['account-limit-reached', 'universe-limit'].includes(cause.code)
  return isFull || violates(error, 'universeLimit')
}

const isLimitName = (name: string | undefined): name is AccountLimitName => name !== undefined && name in LIMITS

function limitNameOf(error: unknown): AccountLimitName | undefined {
  const name = violatedName(error, 'accountLimit')
  return isLimitName(name) ? name : undefined
}
