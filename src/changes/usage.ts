import { eq, sql } from 'drizzle-orm'
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import { violatedName, violates } from '../db/constraints.ts'
import { build, type Database, type Placeholders, prepare } from '../db/port.ts'
import { images, users } from '../db/tables.ts'
import type { AccountLimitName } from '../domain/limits.ts'
import { ProblemError } from '../domain/problems.ts'
import type { AccountLimits } from '../env.ts'
import { rootCause } from '../lib/root-cause.ts'
import type { Charge } from './change.ts'
import { isCallWanted } from './outbox.ts'

// How much each account uses, and how much it may use (src/stores/README.md).

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

/** A charge and the limits of the account, with a value for each placeholder of the statement. */
interface ChargeValues extends AccountLimits {
  userId: number
  addedBodies: number
  addedBodyBytes: number
  addedImageBytes: number
  addedDeliveries: number
  hasImage: boolean
  /** The key of the image that is replaced; null if there is none. */
  replacedImage: string | null
  /** The URL of the receiver that is called, and the planet that the call is about; null if there is none. */
  url: string | null
  planetId: number | null
  isCharged: boolean
}

const insertCharge = prepare((values: Placeholders<ChargeValues>) => {
  const { userId, addedBodies, addedBodyBytes, addedImageBytes, hasImage, replacedImage, url, planetId } = values
  const deliveries = sql`(${url} is not null and ${isCallWanted(planetId, url)}) + ${values.addedDeliveries}`
  const imageCount = sql`(${hasImage} and ${replacedImage} is null)`
  const replacedBytes = sql`coalesce((select ${images.fileSize} from ${images} where ${images.key} = ${replacedImage}), 0)`
  return build.insert(accountCharges).select(sql`
    select ${userId}, ${addedBodies}, ${addedBodyBytes}, ${imageCount}, ${addedImageBytes} - ${replacedBytes}, ${deliveries},
      ${values.bodies}, ${values.bodyBytes}, ${values.images}, ${values.imageBytes}, ${values.deliveries}, ${values.isCharged}`)
})

/**
 * The statement that charges an account for what its batch stores. If the account would exceed a limit, the whole batch
 * is rolled back (`explainLimit`). A change that makes data smaller always fits.
 *
 * @param call The call of the change, which adds a delivery if its receiver wants it
 */
export function chargeAccount(
  { userId, bodies = 0, bodyBytes = 0, image, deliveries = 0, isOnlyChecked = false }: Charge,
  call: { planetId: number | null; url: string } | undefined,
  limits: AccountLimits,
) {
  return insertCharge({
    ...limits,
    userId,
    addedBodies: bodies,
    addedBodyBytes: bodyBytes,
    addedImageBytes: image?.bytes ?? 0,
    addedDeliveries: deliveries,
    hasImage: image !== undefined,
    replacedImage: image?.replaces ?? null,
    url: call?.url ?? null,
    planetId: call?.planetId ?? null,
    isCharged: !isOnlyChecked,
  })
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
 * The problem for a batch that an account limit made the database reject; any other error is returned unchanged. One
 * round trip for such a batch.
 *
 * @param userId The account that was charged; undefined if none was
 */
export async function explainLimit(
  db: Database,
  error: unknown,
  userId: number | undefined,
  limits: AccountLimits,
): Promise<unknown> {
  const name = limitNameOf(error)
  if (!name || userId === undefined) return error
  const { allowed, used, what } = LIMITS[name]
  const [usage] = await db.read(build.select({ used: users[used] }).from(users).where(eq(users.id, userId)))
  const limit = { name, used: usage?.used ?? 0, allowed: limits[allowed] }
  const detail = `An account can have at most ${limit.allowed} ${what}. Yours has ${limit.used}, and this request would exceed the limit.`
  return new ProblemError('account-limit-reached', detail, { limit })
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
