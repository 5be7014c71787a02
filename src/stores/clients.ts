import { and, asc, count, eq, gt, isNotNull, isNull, lt, ne, or, sql } from 'drizzle-orm'
import { build, type Database, news, rowIfAny, type Session, write } from '../db/port.ts'
import { clients, users } from '../db/tables.ts'
import { DAY_MS } from '../lib/time.ts'
import type { PageQuery } from '../schemas/page.ts'
import { makeRoomForClient, REFERENCE_CLIENT } from './anonymous-rows.ts'
import { type ListPage, readPage } from './cut-page.ts'

export type StoredClient = typeof clients.$inferSelect

/** A client that sends a request, with the current state of its owner. */
export interface CallingClient
  extends Omit<StoredClient, 'createdAt' | 'lastUsedAt' | 'madeByKey' | 'madeByGrant' | 'depth' | 'network'> {
  owner: { id: number; suspendedAt: Date | null; passwordGeneration: number } | null
}

/** `network` is only set for a client without an owner. */
type NewClient = Omit<StoredClient, 'createdAt' | 'lastUsedAt' | 'network'> & { network?: string | null }

/**
 * The statements that store a new client. For a client without an owner, others without an owner may be removed to make
 * room, see stores/anonymous-rows.ts.
 *
 * @param otherwise What `commit` throws if its owner already has the maximum number
 */
export function insertClient(client: NewClient, clientsMax: number, now: Date, otherwise: Error) {
  const insertion = build.insert(clients).values({ ...client, createdAt: now, lastUsedAt: now })
  const { ownerId } = client
  if (ownerId === null) return { requires: [], statements: [insertion, ...makeRoomForClient(client)] }
  const owned = build.select({ clients: count() }).from(clients).where(isClientOf(ownerId))
  return { requires: [{ holds: sql`${owned} < ${clientsMax}`, otherwise }], statements: [insertion] }
}

const OWNER = rowIfAny(
  { id: users.id, suspendedAt: users.suspendedAt, passwordGeneration: users.passwordGeneration },
  sql`from ${users} where ${users.id} = ${clients.ownerId}`,
)

/** The query for a client that has not expired: a list with one item or none. */
export function selectClient(id: string, now: Date) {
  return build
    .select({
      id: clients.id,
      ownerId: clients.ownerId,
      secretHash: clients.secretHash,
      metadata: clients.metadata,
      passwordGeneration: clients.passwordGeneration,
      expiresAt: clients.expiresAt,
      owner: OWNER.column().as('owner'),
    })
    .from(clients)
    .where(and(eq(clients.id, id), or(isNull(clients.expiresAt), gt(clients.expiresAt, now))))
    .limit(1)
}

/** A page of the list of a user's clients in the order of their registration, and the total number. One round trip. */
export async function listClients(
  db: Database,
  ownerId: number,
  { limit, offset }: PageQuery,
): Promise<ListPage<StoredClient>> {
  const where = isClientOf(ownerId)
  const inOrder = [asc(clients.createdAt), asc(clients.id)]
  const query = build
    .select()
    .from(clients)
    .where(where)
    .orderBy(...inOrder)
    .limit(limit)
    .offset(offset)
  return await readPage(db, clients, where, query)
}

/** Deletes a client of a user, and all consents and grants that users gave this client. @returns Whether it existed */
export async function deleteClient(session: Session, ownerId: number, id: string): Promise<boolean> {
  const [deleted] = await write(session, [
    news(
      build
        .delete(clients)
        .where(and(eq(clients.id, id), isClientOf(ownerId)))
        .returning({ id: clients.id }),
    ),
  ])
  return deleted.length > 0
}

function isClientOf(ownerId: number) {
  return and(isNotNull(clients.ownerId), eq(clients.ownerId, ownerId))
}

// A client without an owner is removed after this time without use.
const IDLE_MS = 90 * DAY_MS

/** The last use of a client can be this much later than its record, because `noteClientUse` writes only once a day. */
export const CLIENT_USE_PRECISION_MS = DAY_MS

/** The statement that records that a client is in use. It writes at most once a day. */
export function noteClientUse(id: string, now: Date) {
  const dayAgo = new Date(now.getTime() - CLIENT_USE_PRECISION_MS)
  return build
    .update(clients)
    .set({ lastUsedAt: now })
    .where(and(eq(clients.id, id), lt(clients.lastUsedAt, dayAgo)))
}

/**
 * Deletes clients without an owner that have been idle for IDLE_MS. In this time, such a client has got no grant and
 * has refreshed no token. Also deletes clients that have expired.
 */
export async function removeEndedClients(session: Session, now: Date): Promise<void> {
  const idleSince = new Date(now.getTime() - IDLE_MS)
  const isIdle = and(isNull(clients.ownerId), lt(clients.lastUsedAt, idleSince))
  await write(session, [
    news(build.delete(clients).where(and(isIdle, ne(clients.id, REFERENCE_CLIENT)))),
    news(build.delete(clients).where(and(isNotNull(clients.expiresAt), lt(clients.expiresAt, now)))),
  ])
}
