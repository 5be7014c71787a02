import { type SQL, sql } from 'drizzle-orm'
import { countBytes } from '../lib/text.ts'
import { LIMIT_MAX, PAGE_MAX_BYTES } from '../schemas/page.ts'

/** As many items of this size as a page can have are not too much for it. */
const SMALL_MAX_BYTES = Math.floor(PAGE_MAX_BYTES / LIMIT_MAX)

/**
 * The beginning of a page that has no more than PAGE_MAX_BYTES of stored items: all of it in most cases. It bounds what is
 * read; what is sent of it shows when it is written, see `writePage`.
 *
 * @param before Bytes of what the page has in front of these rows; undefined if they are the first
 * @param bytesOf How large a row is in the database; unless that is known, as large as its JSON
 */
export function cutPage<Row>(rows: readonly Row[], bytesOf: (row: Row) => number = countJson, before?: number): Row[] {
  let sum = before ?? 0
  const end = rows.findIndex((row, index) => {
    sum += bytesOf(row)
    return sum > PAGE_MAX_BYTES && (index > 0 || before !== undefined)
  })
  return end < 0 ? [...rows] : rows.slice(0, end)
}

function countJson(row: unknown): number {
  return countBytes(JSON.stringify(row))
}

/**
 * Whether `cutPage` may leave a row in the page, so that the contents of the others need not be read: for lists of
 * documents, which can be large. It is asked for each row. A page without large rows reads nothing for it, because only the
 * first large row makes SQLite look for the place of the cut.
 *
 * @param page The ids and bytes of the page: `select id, bytes from … order by id limit …`
 */
export function mayBeSent(page: SQL): SQL {
  return sql`(bytes <= ${SMALL_MAX_BYTES} or id < coalesce((
    select id from (select id, bytes, sum(bytes) over (order by id rows unbounded preceding) as running from (${page}))
    where running > ${PAGE_MAX_BYTES} and running > bytes limit 1), ${Number.MAX_SAFE_INTEGER}))`
}
