import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { clients, inboxes, strangerCounts } from '../db/tables.ts'

// What anybody can make without an account has a limit for each network and one in total. If a limit is reached, a new one
// pushes an old one out, so that nobody can use up the room of others by filling it.

/** The page of the API reference, as a client: it is there from the beginning (migrations/0003), and stays. */
export const REFERENCE_CLIENT = 'galaxy-reference'

/** Clients that nobody owns, of one network: more than the tools of one office, or the tests of one project, register. */
const CLIENTS_PER_NETWORK_MAX = 100
/** Of all networks: 160 MB at most, since one is 16 KiB at most. */
const CLIENTS_MAX = 10_000

/** Inboxes of one network: each address can make ten in an hour. */
const INBOXES_PER_NETWORK_MAX = 50
/** Of all networks. */
const INBOXES_MAX = 500

/**
 * The statements that remove clients that nobody owns, after one more was inserted. Those that nobody has ever allowed anything go
 * first, then the least recently used. Of one network first; then of all, where no network can remove what is in use by
 * registering ever more.
 */
export function makeRoomForClient(db: Database, { id, network }: { id: string; network?: string | null | undefined }) {
  const isStranger = sql`${clients.ownerId} is null and ${clients.id} not in (${id}, ${REFERENCE_CLIENT})`
  const isUnused = sql`${clients.lastUsedAt} = ${clients.createdAt}`
  const ofNetwork = sql`${clients.network} = ${network ?? null}`
  const remove = (rows: SQL) =>
    db.delete(clients).where(sql`${clients.id} in (select ${clients.id} from ${clients} ${rows})`)
  const beyondNetwork = beyond(sql`count(*) from ${clients} where ${ofNetwork}`, CLIENTS_PER_NETWORK_MAX)
  const counted = sql`${strangerCounts.count} from ${strangerCounts} where ${strangerCounts.kind} = 'clients'`
  const beyondTotal = beyond(counted, CLIENTS_MAX)
  return [
    remove(
      sql`where ${isStranger} and ${ofNetwork} order by ${isUnused} desc, ${clients.lastUsedAt} limit ${beyondNetwork}`,
    ),
    remove(sql`where ${isStranger} and ${isUnused} order by ${clients.createdAt} limit ${beyondTotal}`),
    remove(sql`where ${isStranger} order by ${clients.lastUsedAt} limit ${beyondTotal}`),
  ] as const
}

/**
 * The statements that remove inboxes, after one more was inserted: of one network the least recently used; of all networks the
 * least recently used of the network that has most, so that only many networks together could remove what one has.
 */
export function makeRoomForInbox(db: Database, { id, network }: { id: string; network: string | null }) {
  const ofNetwork = sql`${inboxes.network} = ${network}`
  const remove = (rows: SQL) =>
    db
      .delete(inboxes)
      .where(sql`${inboxes.id} in (select ${inboxes.id} from ${inboxes} where ${inboxes.id} <> ${id} and ${rows})`)
  const beyondNetwork = beyond(sql`count(*) from ${inboxes} where ${ofNetwork}`, INBOXES_PER_NETWORK_MAX)
  const greatest = sql`(select ${inboxes.network} from ${inboxes} group by ${inboxes.network} order by count(*) desc limit 1)`
  const beyondTotal = beyond(sql`count(*) from ${inboxes}`, INBOXES_MAX)
  return [
    remove(sql`${ofNetwork} order by ${inboxes.lastUsedAt} limit ${beyondNetwork}`),
    remove(sql`${inboxes.network} is ${greatest} order by ${inboxes.lastUsedAt} limit ${beyondTotal}`),
  ] as const
}

/** How many rows there are too many; 0 if there are not. */
function beyond(counted: SQL, rowsMax: number): SQL {
  return sql`max((select ${counted}) - ${rowsMax}, 0)`
}
