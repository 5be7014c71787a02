import { type SQL, sql } from 'drizzle-orm'
import { build } from '../db/statements.ts'
import { anonymousCounts, clients, inboxes } from '../db/tables.ts'
import { news } from '../db/write.ts'

// Rows that callers can create without an account. Their number is limited for each network and in total. If a limit is
// reached, a new row pushes out an old one, so that nobody can block others by using up all the room.

/**
 * The id of the API reference page as a client. It exists from the beginning (migrations/) and is never removed.
 */
export const REFERENCE_CLIENT = 'galaxy-reference'

/**
 * Maximum number of clients without an owner for each network. The tools of one office, or the tests of one project,
 * register fewer.
 */
const CLIENTS_PER_NETWORK_MAX = 100
/**
 * Maximum number of clients without an owner for all networks together. These clients use about 160 MB at most, because
 * the metadata of a client has at most 16 KiB.
 */
const CLIENTS_MAX = 10_000

/**
 * Maximum number of inboxes for each network. Each address of the network can create ten in an hour (auth/limits.ts).
 */
const INBOXES_PER_NETWORK_MAX = 50
/** Maximum number of inboxes for all networks together. */
const INBOXES_MAX = 500

/**
 * The statements that remove clients without an owner, after another one was inserted. Clients that never got a grant
 * are removed first, then the least recently used clients. The limit of the network is applied before the limit for all
 * networks. Otherwise, one network could register so many clients that the clients of other networks are removed.
 */
export function makeRoomForClient({ id, network }: { id: string; network?: string | null | undefined }) {
  const isRemovable = sql`${clients.ownerId} is null and ${clients.id} not in (${id}, ${REFERENCE_CLIENT})`
  const isUnused = sql`${clients.lastUsedAt} = ${clients.createdAt}`
  // Without a network, this compares with null, which is never true in SQL.
  const isOfNetwork = sql`${clients.network} = ${network ?? null}`
  /** The statement that removes the clients whose ids a query returns. */
  const removeClients = (ids: SQL) => news(build.delete(clients).where(sql`${clients.id} in (${ids})`))
  const networkCount = sql`(select count(*) from ${clients} where ${isOfNetwork})`
  const networkExcess = excessOver(networkCount, CLIENTS_PER_NETWORK_MAX)
  const totalCount = sql`(select ${anonymousCounts.count} from ${anonymousCounts} where ${anonymousCounts.kind} = 'clients')`
  const totalExcess = excessOver(totalCount, CLIENTS_MAX)
  return [
    removeClients(sql`
      select ${clients.id} from ${clients} where ${isRemovable} and ${isOfNetwork}
      order by ${isUnused} desc, ${clients.lastUsedAt} limit ${networkExcess}`),
    // For all networks, the unused clients have a statement of their own, so that each statement reads its clients in
    // the order of an index (`clients_unused`, `clients_idle`). One statement would sort all clients.
    removeClients(sql`
      select ${clients.id} from ${clients} where ${isRemovable} and ${isUnused}
      order by ${clients.createdAt} limit ${totalExcess}`),
    removeClients(sql`
      select ${clients.id} from ${clients} where ${isRemovable}
      order by ${clients.lastUsedAt} limit ${totalExcess}`),
  ] as const
}

/**
 * The statements that remove inboxes, after another one was inserted. If the network has too many, its least recently
 * used inbox is removed. If there are too many in total, the least recently used inbox of the network with the most
 * inboxes is removed. So one network alone cannot remove the inboxes of other networks.
 */
export function makeRoomForInbox({ id, network }: { id: string; network: string }) {
  const isRemovable = sql`${inboxes.id} <> ${id}`
  const isOfNetwork = sql`${inboxes.network} = ${network}`
  /** The statement that removes the inboxes whose ids a query returns. */
  const removeInboxes = (ids: SQL) => build.delete(inboxes).where(sql`${inboxes.id} in (${ids})`)
  const networkCount = sql`(select count(*) from ${inboxes} where ${isOfNetwork})`
  const networkExcess = excessOver(networkCount, INBOXES_PER_NETWORK_MAX)
  const largestNetwork = sql`(select ${inboxes.network} from ${inboxes} group by ${inboxes.network} order by count(*) desc limit 1)`
  const totalExcess = excessOver(sql`(select count(*) from ${inboxes})`, INBOXES_MAX)
  return [
    removeInboxes(sql`
      select ${inboxes.id} from ${inboxes} where ${isRemovable} and ${isOfNetwork}
      order by ${inboxes.lastUsedAt} limit ${networkExcess}`),
    removeInboxes(sql`
      select ${inboxes.id} from ${inboxes} where ${isRemovable} and ${inboxes.network} = ${largestNetwork}
      order by ${inboxes.lastUsedAt} limit ${totalExcess}`),
  ] as const
}

/** SQL for the number of rows above the maximum; 0 if the count does not exceed the maximum. */
function excessOver(count: SQL, rowsMax: number): SQL {
  return sql`max(${count} - ${rowsMax}, 0)`
}
