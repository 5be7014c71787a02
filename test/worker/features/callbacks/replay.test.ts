import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import type { DeliveryFilter } from '../../../../scripts/lib/deliveries-arguments.ts'
import { countSql, listSql, replaySql } from '../../../../scripts/lib/deliveries-sql.ts'
import { drain } from '../../../support/callbacks.ts'
import {
  createStage,
  createTold,
  DAY_MS,
  listLog,
  pass,
  RECEIVER,
  type Stage,
  subscribe,
  sweepAndDrain,
} from './support.ts'

// The statements of `npm run deliveries`, the operator's command, on a real D1.

let stage: Stage

beforeEach(async () => {
  stage = await createStage({ config: { retrySeconds: [10] } })
})

const runSql = async (sql: string) => (await env.DB.prepare(sql).all()).results

const filterOf = (filter: Partial<DeliveryFilter> = {}): DeliveryFilter => ({
  status: 'failed',
  host: undefined,
  user: undefined,
  since: undefined,
  until: stage.clock.now(),
  ...filter,
})

const replay = (filter: Partial<DeliveryFilter> = {}) => runSql(replaySql(filterOf(filter), 10, stage.clock.now()))

/** A callback whose attempts have all failed. */
async function fail(): Promise<void> {
  stage.network.answer = () => new Response(null, { status: 500 })
  await createTold(stage)
  await pass(stage, DAY_MS)
  await sweepAndDrain(stage)
  expect(await listLog(stage)).toMatchObject([{ status: 'failed' }])
  stage.network.answer = () => new Response()
  stage.network.calls.length = 0
}

it('the job of every minute sends what was made due, with the id and the body of before', async () => {
  await fail()
  const [before] = await listLog(stage)
  expect(await replay()).toEqual([{ id: before.id }])
  await sweepAndDrain(stage)
  expect(stage.network.calls.map(({ url, headers }) => [url, headers.get('webhook-id')])).toEqual([
    [RECEIVER, before.messageId],
  ])
  expect(await listLog(stage)).toMatchObject([{ id: before.id, status: 'delivered' }])
  expect(await replay()).toEqual([])
})

it('a delivery that fails again counts its retries from the beginning, and is not meant by the same command', async () => {
  await fail()
  const filter = filterOf()
  stage.network.answer = () => new Response(null, { status: 500 })
  expect(await runSql(replaySql(filter, 10, stage.clock.now()))).toHaveLength(1)
  await sweepAndDrain(stage)
  expect(await listLog(stage)).toMatchObject([{ status: 'pending', attempts: 3 }])
  await pass(stage, DAY_MS)
  await sweepAndDrain(stage)
  expect(await listLog(stage)).toMatchObject([{ status: 'failed', attempts: 4 }])
  expect(await runSql(replaySql(filter, 10, stage.clock.now()))).toEqual([])
})

it('a test of a receiver, which may fail on purpose, is neither counted nor sent again', async () => {
  const { id } = await subscribe(stage)
  stage.network.answer = () => new Response(null, { status: 401 })
  await stage.client.sendJson('POST', `/webhooks/${id}/tests`, { defect: 'unsigned' }, stage.account)
  await drain(stage.client)
  expect(await listLog(stage)).toMatchObject([{ status: 'failed', test: { verdict: 'right' } }])
  expect(await runSql(countSql(filterOf()))).toEqual([])
  expect(await runSql(listSql(filterOf(), 10))).toEqual([])
  expect(await replay()).toEqual([])
})

it('a suspended user is sent nothing, and is counted', async () => {
  await fail()
  await env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(stage.account.id).run()
  expect(await runSql(countSql(filterOf()))).toEqual([{ reason: 'owner', found: 1 }])
  expect(await replay()).toEqual([])
})

it.each<[string, (stage: Stage) => Partial<DeliveryFilter>, number]>([
  ['their host', () => ({ host: 'receiver.example' }), 1],
  ['another host', () => ({ host: 'example.com' }), 0],
  ['the id of their user', ({ account }) => ({ user: String(account.id) }), 1],
  ['another user', () => ({ user: "o'hara@example.com" }), 0],
  ['the time since they failed', ({ clock }) => ({ since: clock.now() }), 1],
  ['a later time', ({ clock }) => ({ since: new Date(clock.ms + 1) }), 0],
  ['another status', () => ({ status: 'cancelled' }), 0],
])('deliveries can be chosen by %s', async (_, choose, found) => {
  await fail()
  const filter = choose(stage)
  expect(await runSql(listSql(filterOf(filter), 10))).toHaveLength(found)
  expect(await runSql(countSql(filterOf(filter)))).toEqual(found === 0 ? [] : [{ reason: null, found }])
  expect(await replay(filter)).toHaveLength(found)
})
