import { and, asc, count, eq, isNotNull, lt, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { cutPage } from '../db/pages.ts'
import { apiKeys } from '../db/tables.ts'
import { DAY_MS } from '../lib/time.ts'
import { type CreatingCredential, columnsOfCreatingCredential } from './account-states.ts'
import { type KeepReply, keepNothing } from './kept-replies.ts'

export type StoredApiKey = typeof apiKeys.$inferSelect

/** The owner of keys. The keys are valid as long as the owner's password has this generation. */
interface KeyOwner {
  id: number
  passwordGeneration: number
}

/** The owner of a new key, and the credential that creates the key. The key ends with this credential. */
interface KeyMaker extends KeyOwner {
  credential: CreatingCredential
}

type ApiKeyDraft = Pick<StoredApiKey, 'hash' | 'preview' | 'name' | 'scopes' | 'expiresAt'>

/**
 * Stores a new key, unless its owner already has the maximum number. One round trip.
 *
 * @param keep Creates the statements that keep the reply for repetitions of the request (`Idempotency-Key`). It takes
 * the ids that the batch creates
 * @returns The key; undefined if its owner already has the maximum number
 */
export async function insertApiKey(
  db: Database,
  owner: KeyMaker,
  draft: ApiKeyDraft,
  keysMax: number,
  now: Date,
  keep: KeepReply = keepNothing,
): Promise<StoredApiKey | undefined> {
  const { id: userId, passwordGeneration, credential } = owner
  const creationColumns = { ...columnsOfCreatingCredential(credential), createdAt: now }
  const insertion = db
    .insert(apiKeys)
    .values({ ...draft, ...creationColumns, userId, passwordGeneration })
    .returning()
  const ownedCount = db.select({ keys: count() }).from(apiKeys).where(isKeyOf(owner))
  const removal = db
    .delete(apiKeys)
    .where(and(eq(apiKeys.hash, draft.hash), sql`${ownedCount} > ${keysMax}`))
    .returning({ id: apiKeys.id })
  // Null if the key was removed again. Then `keep` stores no reply.
  const newIds = sql`(select json_array(${apiKeys.id}) from ${apiKeys} where ${eq(apiKeys.hash, draft.hash)})`
  // The key is inserted, and removed again if there are too many. All this is one transaction, so concurrent requests
  // cannot exceed the limit.
  const [[key], removed] = await db.batch([insertion, removal, ...keep(db, newIds)])
  return removed.length > 0 ? undefined : key
}

/** A page of the list of a user's keys in the order of their ids, and the total number. One round trip. */
export async function listApiKeys(
  db: Database,
  owner: KeyOwner,
  page: { limit: number; offset: number },
): Promise<{ rows: StoredApiKey[]; total: number }> {
  const [[counted], rows] = await db.batch([
    db.select({ total: count() }).from(apiKeys).where(isKeyOf(owner)),
    db.select().from(apiKeys).where(isKeyOf(owner)).orderBy(asc(apiKeys.id)).limit(page.limit).offset(page.offset),
  ])
  return { rows: cutPage(rows), total: counted?.total ?? 0 }
}

/** A user's key by its id. */
export async function findApiKey(db: Database, owner: KeyOwner, id: number): Promise<StoredApiKey | undefined> {
  const [key] = await db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.id, id), isKeyOf(owner)))
  return key
}

/** Deletes a user's key. @returns Whether it existed */
export async function deleteApiKey(db: Database, owner: KeyOwner, id: number): Promise<boolean> {
  const deleted = await db
    .delete(apiKeys)
    .where(and(eq(apiKeys.id, id), isKeyOf(owner)))
    .returning({ id: apiKeys.id })
  return deleted.length > 0
}

/** Records the time when a key was last used. */
export async function noteKeyUse(db: Database, id: number, now: Date): Promise<void> {
  await db.update(apiKeys).set({ lastUsedAt: now }).where(eq(apiKeys.id, id))
}

// An expired key stays in the list for this time, so that its owner can see what happened to it.
const EXPIRED_KEPT_MS = 30 * DAY_MS

/** Removes keys that expired at least 30 days ago. */
export async function removeEndedKeys(db: Database, now: Date): Promise<void> {
  const hasExpiredLongAgo = lt(apiKeys.expiresAt, new Date(now.getTime() - EXPIRED_KEPT_MS))
  await db.delete(apiKeys).where(and(isNotNull(apiKeys.expiresAt), hasExpiredLongAgo))
}

function isKeyOf({ id, passwordGeneration }: KeyOwner) {
  return and(eq(apiKeys.userId, id), eq(apiKeys.passwordGeneration, passwordGeneration))
}
