import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { rateLimits, users } from '../db/tables.ts'
import { normaliseEmail } from '../domain/email.ts'

export type StoredUser = typeof users.$inferSelect

/** The query for the account with an e-mail address: a list with one item or none. */
export function selectByEmail(db: Database, email: string) {
  return db
    .select()
    .from(users)
    .where(eq(users.emailKey, normaliseEmail(email)))
    .limit(1)
}

/**
 * Creates an account. If two concurrent requests use the same e-mail address, the unique index lets only one succeed.
 *
 * @returns The user, or undefined if the e-mail address is taken
 */
export async function insertUser(
  db: Database,
  account: { email: string; name: string | undefined; passwordHash: string },
  now: Date,
): Promise<StoredUser | undefined> {
  const [user] = await db
    .insert(users)
    .values({ ...account, name: account.name ?? null, emailKey: normaliseEmail(account.email), createdAt: now })
    .onConflictDoNothing({ target: users.emailKey })
    .returning()
  return user
}

/** Replaces the hash of a password with one that has the current cost, unless the password has changed meanwhile. */
export async function replaceHash(
  db: Database,
  user: Pick<StoredUser, 'id' | 'passwordGeneration'>,
  passwordHash: string,
): Promise<void> {
  await db.update(users).set({ passwordHash }).where(hasSamePassword(user))
}

/** How long the trigger `users_deleted` remembers a deletion, as a row of `rate_limits` that ends after this time. */
const DELETION_KEPT_MS = 24 * 60 * 60 * 1000

/** When the account of a user that an issuer identifies was deleted, if that was within the last day. */
export async function findForeignDeletion(db: Database, issuer: string, subject: string): Promise<Date | undefined> {
  const [deletion] = await db
    .select({ until: rateLimits.resetsAt })
    .from(rateLimits)
    .where(eq(rateLimits.key, `deleted/${issuer} ${subject}`))
  return deletion && new Date(deletion.until.getTime() - DELETION_KEPT_MS)
}

/** Creates the user that an issuer identifies, unless another request has just done so. */
export async function insertForeignUser(db: Database, issuer: string, subject: string, now: Date): Promise<void> {
  await db.insert(users).values({ issuer, subject, createdAt: now }).onConflictDoNothing()
}

/**
 * Changes the password of an account. A trigger ends all credentials that were created under the old one. If there are
 * two concurrent changes, only the first succeeds.
 *
 * @returns Whether the password had not changed meanwhile
 */
export async function changePassword(
  db: Database,
  user: Pick<StoredUser, 'id' | 'passwordGeneration'>,
  passwordHash: string,
): Promise<boolean> {
  const changed = await db
    .update(users)
    .set({ passwordHash, passwordGeneration: user.passwordGeneration + 1 })
    .where(hasSamePassword(user))
    .returning({ id: users.id })
  return changed.length > 0
}

const SECOND_MS = 1000

/**
 * Changes or removes the name of a user. The recorded time of the change (`renamedAt`) is the next whole second, so it
 * is later than any date that was read before the change. Two changes never have the same time. If the new name equals
 * the current one, nothing changes.
 *
 * @param name Null to remove the name; undefined to keep the name that the user has at the time of the write
 * @param expected Expected time of the previous change; undefined for any time
 * @returns The user; `changed` if the name has changed in between
 * @throws Error if the account is gone or has a new password. In a request of the user, `guardWrites` rejects such a
 * write earlier
 */
export async function renameUser(
  db: Database,
  user: Pick<StoredUser, 'id' | 'passwordGeneration'>,
  name: string | null | undefined,
  expected: Date | null | undefined,
  now: Date,
): Promise<StoredUser | 'changed'> {
  const nextSecond = (Math.floor(now.getTime() / SECOND_MS) + 1) * SECOND_MS
  const newTime = sql`max(coalesce(${users.renamedAt}, 0) + 1, ${nextSecond})`
  const newName = name === undefined ? sql`${users.name}` : sql`${name}`
  const [renamed] = await db
    .update(users)
    .set({ name: newName, renamedAt: sql`iif(${users.name} is ${newName}, ${users.renamedAt}, ${newTime})` })
    .where(
      and(
        hasSamePassword(user),
        expected === undefined ? undefined : sql`${users.renamedAt} is ${expected?.getTime() ?? null}`,
      ),
    )
    .returning()
  if (renamed) return renamed
  if (expected === undefined) throw new Error('there is no account to rename under this password')
  return 'changed'
}

/**
 * Deletes an account. After that, none of its credentials is valid, and its e-mail address is free. A trigger
 * (`users_deleted`) does all this in the same write. `removeAccount` then removes what the account owns.
 */
export async function endAccount(db: Database, id: number, now: Date): Promise<void> {
  await db.update(users).set({ deletedAt: now }).where(eq(users.id, id))
}

/** The condition for a user whose password has not changed since it was read. */
function hasSamePassword({ id, passwordGeneration }: Pick<StoredUser, 'id' | 'passwordGeneration'>) {
  return and(eq(users.id, id), eq(users.passwordGeneration, passwordGeneration))
}
