import { eq, sql } from 'drizzle-orm'
import { build, type Session, write } from '../db/port.ts'
import { signingSecrets } from '../db/tables.ts'
import { DAY_MS } from '../lib/time.ts'

export type StoredSecret = typeof signingSecrets.$inferSelect

/** How long the previous secret continues to sign beside the newest one. */
const GRACE_MS = DAY_MS

/** @param sealedSecret The encrypted secret to store if the user has none */
export async function ensureSigningSecret(
  session: Session,
  userId: number,
  sealedSecret: string,
  now: Date,
): Promise<StoredSecret> {
  const [, [storedSecret]] = await write(session, [
    build.insert(signingSecrets).values({ userId, secret: sealedSecret, createdAt: now }).onConflictDoNothing(),
    build.select().from(signingSecrets).where(eq(signingSecrets.userId, userId)),
  ])
  if (!storedSecret) throw new Error('the database has no signing secret for a user, although one was just stored')
  return storedSecret
}

/**
 * The previous secret continues to sign for a day. If there is an even older secret, it ends at once.
 *
 * @param sealedSecret The new secret, encrypted
 */
export async function rotateSigningSecret(
  session: Session,
  userId: number,
  sealedSecret: string,
  now: Date,
): Promise<StoredSecret> {
  const [[storedSecret]] = await write(session, [
    build
      .insert(signingSecrets)
      .values({ userId, secret: sealedSecret, createdAt: now })
      .onConflictDoUpdate({
        target: signingSecrets.userId,
        set: {
          secret: sql`excluded.secret`,
          createdAt: now,
          previous: sql`${signingSecrets.secret}`,
          previousEndsAt: new Date(now.getTime() + GRACE_MS),
        },
      })
      .returning(),
  ])
  if (!storedSecret) throw new Error('the database returned no signing secret that it stored')
  return storedSecret
}
