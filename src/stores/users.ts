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
 * Creates an account. Of two concurrent requests, the unique index lets one succeed.
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

/** Replaces the hash of a password with one of the current cost, unless the password has changed meanwhile. */
export async function replaceHash(
  db: Database,
  user: Pick<StoredUser, 'id' | 'passwordGeneration'>,
  passwordHash: string,
): Promise<void> {
  await db.update(users).set({ passwordHash }).where(isUnder(user))
}

const DELETION_KEPT_MS = 24 * 60 * 60 * 1000

/**
 * When the account of a user that an issuer identifies was deleted, if that was
 * within the last day (trigger `users_deleted`).
 */
export async function findForeignDeletion(db: Database, issuer: string, subject: string): Promise<Date | undefined> {
  const [found] = await db
    .select({ until: rateLimits.resetsAt })
    .from(rateLimits)
    .where(eq(rateLimits.key, `deleted/${issuer} ${subject}`))
  return found && new Date(found.until.getTime() - DELETION_KEPT_MS)
}

/** Creates the user that an issuer identifies, unless another request has just done so. */
export async function insertForeignUser(db: Database, issuer: string, subject: string, now: Date): Promise<void> {
  await db.insert(users).values({ issuer, subject, createdAt: now }).onConflictDoNothing()
}

/**
 * Changes the password of an account. A trigger ends all credentials that were created under the old one. Of two
 * concurrent changes, the first one wins.
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
    .where(isUnder(user))
    .returning({ id: users.id })
  return changed.length > 0
}

const SECOND_MS = 1000

/**
 * Changes or removes the name of a user. The time of the change is recorded as the next whole second, which is later
 * than any date that was read before: so no earlier date passes as current. Two changes never have the same time. The
 * same name again changes nothing.
 *
 * @param name Null to remove the name; undefined to keep the name that the user has at the time of the write
 * @param expected Expected time of the previous change; undefined for any time
 * @returns The user; `changed` if the name has changed in between
 * @throws Error if the account is gone or has a new password. A write of a caller never gets here (`guardWrites`)
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

/** The user who owns the preloaded planets. Nobody can sign in as this user, or delete it. */
export const GALAXY_USER_ID = 1

/**
 * Deletes an account: none of its credentials is valid any more, and its e-mail address is free. One write does it all
 * (trigger `users_deleted`). `removeAccount` then removes what the account owns.
 */
export async function endAccount(db: Database, id: number, now: Date): Promise<void> {
  await db.update(users).set({ deletedAt: now }).where(eq(users.id, id))
}

function isUnder({ id, passwordGeneration }: Pick<StoredUser, 'id' | 'passwordGeneration'>) {
  return and(eq(users.id, id), eq(users.passwordGeneration, passwordGeneration))
}
