import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { anonymousCounts, clients, inboxes } from '../db/tables.ts'

// Rows that callers can create without an account. Their number is limited for each network and in total. If a limit is
// reached, a new row pushes out an old one, so that nobody can block others by using up all the room.

/**
 * The id of the API reference page as a client. It exists from the beginning (migrations/0003) and is never removed.
 */
export const REFERENCE_CLIENT = 'galaxy-reference'

/**
 * Clients without an owner for each network. This is more than the tools of one office, or the tests of one project,
 * register.
 */
const CLIENTS_PER_NETWORK_MAX = 100
/** Clients without an owner for all networks together. They use at most 160 MB, because a client has at most 16 KiB. */
const CLIENTS_MAX = 10_000

/** Inboxes for each network. Each address can create ten in an hour. */
const INBOXES_PER_NETWORK_MAX = 50
/** Inboxes for all networks together. */
const INBOXES_MAX = 500

/**
 * The statements that remove clients without an owner, after one more was inserted. Clients that no user has ever
 * allowed anything are removed first, then the least recently used. The limit of the network is applied before the
 * limit for all networks, so that a network cannot remove the clients of others that are in use by registering more and
 * more.
 */
export function makeRoomForClient(db: Database, { id, network }: { id: string; network?: string | null | undefined }) {
  const isRemovable = sql`${clients.ownerId} is null and ${clients.id} not in (${id}, ${REFERENCE_CLIENT})`
  const isUnused = sql`${clients.lastUsedAt} = ${clients.createdAt}`
  const ofNetwork = sql`${clients.network} = ${network ?? null}`
  const remove = (rows: SQL) =>
    db.delete(clients).where(sql`${clients.id} in (select ${clients.id} from ${clients} ${rows})`)
  const excessOfNetwork = excessOver(sql`count(*) from ${clients} where ${ofNetwork}`, CLIENTS_PER_NETWORK_MAX)
  const counted = sql`${anonymousCounts.count} from ${anonymousCounts} where ${anonymousCounts.kind} = 'clients'`
  const totalExcess = excessOver(counted, CLIENTS_MAX)
  return [
    remove(
      sql`where ${isRemovable} and ${ofNetwork} order by ${isUnused} desc, ${clients.lastUsedAt} limit ${excessOfNetwork}`,
    ),
    remove(sql`where ${isRemovable} and ${isUnused} order by ${clients.createdAt} limit ${totalExcess}`),
    remove(sql`where ${isRemovable} order by ${clients.lastUsedAt} limit ${totalExcess}`),
  ] as const
}

/**
 * The statements that remove inboxes, after one more was inserted. If the network has too many, its least recently used
 * inbox is removed. If there are too many in total, the least recently used inbox of the network with the most inboxes
 * is removed. So only many networks together could remove the inbox of another one.
 */
export function makeRoomForInbox(db: Database, { id, network }: { id: string; network: string | null }) {
  const ofNetwork = sql`${inboxes.network} = ${network}`
  const remove = (rows: SQL) =>
    db
      .delete(inboxes)
      .where(sql`${inboxes.id} in (select ${inboxes.id} from ${inboxes} where ${inboxes.id} <> ${id} and ${rows})`)
  const excessOfNetwork = excessOver(sql`count(*) from ${inboxes} where ${ofNetwork}`, INBOXES_PER_NETWORK_MAX)
  const largestNetwork = sql`(select ${inboxes.network} from ${inboxes} group by ${inboxes.network} order by count(*) desc limit 1)`
  const totalExcess = excessOver(sql`count(*) from ${inboxes}`, INBOXES_MAX)
  return [
    remove(sql`${ofNetwork} order by ${inboxes.lastUsedAt} limit ${excessOfNetwork}`),
    remove(sql`${inboxes.network} is ${largestNetwork} order by ${inboxes.lastUsedAt} limit ${totalExcess}`),
  ] as const
}

/** The number of rows above the limit, or 0. */
function excessOver(counted: SQL, rowsMax: number): SQL {
  return sql`max((select ${counted}) - ${rowsMax}, 0)`
}
