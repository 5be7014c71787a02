import { runInDurableObject } from 'cloudflare:test'
import { expect, it } from 'vitest'
import type { Sqlite } from '../../src/db/port.ts'
import { openEmbeddedDatabase } from '../../src/universes/embedded-database.ts'
import { makeUniverse, useWorlds } from '../support/worlds.ts'

// The SQLite of an object, as the port of the database sees it (src/db/sqlite.ts).

useWorlds()

/** Uses the database of a new universe. */
async function use<Result>(work: (sqlite: Sqlite) => Promise<Result>): Promise<Result> {
  const { stub } = await makeUniverse()
  return await runInDurableObject(stub, async (_, { storage }) =>
    work(openEmbeddedDatabase(storage, () => {}).open('first-primary')),
  )
}

const one = (sql: string, ...params: unknown[]) => [{ sql, params }]

it('returns the values of each row in the order of the columns, and what the statement cost', async () => {
  const [outcome] = await use((sqlite) => sqlite.run(one('select 2 as b, ? as a, ? as c', 'text', true)))
  expect(outcome).toMatchObject({ rows: [[2, 'text', 1]], rowsWritten: 0 })
})

it('refuses columns of the same name, of which D1 would return one', async () => {
  await expect(use((sqlite) => sqlite.run(one('select 1 as id, 2 as id')))).rejects.toThrow('the same name: id, id')
})

it('writes all statements of a round trip, or none', async () => {
  const key = (name: string) => ({
    sql: 'insert into rate_limits (key, attempts, resets_at) values (?, 1, 1)',
    params: [name],
  })
  const rows = await use(async (sqlite) => {
    await sqlite.run([key('a'), key('b')])
    await sqlite.run([key('c'), key('a')]).catch(() => {})
    return await sqlite.run(one("select key from rate_limits where key in ('a', 'b', 'c') order by key"))
  })
  expect(rows[0]?.rows).toEqual([['a'], ['b']])
})

it('refuses a value that SQLite cannot store', async () => {
  await expect(use((sqlite) => sqlite.run(one('select ? as a', undefined)))).rejects.toThrow('of the type undefined')
})
