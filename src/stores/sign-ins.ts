import { and, eq, gt, lt } from 'drizzle-orm'
import { build, type Session, write } from '../db/port.ts'
import { consents, signIns, users } from '../db/tables.ts'
import type { Scope } from '../domain/scopes.ts'
import { isCurrentOwnerOf } from './account-states.ts'

export interface SignedIn {
  userId: number
  email: string | null
  name: string | null
  passwordGeneration: number
  suspendedAt: Date | null
  /** When the user entered the password. */
  signedInAt: Date
  /** The scopes that the user has already granted to the client of the request; null if none. */
  rememberedScopes: Scope[] | null
}

/**
 * The query for the sign-in of a browser: a list with one item or none. A sign-in from before the last change of the
 * password is not found.
 *
 * @param clientId The client whose remembered consent is also read. The client need not exist
 */
export function selectSignIn(hash: string, clientId: string, now: Date) {
  return build
    .select({
      userId: users.id,
      email: users.email,
      name: users.name,
      passwordGeneration: users.passwordGeneration,
      suspendedAt: users.suspendedAt,
      signedInAt: signIns.createdAt,
      rememberedScopes: consents.scopes,
    })
    .from(signIns)
    .innerJoin(users, isCurrentOwnerOf(signIns))
    .leftJoin(consents, and(eq(consents.clientId, clientId), isCurrentOwnerOf(consents)))
    .where(and(eq(signIns.hash, hash), gt(signIns.expiresAt, now)))
    .limit(1)
}

/**
 * Stores the sign-in of a browser, and removes the previous sign-in of this browser.
 *
 * @param formerHash The hash of the cookie that the browser sent
 */
export async function insertSignIn(
  session: Session,
  signIn: Omit<typeof signIns.$inferSelect, 'createdAt'>,
  formerHash: string,
  now: Date,
): Promise<void> {
  await write(session, [
    build.delete(signIns).where(eq(signIns.hash, formerHash)),
    build.insert(signIns).values({ ...signIn, createdAt: now }),
  ])
}

export async function deleteSignIn(session: Session, hash: string): Promise<void> {
  await write(session, [build.delete(signIns).where(eq(signIns.hash, hash))])
}

export async function removeEndedSignIns(session: Session, now: Date): Promise<void> {
  await write(session, [build.delete(signIns).where(lt(signIns.expiresAt, now))])
}
