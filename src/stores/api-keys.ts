import { and, asc, count, eq, isNotNull, lt, sql } from 'drizzle-orm'
import { build, type Database, news, type Session, write } from '../db/port.ts'
import { apiKeys } from '../db/tables.ts'
import { DAY_MS } from '../lib/time.ts'
import type { PageQuery } from '../schemas/page.ts'
import { type CreatingCredential, columnsOfCreatingCredential } from './account-states.ts'
import { type ListPage, readPage } from './cut-page.ts'

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

export type NewApiKey = Pick<StoredApiKey, 'id' | 'hash' | 'preview' | 'name' | 'scopes' | 'expiresAt' | 'createdAt'>

/** @param otherwise What `commit` throws if its owner already has the maximum number */
export function insertApiKey(owner: KeyMaker, key: NewApiKey, keysMax: number, otherwise: Error) {
  const { id: userId, passwordGeneration, credential } = owner
  const owned = build.select({ keys: count() }).from(apiKeys).where(isKeyOf(owner))
  const columns = { ...key, ...columnsOfCreatingCredential(credential), userId, passwordGeneration }
  return {
    requires: [{ holds: sql`${owned} < ${keysMax}`, otherwise }],
    statements: [build.insert(apiKeys).values(columns)],
  }
}

/** A page of the list of a user's keys in the order of their ids, and the total number. One round trip. */
export async function listApiKeys(
  db: Database,
  owner: KeyOwner,
  { limit, offset }: PageQuery,
): Promise<ListPage<StoredApiKey>> {
  const where = isKeyOf(owner)
  const query = build.select().from(apiKeys).where(where).orderBy(asc(apiKeys.id)).limit(limit).offset(offset)
  return await readPage(db, apiKeys, where, query)
}

export async function findApiKey(db: Database, owner: KeyOwner, id: number): Promise<StoredApiKey | undefined> {
  const [key] = await db.read(
    build
      .select()
      .from(apiKeys)
      .where(and(eq(apiKeys.id, id), isKeyOf(owner))),
  )
  return key
}

/** @returns Whether it existed */
export async function deleteApiKey(session: Session, owner: KeyOwner, id: number): Promise<boolean> {
  const [deleted] = await write(session, [
    news(
      build
        .delete(apiKeys)
        .where(and(eq(apiKeys.id, id), isKeyOf(owner)))
        .returning({ id: apiKeys.id }),
    ),
  ])
  return deleted.length > 0
}

export async function noteKeyUse(session: Session, id: number, now: Date): Promise<void> {
  await write(session, [build.update(apiKeys).set({ lastUsedAt: now }).where(eq(apiKeys.id, id))])
}

// An expired key stays in the list for this time, so that its owner can see what happened to it.
const EXPIRED_KEPT_MS = 30 * DAY_MS

/** Removes keys that expired at least 30 days ago. */
export async function removeEndedKeys(session: Session, now: Date): Promise<void> {
  const hasExpiredLongAgo = lt(apiKeys.expiresAt, new Date(now.getTime() - EXPIRED_KEPT_MS))
  await write(session, [news(build.delete(apiKeys).where(and(isNotNull(apiKeys.expiresAt), hasExpiredLongAgo)))])
}

function isKeyOf({ id, passwordGeneration }: KeyOwner) {
  return and(eq(apiKeys.userId, id), eq(apiKeys.passwordGeneration, passwordGeneration))
}
