import { env } from 'cloudflare:workers'
import { expect, inject, it } from 'vitest'
import { createAccount, createClient } from '../../support/app.ts'

const queriesOf = (migration: string) =>
  inject('database').migrations.find(({ name }) => name.startsWith(migration))?.queries ?? []

const run = (queries: readonly string[]) => env.DB.batch(queries.map((query) => env.DB.prepare(query)))

const readAll = async (query: string) => (await env.DB.prepare(query).all()).results

it('browsers stay signed in while the migration replaces the table, and nothing of the table is lost', async () => {
  const items = () => readAll("select type, name, sql from sqlite_master where tbl_name = 'sign_ins' order by name")
  const { id } = await createAccount(createClient())
  const current = await items()
  await run(['drop table sign_ins', ...queriesOf('0002').filter((query) => /^CREATE .*`sign_ins`/m.test(query))])
  await env.DB.prepare("insert into sign_ins values ('one', ?1, 0, 1, 2), ('two', ?1, 3, 4, 5)").bind(id).run()
  await run(queriesOf('0021'))
  expect(await readAll('select * from sign_ins order by hash')).toEqual([
    { hash: 'one', user_id: id, password_generation: 0, created_at: 1, expires_at: 2 },
    { hash: 'two', user_id: id, password_generation: 3, created_at: 4, expires_at: 5 },
  ])
  expect(await items()).toEqual(current)
})
