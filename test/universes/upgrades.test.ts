import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, inject, it } from 'vitest'
import { fillDatabase, migrateDatabase, newOwnerRows } from '../../src/universes/contents.ts'
import { ROWS_OF_EVERY_KIND } from '../support/rows-of-every-kind.ts'

// A database of any earlier version becomes one of this version, and keeps every row. D1 is SQLite in an object, too.

type Row = Record<string, SqlStorageValue>

const MIGRATIONS = inject('database').migrations.map(({ name, queries }) => ({
  name: name.replace('.sql', ''),
  queries,
}))
/** The number of migrations of each set that was ever in use. Earlier ones never had data. */
const SETS = MIGRATIONS.map((_, index) => index + 1).slice(firstSet())
/** Universes came with this set. */
const FIRST_OF_UNIVERSES = MIGRATIONS.findIndex(({ name }) => name === '0022_universes') + 1

/** What the database derives from other rows, and may count in another way. */
const DERIVED_TABLES = ['body_counts', 'planet_counts', 'stranger_counts']
const DERIVED_COLUMNS = /^(?:bytes|satellite_bytes|\w+_used)$/
/** A row that migrations write themselves. */
const OWN_ROW = 'galaxy-reference'

function firstSet(): number {
  const [first] = Object.keys(ROWS_OF_EVERY_KIND)
  return MIGRATIONS.findIndex(({ name }) => name === first)
}

/** Works with an empty database. */
async function inDatabase<Result>(work: (storage: DurableObjectStorage) => Result): Promise<Result> {
  const object = env.UNIVERSE.get(env.UNIVERSE.newUniqueId())
  return await runInDurableObject(object, (_, { storage }) => work(storage))
}

/** Applies migrations as D1 does, each in a transaction. */
function apply(storage: DurableObjectStorage, migrations: typeof MIGRATIONS, store: (name: string) => void = () => {}) {
  for (const { name, queries } of migrations) {
    storage.transactionSync(() => {
      for (const query of queries) storage.sql.exec(query)
    })
    store(name)
  }
}

function storeRows({ sql }: DurableObjectStorage, name: string): void {
  for (const statement of ROWS_OF_EVERY_KIND[name] ?? []) sql.exec(statement)
}

const listTables = (sql: SqlStorage) =>
  sql
    .exec<{ name: string }>(
      `select name from sqlite_master where type = 'table' and name not glob '_cf_*' and name not glob 'sqlite_*'`,
    )
    .toArray()
    .map(({ name }) => name)

/** All rows that somebody has stored, by their tables. */
function readStored(sql: SqlStorage): Map<string, Row[]> {
  const tables = listTables(sql).filter((name) => !DERIVED_TABLES.includes(name) && !name.startsWith('universe_'))
  return new Map(
    tables.map((table) => {
      const rows = sql.exec<Row>(`select * from "${table}"`).toArray()
      return [table, rows.filter(({ id }) => id !== OWN_ROW).map(withoutDerived)]
    }),
  )
}

function withoutDerived(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([column]) => !DERIVED_COLUMNS.test(column)))
}

/** Each row is still there, with the same values. It may have more columns. */
function expectKept(before: Map<string, Row[]>, after: Map<string, Row[]>): void {
  for (const [table, rows] of before) {
    expect(rows.length, `${table} has rows`).toBeGreaterThan(0)
    for (const row of rows) expect(after.get(table), table).toContainEqual(expect.objectContaining(row))
  }
}

/** The tables, indexes, triggers and views, whose texts differ only in spaces. */
const readSchema = (sql: SqlStorage) =>
  sql
    .exec<{ name: string; sql: string }>(
      `select name, sql from sqlite_master where sql is not null and name not glob '_cf_*' order by name`,
    )
    .toArray()
    .map(({ name, sql }) => [name, sql.replaceAll(/\s+/g, ' ')])

/** What the database counts is true. */
function expectTrueCounts(sql: SqlStorage): void {
  const [counts] = sql
    .exec(
      `select (select sum(planets) from planet_counts where span = 64) = (select count(*) from planets) as planets,
        (select sum(bodies) from body_counts where span = 64) = (select count(*) from bodies) as bodies,
        (select bodies_used from users where id = 2) as bodies_used,
        (select images_used from users where id = 2) as images_used,
        (select deliveries_used from users where id = 2) as deliveries_used,
        (select count from stranger_counts where kind = 'clients') as strangers`,
    )
    .toArray()
  expect(counts).toEqual({ planets: 1, bodies: 1, bodies_used: 2, images_used: 1, deliveries_used: 2, strangers: 1 })
}

it('there are rows of every table', async () => {
  const tables = await inDatabase((storage) => {
    apply(storage, MIGRATIONS, (name) => storeRows(storage, name))
    return [...readStored(storage.sql)].filter(([, rows]) => rows.length === 0).map(([table]) => table)
  })
  expect(tables).toEqual([])
})

describe.each(SETS)('a database of the first %i migrations', (count) => {
  it('keeps every row and becomes as new', async () => {
    const upgraded = await inDatabase((storage) => {
      apply(storage, MIGRATIONS.slice(0, count), (name) => storeRows(storage, name))
      const before = readStored(storage.sql)
      apply(storage, MIGRATIONS.slice(count))
      expectKept(before, readStored(storage.sql))
      expectTrueCounts(storage.sql)
      expect(storage.sql.exec('pragma foreign_key_check').toArray()).toEqual([])
      return readSchema(storage.sql)
    })
    const isNew = await inDatabase((storage) => {
      apply(storage, MIGRATIONS)
      return readSchema(storage.sql)
    })
    expect(upgraded).toEqual(isNew)
  })
})

describe.each(SETS.filter((count) => count >= FIRST_OF_UNIVERSES))('a universe of the first %i migrations', (count) => {
  it('keeps every row', async () => {
    const sqlOf = ({ queries }: (typeof MIGRATIONS)[number]) => queries.join(';\n')
    const owner = newOwnerRows({
      email: 'owner@example.com',
      email_key: 'owner@example.com',
      name: 'Owner',
      password_hash: 'hash',
      password_generation: 0,
      created_at: 1_760_000_000_000,
    })
    await inDatabase((storage) => {
      const { sql } = storage
      const seed = { migrations: MIGRATIONS.slice(0, count).map(sqlOf), planets: [], derived: [] }
      fillDatabase(sql, seed, 'blank', owner)
      sql.exec('delete from users')
      for (const { name } of MIGRATIONS.slice(0, count)) storeRows(storage, name)
      const before = readStored(sql)
      migrateDatabase(storage, MIGRATIONS.slice(count).map(sqlOf))
      expectKept(before, readStored(sql))
      expect(sql.exec('pragma foreign_key_check').toArray()).toEqual([])
    })
  })
})
