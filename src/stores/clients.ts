import { and, eq, isNull, lt, ne, notExists } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { clients, grants, users } from '../db/tables.ts'

/** An OAuth client, with whoever owns it. */
export interface StoredClient extends NewClient {
  owner: ClientOwner | null
}

/** Whom a client acts as by itself. */
export interface ClientOwner {
  id: number
  suspendedAt: Date | null
  passwordGeneration: number
}

export type NewClient = Omit<typeof clients.$inferSelect, 'createdAt'>

export async function insertClient(db: Database, client: NewClient, now: Date): Promise<void> {
  await db.insert(clients).values({ ...client, createdAt: now })
}

/** The query for a client: a list of one, or of none. */
export function selectClient(db: Database, id: string) {
  return db
    .select({
      id: clients.id,
      ownerId: clients.ownerId,
      secretHash: clients.secretHash,
      metadata: clients.metadata,
      owner: { id: users.id, suspendedAt: users.suspendedAt, passwordGeneration: users.passwordGeneration },
    })
    .from(clients)
    .leftJoin(users, eq(users.id, clients.ownerId))
    .where(eq(clients.id, id))
    .limit(1)
}

// Whom nobody owns, nobody misses.
const IDLE_MS = 90 * 24 * 60 * 60 * 1000

/** The page of the API reference, as a client: it is there from the beginning (migrations/0003). */
export const REFERENCE_CLIENT = 'galaxy-reference'

/** Forgets clients that nobody owns and nobody has allowed anything for a long time. */
export async function removeIdleClients(db: Database, now: Date): Promise<void> {
  const idleSince = new Date(now.getTime() - IDLE_MS)
  const used = db.select({ id: grants.id }).from(grants).where(eq(grants.clientId, clients.id))
  const isForgotten = and(isNull(clients.ownerId), lt(clients.createdAt, idleSince), notExists(used))
  await db.delete(clients).where(and(ne(clients.id, REFERENCE_CLIENT), isForgotten))
}
