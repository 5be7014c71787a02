import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { build, type Database, type Session, write } from '../db/port.ts'
import { keptReplies } from '../db/tables.ts'
import { keysOf } from '../lib/objects.ts'
import { SEALED_COLUMNS } from './sealed-columns.ts'

export type SealedKind = keyof typeof SEALED_COLUMNS

const KINDS = keysOf(SEALED_COLUMNS)

/** A value that is stored encrypted, and its row. */
export interface SealedValue {
  kind: SealedKind
  rowId: number
  userId: number
  /** The Idempotency-Key, if the value is a kept reply. */
  key: string | null
  sealed: string
}

export interface ResealedValue extends SealedValue {
  /** The same value, encrypted with the newest key. */
  resealed: string
}

/** Where a value is stored, and its size in bytes. */
interface SealedCell {
  kind: SealedKind
  rowId: number
  size: number
}

/** How much one list may contain. */
interface Bounds {
  count: number
  /** In bytes. A single value may be larger. */
  size: number
}

/**
 * Lists values that were encrypted with keys of these versions, chosen at random. Otherwise, values that cannot be
 * decrypted could fill every list. It reads the tables completely, so call this only while the operator replaces a key.
 * Two round trips.
 */
export async function listSealedWith(
  db: Database,
  versions: readonly string[],
  bounds: Bounds,
): Promise<SealedValue[]> {
  const cells = withinBytes(await listCells(db, versions, bounds.count), bounds.size)
  if (cells.length === 0) return []
  const queries = KINDS.map((kind): SQL => {
    const column: SQLiteColumn = SEALED_COLUMNS[kind]
    const rowIds = cells.filter((cell) => cell.kind === kind).map(({ rowId }) => rowId)
    const key = kind === 'keptReply' ? keptReplies.key : sql`null`
    return sql`select ${kind} as kind, rowid as rowId, user_id as userId, ${key} as key, ${column} as sealed
      from ${column.table} where rowid in (select value from json_each(${JSON.stringify(rowIds)}))`
  })
  const values = await db.read(
    build
      .select({
        kind: sql<SealedValue['kind']>`kind`,
        rowId: sql<number>`rowId`,
        userId: sql<number>`userId`,
        key: sql<string | null>`key`,
        sealed: sql<string>`sealed`,
      })
      .from(sql`(${sql.join(queries, sql` union all `)})`),
  )
  // A value may have been removed meanwhile.
  return values.filter(({ sealed }) => sealed !== null)
}

/** Lists at most `count` cells of such values, chosen at random. */
async function listCells(db: Database, versions: readonly string[], count: number): Promise<SealedCell[]> {
  const versionList = JSON.stringify(versions)
  // A sealed value begins with the version of its key and a dot.
  const queries = KINDS.map((kind): SQL => {
    const column: SQLiteColumn = SEALED_COLUMNS[kind]
    return sql`select ${kind} as kind, rowid as rowId, octet_length(${column}) as size from ${column.table}
      where substr(${column}, 1, instr(${column}, '.') - 1) in (select value from json_each(${versionList}))`
  })
  const union = sql.join(queries, sql` union all `)
  return await db.read(
    build
      .select({ kind: sql<SealedCell['kind']>`kind`, rowId: sql<number>`rowId`, size: sql<number>`size` })
      .from(sql`(${union})`)
      .orderBy(sql`random()`)
      .limit(count),
  )
}

/** The first cells, as long as their values have at most so many bytes in total. At least one. */
function withinBytes(cells: readonly SealedCell[], sizeMax: number): SealedCell[] {
  let total = 0
  return cells.filter(({ size }, index) => {
    total += size
    return index === 0 || total <= sizeMax
  })
}

/** Stores values that were encrypted again, except those whose stored text has changed meanwhile. */
export async function replaceSealed(session: Session, values: readonly ResealedValue[]): Promise<void> {
  const updates = values.map(({ kind, rowId, sealed, resealed }) => {
    const column: SQLiteColumn = SEALED_COLUMNS[kind]
    return (
      build
        .update(column.table)
        // In the schema, these columns have the same names as in the database.
        .set({ [column.name]: resealed })
        .where(sql`rowid = ${rowId} and ${column} = ${sealed}`)
    )
  })
  const [first, ...others] = updates
  if (first) await write(session, [first, ...others])
}
