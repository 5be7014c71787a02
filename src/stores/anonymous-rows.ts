import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { build, news } from '../db/port.ts'
import { anonymousCounts, clients, deviceCodes, inboxes, labRuns } from '../db/tables.ts'

/** The API reference page as a client. It exists from the beginning (migrations/) and is never removed. */
export const REFERENCE_CLIENT = 'galaxy-reference'

/** The client of the tokens on demand that have a grant (laboratory-grants.ts). It ends with the last of them. */
export const LABORATORY_CLIENT = 'galaxy-laboratory'

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

/** Rows whose least recent ones are removed if a network, or all networks together, have too many. */
interface Kind {
  /** Rows without a network are not counted. */
  table: SQLiteTable & { network: SQLiteColumn }
  id: SQLiteColumn
  /** The time of a row. The row with the earliest time is removed first. */
  time: SQLiteColumn
  /** When a row ends. Rows that have ended take no room, so they are kept until the sweep. Absent if none end. */
  end?: SQLiteColumn
  perNetworkMax: number
  inTotalMax: number
}

/** Each address of a network can create ten inboxes in an hour (auth/limits.ts). */
export const INBOXES: Kind = {
  table: inboxes,
  id: inboxes.id,
  time: inboxes.lastUsedAt,
  perNetworkMax: 50,
  inTotalMax: 500,
}

/**
 * Runs of the laboratory. With 512 KiB of records and the reasons of `expect` and `skip` each, all of them use about
 * 700 MB at most.
 */
export const LAB_RUNS: Kind = {
  table: labRuns,
  id: labRuns.id,
  time: labRuns.expiresAt,
  perNetworkMax: 200,
  inTotalMax: 1000,
}

/** Codes of devices that wait for a user. Each address can request 60 in an hour, and they expire after ten minutes. */
export const DEVICE_CODES: Kind = {
  table: deviceCodes,
  id: deviceCodes.hash,
  time: deviceCodes.expiresAt,
  end: deviceCodes.expiresAt,
  perNetworkMax: 500,
  inTotalMax: 2000,
}

/**
 * The statements that remove clients without an owner, after another one was inserted. Clients that never got a grant
 * are removed first, then the least recently used clients. The limit of the network is applied before the limit for all
 * networks. Otherwise, one network could register so many clients that the clients of other networks are removed.
 */
export function makeRoomForClient({ id, network }: { id: string; network?: string | null | undefined }) {
  const isRemovable = sql`${clients.ownerId} is null and ${clients.id} not in (${id}, ${REFERENCE_CLIENT}, ${LABORATORY_CLIENT})`
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
 * The statements that remove rows, after another one was inserted. If the network has too many, its least recent row is
 * removed. If there are too many in total, it is that of the network with the most rows. So one network alone cannot
 * remove the rows of others.
 */
export function makeRoom(
  { table, id, time, end, perNetworkMax, inTotalMax }: Kind,
  inserted: { id: string; network: string; createdAt: Date },
) {
  const { network } = table
  const hasNotEnded = end ? sql`and ${end} > ${inserted.createdAt.getTime()}` : sql``
  const isCounted = sql`${network} is not null ${hasNotEnded}`
  const isOfNetwork = sql`${network} = ${inserted.network} ${hasNotEnded}`
  const isOfLargest = sql`${network} = (select ${network} from ${table} where ${isCounted} group by ${network} order by count(*) desc limit 1) ${hasNotEnded}`
  /** The statement that removes as many rows as a number exceeds its maximum. */
  const remove = (where: SQL, excess: SQL) =>
    build.delete(table).where(sql`${id} in (
      select ${id} from ${table} where ${id} <> ${inserted.id} and ${where} order by ${time} limit ${excess})`)
  return [
    remove(isOfNetwork, excessOver(sql`(select count(*) from ${table} where ${isOfNetwork})`, perNetworkMax)),
    remove(isOfLargest, excessOver(sql`(select count(*) from ${table} where ${isCounted})`, inTotalMax)),
  ] as const
}

/** SQL for the number of rows above the maximum; 0 if the count does not exceed the maximum. */
function excessOver(count: SQL, rowsMax: number): SQL {
  return sql`max(${count} - ${rowsMax}, 0)`
}
