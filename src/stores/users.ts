import { and, eq, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { rateLimits, users } from '../db/tables.ts'
import { normaliseEmail } from '../domain/email.ts'

export type StoredUser = typeof users.$inferSelect

/** The query for the account of an e-mail: a list of one, or of none. */
export function selectByEmail(db: Database, email: string) {
  return db
    .select()
    .from(users)
    .where(eq(users.emailKey, normaliseEmail(email)))
    .limit(1)
}

/**
 * Makes an account. The unique index decides between two at the same moment.
 *
 * @returns The user, or undefined where the e-mail is taken.
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

/** Puts a hash of today's cost in the place of an older one, unless the password has changed meanwhile. */
export async function replaceHash(
  db: Database,
  user: Pick<StoredUser, 'id' | 'passwordGeneration'>,
  passwordHash: string,
): Promise<void> {
  await db.update(users).set({ passwordHash }).where(isUnder(user))
}

const DELETION_KEPT_MS = 24 * 60 * 60 * 1000

/** When the account of a user whom an issuer vouches for was deleted, if that was within a day (trigger `users_deleted`). */
export async function findForeignDeletion(db: Database, issuer: string, subject: string): Promise<Date | undefined> {
  const [found] = await db
    .select({ until: rateLimits.resetsAt })
    .from(rateLimits)
    .where(eq(rateLimits.key, `deleted/${issuer} ${subject}`))
  return found && new Date(found.until.getTime() - DELETION_KEPT_MS)
}

/** Makes the user whom an issuer vouches for, unless another request has just done so. */
export async function insertForeignUser(db: Database, issuer: string, subject: string, now: Date): Promise<void> {
  await db.insert(users).values({ issuer, subject, createdAt: now }).onConflictDoNothing()
}

/**
 * Gives an account a new password: a trigger ends all that was made under the old one. Of two at the same moment the first counts.
 *
 * @returns Whether the password was still the one of then
 */
export async function changePassword(
  db: Database,
  user: Pick<StoredUser, 'id' | 'passwordGeneration'>,
  passwordHash: string,
): Promise<boolean> {
  const changed = await db
    .update(users)
    .set({ passwordHash, passwordGeneration: user.passwordGeneration + 1 })
    .where(isUnder(user))
    .returning({ id: users.id })
  return changed.length > 0
}

const SECOND_MS = 1000

/**
 * Gives a user another name, or none. The time of the change is noted as the next whole second, later than anything that
 * was read before: so no date of before says that nothing has changed. Two changes never have the same time. The same name as
 * before changes nothing.
 *
 * @param name Null for none; undefined for the name that the user has when this is written, whoever else changes it
 * @param expected When the name has to have changed last; undefined for any time
 * @returns The user; `changed` if the name has changed in between
 * @throws Error if the account is gone or has a new password, which no write of a caller comes to (`guardWrites`)
 */
export async function renameUser(
  db: Database,
  user: Pick<StoredUser, 'id' | 'passwordGeneration'>,
  name: string | null | undefined,
  expected: Date | null | undefined,
  now: Date,
): Promise<StoredUser | 'changed'> {
  const nextSecond = (Math.floor(now.getTime() / SECOND_MS) + 1) * SECOND_MS
  const later = sql`max(coalesce(${users.renamedAt}, 0) + 1, ${nextSecond})`
  const named = name === undefined ? sql`${users.name}` : sql`${name}`
  const [renamed] = await db
    .update(users)
    .set({ name: named, renamedAt: sql`iif(${users.name} is ${named}, ${users.renamedAt}, ${later})` })
    .where(
      and(
        isUnder(user),
        expected === undefined ? undefined : sql`${users.renamedAt} is ${expected?.getTime() ?? null}`,
      ),
    )
    .returning()
  if (renamed) return renamed
  if (expected === undefined) throw new Error('there is no account to rename under this password')
  return 'changed'
}

/** The user who owns the shipped planets. Nobody can sign in as this user, or delete it. */
export const GALAXY_USER_ID = 1

/**
 * Deletes an account: from now on none of its credentials holds, and its e-mail is free. One write does it all (trigger
 * `users_deleted`). What the account owns is then removed by `removeAccount`.
 */
export async function endAccount(db: Database, id: number, now: Date): Promise<void> {
  await db.update(users).set({ deletedAt: now }).where(eq(users.id, id))
}

function isUnder({ id, passwordGeneration }: Pick<StoredUser, 'id' | 'passwordGeneration'>) {
  return and(eq(users.id, id), eq(users.passwordGeneration, passwordGeneration))
}
