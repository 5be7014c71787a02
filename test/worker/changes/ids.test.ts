import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { IdStocks, NUMBERED_TABLES, type TakenIds } from '../../../src/changes/ids.ts'
import { openD1, openSession, type Session, write } from '../../../src/db/port.ts'
import { createAccount, createClient, createPlanet } from '../../support/app.ts'

// Ids that are known before their rows are written.

let session: Session
let stocks: IdStocks

beforeEach(() => {
  session = openSession({ database: openD1(env.DB), hub: undefined }, 'first-primary')
  stocks = new IdStocks({ takesInAdvance: true })
})

const last = async () =>
  (await env.DB.prepare("select seq from sqlite_sequence where name = 'planets'").first<{ seq: number }>())?.seq ?? 0
const take = async (from = stocks) => (await from.take(session, { planets: 1 })).next('planets')
const takeMany = async (count: number, from = stocks) => {
  const ids = await from.take(session, { planets: count })
  return Array.from({ length: count }, () => ids.next('planets'))
}
const range = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index)

describe('the ids of one process', () => {
  it('are consecutive, also for more than it takes in advance', async () => {
    const before = await last()
    const ids = [...(await takeMany(3)), ...(await takeMany(40)), ...(await takeMany(30))]
    expect(ids).toEqual(range(before + 1, 73))
  })

  it('are above every id that a statement has inserted', async () => {
    await env.DB.prepare(
      'insert into planets (id, creator_id, last_updated, properties, lists_satellites) select ?, id, 0, \'{"name":"Far"}\', 0 from users limit 1',
    )
      .bind((await last()) + 1000)
      .run()
    expect(await take()).toBe((await last()) - 16)
  })

  it('are used again if nothing was written', async () => {
    const ids = await stocks.take(session, { planets: 2 })
    const [first, second] = [ids.next('planets'), ids.next('planets')]
    const third = await take()
    ids.giveBack()
    expect(await takeMany(3)).toEqual([first, second, third + 1])
  })

  it('are never given twice, however many requests take them at once', async () => {
    const taken = await Promise.all(Array.from({ length: 100 }, () => takeMany(3)))
    expect(new Set(taken.flat()).size).toBe(300)
    expect(await last()).toBeLessThanOrEqual(Math.max(...taken.flat()) + 16)
  })
})

it.each(NUMBERED_TABLES)('the migrations begin the counter of %s', async (table) => {
  expect((await stocks.take(session, { [table]: 1 } as Record<typeof table, number>)).next(table)).toBeGreaterThan(0)
})

it('two processes never give the same id', async () => {
  const other = new IdStocks({ takesInAdvance: true })
  const ids: number[] = []
  for (let index = 0; index < 40; index++) ids.push(await take(), await take(other))
  expect(new Set(ids).size).toBe(80)
})

it('a process that ends leaves a gap of at most what it took in advance', async () => {
  const first = await take()
  stocks = new IdStocks({ takesInAdvance: true })
  expect(await take()).toBe(first + 17)
})

it('a world whose database costs no round trip takes no ids in advance', async () => {
  stocks = new IdStocks({ takesInAdvance: false })
  const before = await last()
  expect([await take(), ...(await takeMany(2))]).toEqual(range(before + 1, 3))
  expect(await last()).toBe(before + 3)
  const ids = await stocks.take(session, { planets: 1 })
  expect(ids.refill().statements).toEqual([])
})

it('ids that the database counted before a reset are forgotten', async () => {
  const before: TakenIds<'planets'> = await stocks.take(session, { planets: 1 })
  stocks.forget()
  before.giveBack()
  expect(await take()).toBe((await last()) - 16)
})

it('ids in advance are ordered once, in the batch of a write that leaves few', async () => {
  const [first = 0] = await takeMany(9)
  expect((await stocks.take(session, { planets: 7 })).refill().statements).toEqual([])
  const ids = await stocks.take(session, { planets: 1 })
  const refill = ids.refill()
  expect(refill.statements).toHaveLength(1)
  expect(ids.refill().statements).toEqual([])
  refill.settle(await write(session, refill.statements))
  expect(await takeMany(24)).toEqual(range(first + 17, 24))
})

it('ids in advance are ordered again if the batch failed', async () => {
  await takeMany(9)
  const ids = await stocks.take(session, { planets: 8 })
  ids.refill().settle()
  expect(ids.refill().statements).toHaveLength(1)
})

it('an id that a row has already is 503 once, and the next request gets other ids', async () => {
  const client = createClient()
  const account = await createAccount(client)
  const { id } = await createPlanet(client, account, { name: 'Before' })
  const insert = `insert into planets (id, creator_id, last_updated, properties, lists_satellites) values (?, ?, 0, '{"name":"Put back"}', 0)`
  await env.DB.prepare(insert)
    .bind(id + 1, account.id)
    .run()
  const create = async () => (await client.sendJson('POST', '/planets', { name: 'After' }, account)).status
  expect([await create(), await create()]).toEqual([503, 201])
})
