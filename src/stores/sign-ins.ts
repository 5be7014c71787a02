import { and, eq, gt, lt } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { signIns, users } from '../db/tables.ts'
import { isOwner } from './standing.ts'

/** A browser that has signed in, and as whom. */
export interface SignedIn {
  userId: number
  email: string | null
  passwordGeneration: number
  suspendedAt: Date | null
  /** When the password was given. */
  at: Date
}

/** The query for who has signed in with a browser: a list of one, or of none. It ends with a new password. */
export function selectSignIn(db: Database, hash: string, now: Date) {
  return db
    .select({
      userId: users.id,
      email: users.email,
      passwordGeneration: users.passwordGeneration,
      suspendedAt: users.suspendedAt,
      at: signIns.createdAt,
    })
    .from(signIns)
    .innerJoin(users, isOwner(signIns))
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
