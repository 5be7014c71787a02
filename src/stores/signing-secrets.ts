import { eq, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { signingSecrets } from '../db/tables.ts'

export type StoredSecret = typeof signingSecrets.$inferSelect

/** How long the secret before the newest goes on signing beside it. */
const GRACE_MS = 24 * 60 * 60 * 1000

/**
 * The signing secret of a user, who gets one where there is none.
 *
 * @param sealed What it then is
 */
export async function ensureSigningSecret(
  db: Database,
  userId: number,
  sealed: string,
  now: Date,
): Promise<StoredSecret> {
  const [, [stored]] = await db.batch([
    db.insert(signingSecrets).values({ userId, secret: sealed, createdAt: now }).onConflictDoNothing(),
    db.select().from(signingSecrets).where(eq(signingSecrets.userId, userId)),
  ])
  if (!stored) throw new Error('the database has no signing secret that it was given')
  return stored
}

/** Gives a user a new secret. The one before it goes on beside it for a day; one that did so until now ends. */
export async function rotateSigningSecret(
  db: Database,
  userId: number,
  sealed: string,
  now: Date,
): Promise<StoredSecret> {
  const [stored] = await db
    .insert(signingSecrets)
    .values({ userId, secret: sealed, createdAt: now })
    .onConflictDoUpdate({
      target: signingSecrets.userId,
      set: {
        secret: sql`excluded.secret`,
        createdAt: now,
        previous: sql`${signingSecrets.secret}`,
        previousEndsAt: new Date(now.getTime() + GRACE_MS),
      },
    })
    .returning()
  if (!stored) throw new Error('the database returned no signing secret that it stored')
  return stored
}
