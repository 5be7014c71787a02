import { asc, eq, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { build, type Database } from '../db/port.ts'
import { clients, type consents, type grants } from '../db/tables.ts'
import type { PageQuery } from '../schemas/page.ts'
import type { StoredClient } from './clients.ts'
import { type ListPage, readPage } from './cut-page.ts'

/** A permission (a consent or a grant) as a list shows it, with the metadata of the client that got it. */
export interface ListedPermission<Row> {
  entry: Row
  client: StoredClient['metadata']
}

/**
 * A page of the list of consents or grants that a user has given, oldest first, and the total number. One round trip.
 *
 * @param where The condition for the rows
 * @param id The id column of the table. It orders rows with the same time
 */
export async function listPermissions<Table extends typeof consents | typeof grants>(
  db: Database,
  table: Table,
  where: SQL | undefined,
  id: SQLiteColumn,
  { limit, offset }: PageQuery,
): Promise<ListPage<ListedPermission<Table['$inferSelect']>>> {
  const query = build
    .select({ entry: table, client: clients.metadata })
    .from(table)
    .innerJoin(clients, eq(clients.id, table.clientId))
    .where(where)
    .orderBy(asc(table.createdAt), asc(id))
    .limit(limit)
    .offset(offset)
  return await readPage(db, table, where, query)
}
