import { and, eq } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { apiKeys, users } from '../db/tables.ts'
import { normaliseEmail } from '../lib/email.ts'

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
  await db
    .update(users)
    .set({ passwordHash })
    .where(and(eq(users.id, user.id), eq(users.passwordGeneration, user.passwordGeneration)))
}

/** Makes the user whom an issuer vouches for, unless another request has just done so. */
export async function insertForeignUser(db: Database, issuer: string, subject: string, now: Date): Promise<void> {
  await db.insert(users).values({ issuer, subject, createdAt: now }).onConflictDoNothing()
}

/**
 * Gives an account a new password: all that was made under the old one ends. Of two at the same moment the first counts.
 *
 * @returns Whether the password was still the one of then
 */
export async function changePassword(
  db: Database,
  user: Pick<StoredUser, 'id' | 'passwordGeneration'>,
  passwordHash: string,
): Promise<boolean> {
  const update = db
    .update(users)
    .set({ passwordHash, passwordGeneration: user.passwordGeneration + 1 })
    .where(and(eq(users.id, user.id), eq(users.passwordGeneration, user.passwordGeneration)))
    .returning({ id: users.id })
  // They are dead already: their generation is an older one. Nothing else would ever remove them.
  const isDead = and(eq(apiKeys.userId, user.id), eq(apiKeys.passwordGeneration, user.passwordGeneration))
  const [changed] = await db.batch([update, db.delete(apiKeys).where(isDead)])
  return changed.length > 0
}
