import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, inject, it } from 'vitest'
import { fillDatabase, migrateDatabase, newOwnerRows } from '../../src/universes/contents.ts'
import { LATER_NAME, LATER_SQL } from '../support/later-migration.ts'
import { ROWS_OF_EVERY_KIND } from '../support/rows-of-every-kind.ts'

// A database of any set of migrations becomes one of all migrations and of a later one, which only tests have, and keeps
// every row. D1 is SQLite in an object, too.

type Row = Record<string, SqlStorageValue>

interface Migration {
  name: string
  queries: string[]
}

const OWN: Migration[] = inject('database').migrations.map(({ name, queries }) => ({
  name: name.replace('.sql', ''),
  queries,
}))
const MIGRATIONS: Migration[] = [...OWN, { name: LATER_NAME, queries: [LATER_SQL] }]
/** The number of migrations of each set that was ever in use. */
const SETS = OWN.map((_, index) => index + 1)

/** A row that migrations write themselves. */
const OWN_ROW = 'galaxy-reference'

/** Works with an empty database. */
async function inDatabase<Result>(work: (storage: DurableObjectStorage) => Result): Promise<Result> {
  const object = env.UNIVERSE.get(env.UNIVERSE.newUniqueId())
  return await runInDurableObject(object, (_, { storage }) => work(storage))
}

/** Applies migrations as D1 does, each in a transaction. */
function apply(storage: DurableObjectStorage, migrations: readonly Migration[], hasRows = false) {
  for (const { name, queries } of migrations) {
    storage.transactionSync(() => {
      for (const query of queries) storage.sql.exec(query)
    })
    if (hasRows) storeRows(storage, name)
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

/** All rows that somebody has stored, and those that the database derives from them, by their tables. */
function readStored(sql: SqlStorage): Map<string, Row[]> {
  const tables = listTables(sql).filter((name) => !name.startsWith('universe_'))
  return new Map(
    tables.map((table) => {
      const rows = sql.exec<Row>(`select * from "${table}"`).toArray()
      return [table, rows.filter(({ id }) => id !== OWN_ROW)]
    }),
  )
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
        (select body_bytes_used from users where id = 2)
          = (select sum(bytes) from planets where creator_id = 2)
            + (select sum(bytes) from bodies where planet_id is null and host_id is null) as body_bytes_used,
        (select images_used from users where id = 2) as images_used,
        (select deliveries_used from users where id = 2) as deliveries_used,
        (select count from stranger_counts where kind = 'clients') as strangers`,
    )
    .toArray()
  expect(counts).toEqual({
    planets: 1,
    bodies: 1,
    bodies_used: 2,
    body_bytes_used: 1,
    images_used: 1,
    deliveries_used: 2,
    strangers: 1,
  })
}

/** The later migration has done its part, and the triggers are still there. */
function expectMigrated(sql: SqlStorage): void {
  const { discoverer } = sql.exec('select discoverer from planets where id = 5403').one()
  expect(discoverer).toBe('Marc')
  const countBadges = () => sql.exec('select count(*) as badges from badges').one().badges
  expect(countBadges()).toBe(3)
  sql.exec("insert into refresh_tokens (hash, grant_id, expires_at) values ('late', 'gone', 0)")
  expect(sql.exec('select hash, uses from refresh_tokens').toArray()).toEqual([{ hash: 'hash-of-token', uses: 0 }])
  sql.exec('delete from users where id = 2')
  expect(countBadges()).toBe(2)
  expect(sql.exec('select id from planets').toArray()).toEqual([{ id: 1 }])
  expect(sql.exec('pragma foreign_key_check').toArray()).toEqual([])
}

it('there are rows of every table', async () => {
  const tables = await inDatabase((storage) => {
    apply(storage, OWN, true)
    return [...readStored(storage.sql)].filter(([, rows]) => rows.length === 0).map(([table]) => table)
  })
  expect(tables).toEqual([])
})

describe.each(SETS)('a database of the first %i migrations', (count) => {
  it('keeps every row and becomes as new', async () => {
    const upgraded = await inDatabase((storage) => {
      apply(storage, MIGRATIONS.slice(0, count), true)
      const before = readStored(storage.sql)
      apply(storage, MIGRATIONS.slice(count))
      expectKept(before, readStored(storage.sql))
      expectTrueCounts(storage.sql)
      const schema = readSchema(storage.sql)
      expectMigrated(storage.sql)
      return schema
    })
    const isNew = await inDatabase((storage) => {
      apply(storage, MIGRATIONS)
      return readSchema(storage.sql)
    })
    expect(upgraded).toEqual(isNew)
  })
})

/** The number of migrations after which there are runs of the laboratory, which universes count. */
const LAB_RUNS_SINCE = OWN.findIndex(({ name }) => name === '0002_lab-runs') + 1

describe.each(SETS)('a universe of the first %i migrations', (count) => {
  it('keeps every row', async () => {
    const sqlOf = ({ queries }: Migration) => queries.join(';\n')
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
      const migrations = MIGRATIONS.slice(0, count).map(sqlOf)
      // The figures are those of today. A table that they count and that came later is there only while they are made.
      const later = count < LAB_RUNS_SINCE ? ['create table lab_runs (created_at integer, expires_at integer)'] : []
      fillDatabase(sql, { migrations: [...migrations, ...later], planets: [], derived: [] }, 'blank', owner)
      if (later.length > 0) sql.exec('drop table lab_runs')
      sql.exec('delete from users')
      for (const { name } of MIGRATIONS.slice(0, count)) storeRows(storage, name)
      const before = readStored(sql)
      migrateDatabase(storage, MIGRATIONS.slice(count).map(sqlOf))
      expectKept(before, readStored(sql))
      expectTrueCounts(sql)
      expectMigrated(sql)
    })
  })
})
