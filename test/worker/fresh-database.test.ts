import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { createAccount, createClient, createPlanet } from '../support/app.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { readDatabase } from '../support/stored.ts'

// Every test file relies on this: nothing of the files before it is left.

const run = (query: string) => env.DB.prepare(query).run()
const triggers = async () =>
  (await env.DB.prepare("select name, sql from sqlite_master where type = 'trigger' order by name").all()).results
const state = async () => ({
  rows: await readDatabase(),
  ids: (await env.DB.prepare('select * from sqlite_sequence order by name').all()).results,
  triggers: await triggers(),
})

it('rows, ids and triggers are those after the migrations', async () => {
  const before = await state()
  const client = createClient()
  const satellites = [{ name: 'Moon' }]
  await createPlanet(client, await createAccount(client), { name: 'Left over', satellites })
  await run("update clients set metadata = '{}'")
  const [first] = await triggers()
  await run(`drop trigger ${first?.name}`)
  await run('create trigger left_over after delete on planets begin select 1; end')
  await freshDatabase(env.DB, [])
  expect(await state()).toEqual(before)
})

it('changed tables are noticed', async () => {
  await run('create table left_over (id integer)')
  await expect(freshDatabase(env.DB, [])).rejects.toThrow('has left other tables')
  await run('drop table left_over')
  await freshDatabase(env.DB, [])
})
