// Each test file begins with the database as the migrations leave it. The migrations run once in a runtime. For each
// later file their result is restored, which takes a fraction of the time. (The platform's `reset()` does not work for
// this: occasionally the next query still finds the old tables.)

interface Item {
  type: string
  name: string
  sql: string
}

/** The state after the migrations. */
interface Original {
  items: Item[]
  rows: Map<string, Record<string, unknown>[]>
}

const ITEMS = `select type, name, sql from sqlite_master where sql is not null and name not glob '_cf_*' order by type, name`

let original: Original | undefined

/** @param migrations All their statements */
export async function freshDatabase(database: D1Database, migrations: readonly string[]): Promise<void> {
  if (original) return await restore(database, original)
  await runAll(database, migrations)
  const items = await listItems(database)
  original = { items, rows: await readRows(database, items) }
}

/** Runs statements in one round trip, which takes half the time of one round trip for each migration. */
export async function runAll(database: D1Database, statements: readonly string[]): Promise<void> {
  await database.batch(statements.map((statement) => database.prepare(statement)))
}

async function restore(database: D1Database, { items, rows }: Original): Promise<void> {
  const left = await listItems(database)
  if (tablesOf(left) !== tablesOf(items)) throw new Error('the test file before this one has left other tables')
  await database.batch([
    database.prepare('pragma defer_foreign_keys = on'),
    ...left.filter(isTrigger).map(({ name }) => database.prepare(`drop trigger "${name}"`)),
    ...[...rows.keys()].map((table) => database.prepare(`delete from "${table}"`)),
    ...[...rows].flatMap(([table, list]) => list.map((row) => insertion(database, table, row))),
    ...items.filter(isTrigger).map(({ sql }) => database.prepare(sql)),
  ])
}

const isTrigger = ({ type }: Item) => type === 'trigger'

/** Everything except triggers, as one text. */
function tablesOf(items: readonly Item[]): string {
  return JSON.stringify(items.filter((item) => !isTrigger(item)))
}

async function listItems(database: D1Database): Promise<Item[]> {
  return (await database.prepare(ITEMS).all<Item>()).results
}

/**
 * The rows of each table; the table that counts ids (sqlite_sequence) comes last, because every insertion changes it.
 */
async function readRows(database: D1Database, items: readonly Item[]): Promise<Original['rows']> {
  const names = items.filter(({ type }) => type === 'table').map(({ name }) => name)
  const tables = [...names.filter((name) => name !== SEQUENCE), SEQUENCE]
  const answers = await database.batch<Record<string, unknown>>(
    tables.map((table) => database.prepare(`select * from "${table}"`)),
  )
  return new Map(tables.map((table, index) => [table, answers[index]?.results ?? []]))
}

const SEQUENCE = 'sqlite_sequence'

function insertion(database: D1Database, table: string, row: Record<string, unknown>): D1PreparedStatement {
  const names = Object.keys(row)
  const query = `insert into "${table}" (${names.map((name) => `"${name}"`)}) values (${names.map(() => '?')})`
  return database.prepare(query).bind(...Object.values(row))
}
