import { and, eq } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { users } from '../db/tables.ts'

export type StoredUser = typeof users.$inferSelect

/** The form of an e-mail that accounts are compared by: one address in any case is one account. */
export function normaliseEmail(email: string): string {
  return email.normalize('NFC').toLowerCase()
}

/**
 * The query for a user's standing, as a token claims it: the user exists and the password is still the one of then.
 * To be awaited or put into a batch: a list of one, or of none.
 */
export function selectStanding(db: Database, id: number, passwordGeneration: number) {
  return db
    .select({ id: users.id, name: users.name, createdAt: users.createdAt, suspendedAt: users.suspendedAt })
    .from(users)
    .where(and(eq(users.id, id), eq(users.passwordGeneration, passwordGeneration)))
    .limit(1)
}

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
export async function replaceHash(db: Database, user: StoredUser, passwordHash: string): Promise<void> {
  await db
    .update(users)
    .set({ passwordHash })
    .where(and(eq(users.id, user.id), eq(users.passwordGeneration, user.passwordGeneration)))
}
