import { and, asc, count, eq, isNotNull, isNull, lt, ne, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { clients, users } from '../db/tables.ts'

/** An OAuth client as it was registered. */
export type StoredClient = typeof clients.$inferSelect

/** A client that calls, with its owner as that is now. */
export interface CallingClient extends Omit<StoredClient, 'createdAt' | 'lastUsedAt'> {
  owner: { id: number; suspendedAt: Date | null; passwordGeneration: number } | null
}

type NewClient = Omit<StoredClient, 'createdAt' | 'lastUsedAt'>

/**
 * Stores a new client, unless its owner has as many as there may be. One round trip.
 *
 * @returns Whether it was stored
 */
export async function insertClient(db: Database, client: NewClient, clientsMax: number, now: Date): Promise<boolean> {
  const insertion = db.insert(clients).values({ ...client, createdAt: now, lastUsedAt: now })
  const { ownerId } = client
  if (ownerId === null) {
    await insertion
    return true
  }
  const owned = db.select({ clients: count() }).from(clients).where(isOf(ownerId))
  const removal = db
    .delete(clients)
    .where(and(eq(clients.id, client.id), sql`${owned} > ${clientsMax}`))
    .returning({ id: clients.id })
  // In one transaction: of several at the same moment none slips past the limit.
  const [, removed] = await db.batch([insertion, removal])
  return removed.length === 0
}

/** The query for a client: a list of one, or of none. */
export function selectClient(db: Database, id: string) {
  return db
    .select({
      id: clients.id,
      ownerId: clients.ownerId,
      secretHash: clients.secretHash,
      metadata: clients.metadata,
      passwordGeneration: clients.passwordGeneration,
      owner: { id: users.id, suspendedAt: users.suspendedAt, passwordGeneration: users.passwordGeneration },
    })
    .from(clients)
    .leftJoin(users, eq(users.id, clients.ownerId))
    .where(eq(clients.id, id))
    .limit(1)
}

/** A page of a user's clients in the order in which they were registered, and how many there are. One round trip. */
export async function listClients(
  db: Database,
  ownerId: number,
  page: { limit: number; offset: number },
): Promise<{ rows: StoredClient[]; total: number }> {
  const inOrder = [asc(clients.createdAt), asc(clients.id)]
  const [[counted], rows] = await db.batch([
    db.select({ total: count() }).from(clients).where(isOf(ownerId)),
    db
      .select()
      .from(clients)
      .where(isOf(ownerId))
      .orderBy(...inOrder)
      .limit(page.limit)
      .offset(page.offset),
  ])
  return { rows, total: counted?.total ?? 0 }
}

/** Deletes a client, with everything that anyone has allowed it. @returns Whether there was one */
export async function deleteClient(db: Database, ownerId: number, id: string): Promise<boolean> {
  const deleted = await db
    .delete(clients)
    .where(and(eq(clients.id, id), isOf(ownerId)))
    .returning({ id: clients.id })
  return deleted.length > 0
}

function isOf(ownerId: number) {
  return and(isNotNull(clients.ownerId), eq(clients.ownerId, ownerId))
}

// Whom nobody owns, nobody misses.
const IDLE_MS = 90 * 24 * 60 * 60 * 1000

/** The page of the API reference, as a client: it is there from the beginning (migrations/0003). */
export const REFERENCE_CLIENT = 'galaxy-reference'

/** Forgets clients that nobody owns and nobody has allowed anything for a long time. */
export async function removeIdleClients(db: Database, now: Date): Promise<void> {
  const idleSince = new Date(now.getTime() - IDLE_MS)
  const isIdle = and(isNull(clients.ownerId), lt(clients.lastUsedAt, idleSince))
  await db.delete(clients).where(and(isIdle, ne(clients.id, REFERENCE_CLIENT)))
}
