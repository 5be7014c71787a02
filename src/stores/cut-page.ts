import { count, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { build, type Database, type ReadQuery } from '../db/port.ts'
import { countBytes } from '../lib/text.ts'
import { LIMIT_MAX, PAGE_MAX_BYTES } from '../schemas/page.ts'

// A page is a part of a list.

/** Items up to this size always fit, because a page with the maximum number of them does not exceed PAGE_MAX_BYTES. */
export const SMALL_MAX_BYTES = Math.floor(PAGE_MAX_BYTES / LIMIT_MAX)

/**
 * Keeps as many rows of a page as fit into PAGE_MAX_BYTES of stored data, but at least one.
 *
 * @param bytesOf Size of a row in the database; by default, the size of its JSON
 * @param bytesBefore Size in bytes of the items that precede these rows on the page; undefined if these rows are the
 * first
 */
export function cutPage<Row>(
  rows: readonly Row[],
  bytesOf: (row: Row) => number = countJsonBytes,
  bytesBefore?: number,
): Row[] {
  let sum = bytesBefore ?? 0
  const end = rows.findIndex((row, index) => {
    sum += bytesOf(row)
    const isFirstOfPage = index === 0 && bytesBefore === undefined
    return sum > PAGE_MAX_BYTES && !isFirstOfPage
  })
  return end < 0 ? [...rows] : rows.slice(0, end)
}

/** A page, and the number of items in the whole list. */
export interface ListPage<Row> {
  rows: Row[]
  total: number
}

/**
 * One round trip.
 *
 * @param bytesOf See `cutPage`
 */
export async function readPage<Row>(
  db: Database,
  table: SQLiteTable,
  where: SQL | undefined,
  query: ReadQuery<Row[]>,
  bytesOf?: (row: Row) => number,
): Promise<ListPage<Row>> {
  const [[counted], rows] = await db.batch([build.select({ total: count() }).from(table).where(where), query])
  return { rows: cutPage(rows, bytesOf), total: counted?.total ?? 0 }
}

function countJsonBytes(row: unknown): number {
  return countBytes(JSON.stringify(row))
}

/**
 * SQL condition for lists of large documents: whether `cutPage` may keep a row. The condition names the columns `id`
 * and `bytes` without a table, so no other table of the query may have columns with these names.
 *
 * @param page Query for the ids and sizes of the page's rows: `select id, bytes from … order by id limit …`
 */
export function mayKeepRow(page: SQL): SQL {
  // `running` is the size of the page up to and including a row. The inner query finds the first row that does not fit.
  // `running > bytes` excludes the first row of the page, which is always kept. If all rows fit, the inner query finds
  // no row. MAX_SAFE_INTEGER then allows every id.
  return sql`(bytes <= ${SMALL_MAX_BYTES} or id < coalesce((
    select id from (select id, bytes, sum(bytes) over (order by id rows unbounded preceding) as running from (${page}))
    where running > ${PAGE_MAX_BYTES} and running > bytes limit 1), ${Number.MAX_SAFE_INTEGER}))`
}
