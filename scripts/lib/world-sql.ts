import type { DatabaseSync } from 'node:sqlite'
import { HAS_USERS } from './world-present.ts'
import { listTriggerNames, listTriggers } from './world-staging.ts'
import { listTables, quoteName, SEQUENCE, type Table } from './world-tables.ts'

// The SQL that replaces the rows of a database with those of a world. D1 runs it completely or not at all.

/** D1 accepts statements of up to 100 KB. The limit for several rows is lower, because a single row may exceed it. */
const STATEMENT_BYTES = 60_000
/** A text with more UTF-16 code units is written in parts. Each code unit takes at most three bytes. */
const TEXT_MAX_UNITS = 10_000
const ROWS_PER_STATEMENT = 100
/** The temporary table of long texts. */
const LONG_TEXTS = 'imported_texts'

type Value = string | number | bigint | null

/** Fails the whole import if somebody has signed up: `json` refuses a text that is not JSON. */
const REQUIRE_UNUSED = `select iif(${HAS_USERS}, json('in use'), 0);\n`
/** The error of SQLite in this case. */
export const IN_USE = /malformed JSON/

/** How long the objects of old images are kept while new ones are written. */
const KEPT_MS = 24 * 60 * 60_000

/** Keeps the job that runs every minute from removing objects that an import has just written under the same keys. */
export function keepImagesSql(now: Date): string {
  return `update images set orphaned_at = ${now.getTime() + KEPT_MS} where orphaned_at is not null`
}

/**
 * Writes the statements.
 *
 * @param database The rows that the database on D1 will have
 * @param replaces Whether the database on D1 may have users. If it may not, a user makes the import fail
 */
export function* importSql(database: DatabaseSync, replaces: boolean): Generator<string> {
  const tables = listTables(database)
  const triggers = listTriggerNames(database)
  yield 'pragma defer_foreign_keys = on;\n'
  if (!replaces) yield REQUIRE_UNUSED
  yield `create table ${LONG_TEXTS} (number integer, place integer, part text);\n`
  // The triggers are dropped, because their effects are already in the rows.
  for (const name of triggers) yield `drop trigger ${quoteName(name)};\n`
  for (const { name } of tables) yield emptySql(name)
  const longTexts = new LongTexts()
  for (const table of tables) {
    // SQLite has written rows of this table during the insertions into the others.
    if (table.name === SEQUENCE) yield emptySql(SEQUENCE)
    yield* insertSql(database, table, longTexts)
  }
  yield `drop table ${LONG_TEXTS};\n`
  for (const sql of listTriggers(database)) yield `${sql};\n`
}

function emptySql(name: string): string {
  if (name === SEQUENCE) return `delete from ${SEQUENCE} where name <> 'd1_migrations';\n`
  // The job that runs every minute then removes the objects of these images.
  if (name === 'images') return 'update images set orphaned_at = 0;\n'
  return `delete from ${quoteName(name)};\n`
}

function* insertSql(database: DatabaseSync, table: Table, longTexts: LongTexts): Generator<string> {
  const columns = table.columns.map(quoteName)
  const rows = database.prepare(`select ${columns} from ${quoteName(table.name)} order by ${table.pageKey}`)
  rows.setReadBigInts(true)
  rows.setReturnArrays(true)
  // `emptySql` has kept the old rows of images, and the new ones may have the same keys.
  const verb = table.name === 'images' ? 'insert or replace' : 'insert'
  const beginning = `${verb} into ${quoteName(table.name)} (${columns}) values\n`
  let tuples: string[] = []
  let bytes = 0
  for (const values of rows.iterate() as unknown as Iterable<Value[]>) {
    const tuple = `(${values.map((value) => longTexts.literal(value)).join(', ')})`
    yield* longTexts.takeStatements()
    const isFull = bytes + Buffer.byteLength(tuple) > STATEMENT_BYTES || tuples.length === ROWS_PER_STATEMENT
    if (isFull && tuples.length > 0) {
      yield `${beginning}${tuples.join(',\n')};\n`
      tuples = []
      bytes = 0
    }
    tuples.push(tuple)
    bytes += Buffer.byteLength(tuple)
  }
  if (tuples.length > 0) yield `${beginning}${tuples.join(',\n')};\n`
}

/**
 * Long texts are first stored in parts, in a table of their own, and a row takes the whole text from there. A row is
 * not inserted with a part and then extended, because some columns must be valid JSON at any time.
 */
class LongTexts {
  #count = 0
  #statements: string[] = []

  literal(value: Value): string {
    if (typeof value !== 'string' || value.length <= TEXT_MAX_UNITS) return literal(value)
    this.#count += 1
    for (const [place, part] of cutText(value).entries()) {
      this.#statements.push(`insert into ${LONG_TEXTS} values (${this.#count}, ${place}, ${literal(part)});\n`)
    }
    const parts = `select part from ${LONG_TEXTS} where number = ${this.#count} order by place`
    return `(select group_concat(part, '') from (${parts}))`
  }

  /** The statements that must precede the next row. */
  takeStatements(): string[] {
    const statements = this.#statements
    this.#statements = []
    return statements
  }
}

/** Cuts a text into parts, not within a character. */
function cutText(text: string): string[] {
  const parts: string[] = []
  for (let from = 0; from < text.length; ) {
    const end = from + TEXT_MAX_UNITS
    // A high surrogate is the first half of a character.
    const isWithinCharacter = /[\ud800-\udbff]/.test(text.charAt(end - 1))
    const until = isWithinCharacter ? end - 1 : end
    parts.push(text.slice(from, until))
    from = until
  }
  return parts
}

function literal(value: Value): string {
  if (value === null) return 'null'
  if (typeof value !== 'string') return String(value)
  // SQLite would take a NUL character for the end of the statement.
  return value
    .split('\0')
    .map((part) => `'${part.replaceAll("'", "''")}'`)
    .join(' || char(0) || ')
}
