import { and, eq, gt, lt } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { consents, signIns, users } from '../db/tables.ts'
import type { Scope } from '../schemas/scopes.ts'
import { isOwner } from './account-states.ts'

/** A browser that has signed in, and as whom. */
export interface SignedIn {
  userId: number
  email: string | null
  name: string | null
  passwordGeneration: number
  suspendedAt: Date | null
  /** When the password was given. */
  at: Date
  /** What the user has allowed the client of the request before; null if nothing. */
  remembered: Scope[] | null
}

/**
 * The query for who has signed in with a browser: a list of one, or of none. It ends with a new password.
 *
 * @param clientId Whose consent is wanted with it; any text
 */
export function selectSignIn(db: Database, hash: string, clientId: string, now: Date) {
  return db
    .select({
      userId: users.id,
      email: users.email,
      name: users.name,
      passwordGeneration: users.passwordGeneration,
      suspendedAt: users.suspendedAt,
      at: signIns.createdAt,
      remembered: consents.scopes,
    })
    .from(signIns)
    .innerJoin(users, isOwner(signIns))
    .leftJoin(consents, and(eq(consents.clientId, clientId), isOwner(consents)))
    .where(and(eq(signIns.hash, hash), gt(signIns.expiresAt, now)))
    .limit(1)
}

/** Notes that a browser has signed in, and forgets what it was before. */
export async function insertSignIn(
  db: Database,
  signIn: Omit<typeof signIns.$inferSelect, 'createdAt'>,
  formerHash: string,
  now: Date,
): Promise<void> {
  await db.batch([
    db.delete(signIns).where(eq(signIns.hash, formerHash)),
    db.insert(signIns).values({ ...signIn, createdAt: now }),
  ])
}

export async function deleteSignIn(db: Database, hash: string): Promise<void> {
  await db.delete(signIns).where(eq(signIns.hash, hash))
}

/** Forgets browsers that would have to sign in again. */
export async function removeEndedSignIns(db: Database, now: Date): Promise<void> {
  await db.delete(signIns).where(lt(signIns.expiresAt, now))
}
