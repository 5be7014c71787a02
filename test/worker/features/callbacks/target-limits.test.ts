import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { openD1, openSession } from '../../../../src/db/port.ts'
import type { TargetLimits } from '../../../../src/env.ts'
import { leaseDelivery } from '../../../../src/stores/callbacks/leases.ts'
import { sweep } from '../../../../src/sweep.ts'
import { type Account, type Client, createAccount, createClient, createPlanet } from '../../../support/app.ts'
import { type Call, rowOf } from '../../../support/callbacks.ts'
import { putDeliveries, putDelivery } from '../../../support/outbox.ts'
import { Platform, SlowNetwork, TimedQueue } from '../../../support/platform.ts'
import {
  ask,
  Clock,
  countRows,
  createInbox,
  createStage,
  DAY_MS,
  MINUTE_MS,
  read,
  renew,
  type Stage,
  subscribe,
} from './support.ts'

// No host is called more often than CALLBACK_TARGET_LIMITS allows, whoever requests it, and waiting deliveries arrive.

// These tests make many calls, which takes long on a busy machine. A test that times out would continue beside the
// next.
vi.setConfig({ testTimeout: 120_000 })

const LIMITS: TargetLimits = { concurrent: 3, callsUnproven: 8, callsProven: 600 }
const VICTIM = 'https://victim.example/hook'
const SERVER_ERROR = () => new Response('', { status: 503 })

let clock: Clock
let queue: TimedQueue
let network: SlowNetwork
let platform: Platform
let stage: Stage
let client: Client
let account: Account

async function start(limits: TargetLimits | 'off' = LIMITS, retrySeconds = [3600]): Promise<void> {
  clock = new Clock()
  queue = new TimedQueue(clock.now)
  network = new SlowNetwork()
  const made = await createStage({
    now: clock.now,
    callbackQueue: queue,
    fetch: network.fetch,
    config: { targetLimits: limits === 'off' ? undefined : limits, retrySeconds },
  })
  ;({ client, account } = made)
  stage = { ...made, clock }
  platform = new Platform(client.services, queue, network)
}

beforeEach(() => start())

/** Makes deliveries due, and queues them. */
async function queueDeliveries(count: number, url = VICTIM): Promise<number[]> {
  const ids = await putDeliveries(account, count, url)
  await client.services.callbackQueue.sendBatch(ids.slice(0, 100).map((delivery) => ({ body: { delivery } })))
  return ids
}

const sweepNow = () => sweep(client.services)
const countOf = async (condition: string) =>
  (await rowOf<{ n: number }>(`select count(*) as n from deliveries where ${condition}`))?.n
const delivered = () => countOf("status = 'delivered'")
const waiting = () => countOf("status = 'pending' and waiting_for is not null")
const messageIds = () => network.calls.map(({ headers }) => headers.get('webhook-id'))

describe('four accounts with five subscriptions each at one host', () => {
  /** Subscribes all, and creates a planet of ten KB for each satellite. */
  async function subscribeAll(satelliteCount: number): Promise<void> {
    for (let person = 0; person < 4; person++) {
      const subscriber = await createAccount(client)
      await renew(client, subscriber)
      // Names and ports do not matter: they are the same host.
      for (let place = 0; place < 5; place++) {
        const url = `https://a${person}-${place}.victim.example:${8000 + place}/hook`
        await subscribe(stage, { url }, subscriber)
      }
    }
    await renew(client, account)
    const satellites = Array.from({ length: satelliteCount }, (_, index) => ({
      name: `Moon ${index}`,
      description: 'x'.repeat(9_900),
    }))
    await createPlanet(client, account, { name: 'Flood', satellites })
  }

  it('make 3 calls of 250 KB at once and 8 a minute; in the end all 20 arrive, each once', async () => {
    await start({ ...LIMITS, callsProven: 8 })
    await subscribeAll(25)
    const perMinute: number[] = []
    while (perMinute.length < 10 && (await delivered()) !== 20) {
      const before = network.calls.length
      await platform.finish()
      perMinute.push(network.calls.length - before)
      clock.ms += MINUTE_MS + 1000
    }
    expect(perMinute).toEqual([8, 8, 4])
    expect(network.peak).toBe(3)
    expect(new Set(messageIds()).size).toBe(20)
    expect(network.calls.every(({ body }) => body.length > 247_000)).toBe(true)
  })

  it('make 8 calls in the first minute, until a 2xx is received: then all continue, 3 at once', async () => {
    await subscribeAll(1)
    await platform.finish(SERVER_ERROR)
    expect([network.calls.length, network.peak, await waiting()]).toEqual([8, 3, 12])
    clock.ms += MINUTE_MS - 1
    await sweepNow()
    await platform.finish(SERVER_ERROR)
    expect(network.calls).toHaveLength(8)
    clock.ms += 1001
    await platform.finish()
    expect([network.calls.length, network.peak, await waiting(), await delivered()]).toEqual([20, 3, 0, 12])
    clock.ms += 2 * 3600 * 1000
    await sweepNow()
    await platform.finish()
    expect([network.calls.length, await delivered()]).toEqual([28, 20])
  })
})

describe('at the same moment', () => {
  it('3 of 20 claimed deliveries run', async () => {
    const ids = await putDeliveries(account, 20, VICTIM)
    const session = openSession({ database: openD1(env.DB), hub: undefined }, 'first-primary')
    const claims = await Promise.all(ids.map((id) => leaseDelivery(session, id, clock.now(), 30_000, LIMITS)))
    expect(claims.filter(({ delivery }) => delivery)).toHaveLength(3)
    expect(await waiting()).toBe(17)
  })

  it('the end of each call admits another, in the order in which they were due', async () => {
    const ids = await queueDeliveries(6)
    await platform.settle()
    expect(network.calls).toHaveLength(3)
    network.answer(() => new Response())
    await platform.settle()
    expect(network.calls).toHaveLength(6)
    const { results } = await env.DB.prepare('select id, message_id from deliveries').all<{
      id: number
      message_id: string
    }>()
    const called = messageIds().map((message) => results.find(({ message_id }) => message_id === message)?.id)
    expect(called).toEqual(ids)
  })

  it('a machine that dies with three calls frees their places when their leases end', async () => {
    await queueDeliveries(5)
    await platform.settle()
    expect(network.calls).toHaveLength(3)
    queue.lose()
    const next = new SlowNetwork()
    const revived = createClient({ ...client.services, fetch: next.fetch, config: { targetLimits: LIMITS } })
    const other = new Platform(revived.services, queue, next)
    clock.ms += 30_000
    await sweep(revived.services)
    await other.finish()
    expect(next.calls).toHaveLength(0)
    clock.ms += 1
    await sweep(revived.services)
    await other.finish()
    expect([next.calls.length, await delivered()]).toEqual([5, 5])
  })
})

describe('per minute', () => {
  const FEW: TargetLimits = { concurrent: 2, callsUnproven: 3, callsProven: 5 }

  beforeEach(() => start(FEW))

  it('a host without a 2xx gets as many calls as allowed, and not one more', async () => {
    await queueDeliveries(4)
    await platform.finish(SERVER_ERROR)
    expect([network.calls.length, await waiting()]).toEqual([3, 1])
    clock.ms += MINUTE_MS - 1
    await sweepNow()
    await platform.finish(SERVER_ERROR)
    expect(network.calls).toHaveLength(3)
    clock.ms += 1
    await sweepNow()
    await platform.finish(SERVER_ERROR)
    expect([network.calls.length, await waiting()]).toEqual([4, 0])
  })

  it('a host with a 2xx gets as many as that allows, for 30 days and no longer', async () => {
    const callsAfter = async (ms: number) => {
      clock.ms += ms
      const before = network.calls.length
      await queueDeliveries(6)
      await platform.finish(SERVER_ERROR)
      await env.DB.exec("update deliveries set status = 'cancelled'")
      return network.calls.length - before
    }
    await queueDeliveries(1)
    await platform.finish()
    expect(await callsAfter(MINUTE_MS)).toBe(5)
    await sweepNow()
    expect(await callsAfter(30 * DAY_MS - MINUTE_MS)).toBe(5)
    expect(await callsAfter(MINUTE_MS)).toBe(3)
  })

  it.each([199, 300, 302, 404, 500])('a response of %i does not count as a 2xx', async (status) => {
    await queueDeliveries(6)
    await platform.finish(() => (status === 199 ? Response.error() : new Response('', { status })))
    expect(network.calls).toHaveLength(3)
  })

  it('the queue brings waiting deliveries to the second', async () => {
    await queueDeliveries(4)
    await platform.finish(SERVER_ERROR)
    clock.ms += 20_000
    const last = await rowOf<{ id: number }>('select id from deliveries where waiting_for is not null')
    const delays = queue.held.filter(({ delaySeconds }) => delaySeconds > 0 && delaySeconds < 2000)
    expect(new Set(delays.map(({ delaySeconds }) => delaySeconds))).toEqual(new Set([61]))
    expect(delays[0]?.message).toEqual({ delivery: last?.id })
    clock.ms += 41_000
    await platform.finish(SERVER_ERROR)
    expect(network.calls).toHaveLength(4)
  })
})

describe('a waiting delivery', () => {
  it('is shown as waiting, is not an attempt and uses no retry', async () => {
    const ids = await queueDeliveries(9)
    await platform.finish(SERVER_ERROR)
    const log = await read(stage, `/deliveries/${ids.at(-1)}`)
    expect(log).toMatchObject({ status: 'pending', waitingSince: '1970-01-01T00:00:00.008Z', attempts: [] })
    expect(log).not.toHaveProperty('nextAttemptAt')
    expect(await countRows('attempts')).toBe(8)
    clock.ms += MINUTE_MS + 1000
    await platform.finish(SERVER_ERROR)
    await renew(client, account)
    const tried = await read(stage, `/deliveries/${ids.at(-1)}`)
    expect(tried).toMatchObject({ status: 'pending', nextAttemptAt: expect.any(String), attempts: [{ status: 503 }] })
    expect(tried).not.toHaveProperty('waitingSince')
    expect(await rowOf('select retries from deliveries where id = ?', ids.at(-1) ?? 0)).toEqual({ retries: 1 })
  })

  it('is cancelled with its subscription, and the queue of its host moves on', async () => {
    const { id } = await subscribe(stage, { url: VICTIM })
    const ids = await queueDeliveries(10)
    await platform.finish(SERVER_ERROR)
    await env.DB.prepare('update deliveries set webhook_id = ? where id = ?')
      .bind(id, ids[8] ?? 0)
      .run()
    expect((await ask(stage, 'DELETE', `/webhooks/${id}`)).status).toBe(204)
    clock.ms += MINUTE_MS
    await sweepNow()
    await platform.finish()
    expect([network.calls.length, await waiting(), await delivered()]).toEqual([9, 0, 1])
  })

  it('of a suspended account is cancelled without a call, and blocks no other', async () => {
    await start({ concurrent: 1, callsUnproven: 3, callsProven: 3 })
    const suspended = await createAccount(client)
    await putDeliveries(suspended, 20, VICTIM)
    await putDeliveries(account, 3, VICTIM)
    await env.DB.prepare('update deliveries set next_attempt_at = 100 where user_id = ?').bind(account.id).run()
    await env.DB.prepare('update users set suspended_at = 0 where id = ?').bind(suspended.id).run()
    await sweepNow()
    await platform.finish()
    expect([network.calls.length, await delivered(), await waiting()]).toEqual([3, 3, 0])
  })

  it.each([
    { place: 'first', waits: 1 },
    { place: 'last', waits: 10 },
  ])('moves with its subscription to another host, if it is the $place of $waits', async ({ waits }) => {
    const { id } = await subscribe(stage, { url: VICTIM })
    const ids = await queueDeliveries(8 + waits)
    await env.DB.prepare('update deliveries set webhook_id = ? where id = ?')
      .bind(id, ids.at(-1) ?? 0)
      .run()
    await platform.finish(SERVER_ERROR)
    await renew(client, account)
    const moved = await client.sendJson('PATCH', `/webhooks/${id}`, { url: 'https://elsewhere.example/' }, account)
    expect(moved.status).toBe(200)
    await sweepNow()
    await platform.finish()
    expect(network.calls.map(({ url }) => url).slice(8)).toEqual(['https://elsewhere.example/'])
    expect(await waiting()).toBe(waits - 1)
  })
})

describe('the limits also count', () => {
  const FEW: TargetLimits = { concurrent: 6, callsUnproven: 3, callsProven: 5 }

  beforeEach(() => start(FEW))

  it('redeliveries: 12 requests are 8 calls in a minute', async () => {
    await start(LIMITS)
    const body = 'x'.repeat(250_000)
    const ids: number[] = []
    for (let index = 0; index < 12; index++) {
      ids.push(await putDelivery(account, { status: 'failed', url: VICTIM, event: { body }, endedAt: 0 }))
    }
    for (const id of ids) expect((await ask(stage, 'POST', `/deliveries/${id}/redeliver`)).status).toBe(202)
    await platform.finish(SERVER_ERROR)
    expect([network.calls.length, network.peak]).toEqual([8, 3])
    // A waiting delivery keeps its place, however often it is redelivered.
    const last = ids.at(-1)
    for (let index = 0; index < 12; index++) {
      expect((await ask(stage, 'POST', `/deliveries/${last}/redeliver`)).status).toBe(202)
    }
    await platform.finish(SERVER_ERROR)
    expect(network.calls).toHaveLength(8)
    clock.ms += MINUTE_MS + 1000
    await platform.finish()
    expect([network.calls.length, await delivered()]).toEqual([12, 4])
  })

  it('pings', async () => {
    const { id } = await subscribe(stage, { url: VICTIM })
    for (let index = 0; index < 5; index++) expect((await ask(stage, 'POST', `/webhooks/${id}/ping`)).status).toBe(202)
    await platform.finish(SERVER_ERROR)
    expect(network.calls).toHaveLength(3)
  })

  it('retries', async () => {
    await start(FEW, [1, 1, 1, 1, 1])
    await queueDeliveries(1)
    for (let second = 0; second < 20; second++) {
      await platform.finish(SERVER_ERROR)
      clock.ms += 3000 - 1
    }
    expect([network.calls.length, await waiting()]).toEqual([3, 1])
  })
})

describe('other hosts', () => {
  it('are not delayed by thousands of deliveries that wait for one host', async () => {
    await putDeliveries(account, 9000, VICTIM)
    await env.DB.exec(
      'update deliveries set waiting_for = host, waiting_since = next_attempt_at, next_attempt_at = null',
    )
    await sweepNow()
    await platform.finish(SERVER_ERROR)
    expect([network.calls.length, await waiting()]).toEqual([8, 8992])
    const other = await putDelivery(account, { url: 'https://other.example/', nextAttemptAt: clock.ms })
    queue.held.length = 0
    await sweepNow()
    // Only the first of the waiting deliveries is read.
    expect(queue.held.map(({ message }) => message)).toEqual([{ delivery: expect.any(Number) }, { delivery: other }])
    await platform.finish()
    expect(network.calls.map(({ url }) => url).slice(8)).toEqual(['https://other.example/'])
  })

  it.each([
    ['https://VICTIM.example/', 'https://victim.example.:444/'],
    ['https://a.victim.example/', 'http://b.c.victim.example/'],
    ['https://[2606:4700::1]/', 'https://[2606:4700:0:0:1::]/'],
    ['http://8.8.8.8/', 'http://0x08080808:81/'],
    ['https://1-1-1-1.nip.io/', 'https://a.8.8.8.8.nip.io/'],
  ])('%s and %s are the same host', async (one, other) => {
    await start({ concurrent: 1, callsUnproven: 30, callsProven: 30 })
    await queueDeliveries(1, one)
    await queueDeliveries(1, other)
    await platform.settle()
    expect(network.calls).toHaveLength(1)
  })

  it.each([
    ['https://victim.example/', 'https://other.example/'],
    ['https://a.github.io/', 'https://b.github.io/'],
    ['https://a.co.uk/', 'https://b.co.uk/'],
    ['https://[2606:4700::1]/', 'https://[2606:4700:0:1::1]/'],
    ['http://8.8.8.8/', 'http://8.8.4.4/'],
  ])('%s and %s are two hosts', async (one, other) => {
    await start({ concurrent: 1, callsUnproven: 30, callsProven: 30 })
    await queueDeliveries(1, one)
    await queueDeliveries(1, other)
    await platform.settle()
    expect(network.calls).toHaveLength(2)
  })

  it('an inbox of this service is not limited', async () => {
    await start({ concurrent: 1, callsUnproven: 3, callsProven: 3 })
    const { id, url } = await createInbox(stage)
    await queueDeliveries(20, url)
    await platform.finish()
    expect(await delivered()).toBe(20)
    expect((await read(stage, `/inboxes/${id}?limit=100`)).data).toHaveLength(20)
    expect(await countRows('call_targets')).toBe(0)
  })
})

describe('the host of a token endpoint', () => {
  const TOKEN_URL = 'https://id.victim.example/token'
  const isTokenCall = ({ url }: Call) => url === TOKEN_URL
  const tokenCalls = () => network.calls.filter(isTokenCall).length
  const granting = (call: Call) =>
    isTokenCall(call)
      ? Response.json({ access_token: 'granted', token_type: 'Bearer', expires_in: 3600 })
      : new Response('Thank you')

  /** Subscriptions at hosts of their own, which all require a token from one endpoint. */
  async function subscribeMany(count: number, auth: object, urlOf = (index: number) => `https://r${index}.example/`) {
    for (let index = 0; index < count; index++) {
      const subscriber = await createAccount(client)
      await renew(client, subscriber)
      await subscribe(stage, { url: urlOf(index), auth: { clientId: 'c', clientSecret: 's', ...auth } }, subscriber)
    }
    await renew(client, account)
    await createPlanet(client, account, { name: 'Token' })
  }

  it('is not called more often than others, even if it issues no token', async () => {
    await subscribeMany(12, { scheme: 'oAuth2', tokenUrl: TOKEN_URL })
    await platform.finish(SERVER_ERROR)
    expect([tokenCalls(), network.calls.length, network.peak, await waiting()]).toEqual([8, 8, 3, 4])
    // A delivery that waits for a token makes no attempt, and uses no call of its own host.
    expect(await countRows('attempts')).toBe(8)
    expect(await rowOf('select sum(calls) as n from call_targets where host like ?', 'r%')).toEqual({ n: 0 })
    clock.ms += MINUTE_MS + 1000
    await platform.finish(SERVER_ERROR)
    expect([tokenCalls(), await waiting(), await countRows('attempts')]).toEqual([12, 0, 12])
  })

  it('uses no call of the receivers if it issues no token', async () => {
    await subscribeMany(
      8,
      { scheme: 'oAuth2', tokenUrl: 'https://id.failing.example/token' },
      (index) => `${VICTIM}/${index}`,
    )
    await platform.finish(SERVER_ERROR)
    expect(await countRows('attempts')).toBe(8)
    await queueDeliveries(1)
    await platform.finish()
    expect([await delivered(), network.calls.filter(({ url }) => url === VICTIM).length]).toEqual([1, 1])
  })

  it('lets all deliveries arrive once it issues a token', async () => {
    await start({ concurrent: 2, callsUnproven: 3, callsProven: 3 })
    await subscribeMany(12, { scheme: 'oAuth2', tokenUrl: TOKEN_URL })
    await platform.finish(SERVER_ERROR)
    expect([tokenCalls(), await waiting()]).toEqual([3, 9])
    clock.ms += MINUTE_MS + 1000
    await platform.finish(granting)
    expect([await waiting(), await delivered()]).toEqual([0, 9])
    expect(tokenCalls()).toBeLessThanOrEqual(6)
  })

  it('also counts discovery', async () => {
    await start({ concurrent: 6, callsUnproven: 3, callsProven: 5 })
    await subscribeMany(10, { scheme: 'openIdConnect', issuer: 'https://id.victim.example' })
    await platform.finish(SERVER_ERROR)
    expect([network.calls.length, await waiting()]).toEqual([3, 7])
  })

  it('can be that of the receiver: a delivery then makes its calls one after the other', async () => {
    await start({ concurrent: 1, callsUnproven: 3, callsProven: 3 })
    await subscribeMany(1, { scheme: 'oAuth2', tokenUrl: TOKEN_URL }, () => VICTIM)
    await platform.finish(granting)
    expect([network.calls.length, network.peak, await delivered()]).toEqual([2, 1, 1])
    expect(await rowOf('select calls from call_targets')).toEqual({ calls: 2 })
  })

  it('can be that of the receiver, and its minute used up: then the delivery waits for the next', async () => {
    await start({ concurrent: 6, callsUnproven: 3, callsProven: 3 })
    await subscribeMany(1, { scheme: 'oAuth2', tokenUrl: TOKEN_URL }, () => VICTIM)
    const [, , ...rest] = queue.takeDue()
    expect(rest).toEqual([])
    await queueDeliveries(2)
    await platform.finish(SERVER_ERROR)
    expect(network.calls).toHaveLength(2)
    await sweepNow()
    await platform.finish(SERVER_ERROR)
    clock.ms += MINUTE_MS + 1000
    await sweepNow()
    await platform.finish(granting)
    await platform.finish(granting)
    clock.ms += MINUTE_MS + 1000
    await platform.finish(granting)
    expect(await countOf("status = 'delivered' and webhook_id is not null")).toBe(1)
    expect(queue.held.length).toBeLessThan(20)
  })
})

describe('switched off', () => {
  it('nothing is limited, and nothing is counted', async () => {
    await start('off')
    await queueDeliveries(20)
    await platform.settle()
    expect([network.calls.length, network.peak]).toEqual([20, 20])
    await platform.finish()
    expect([await delivered(), await countRows('call_targets')]).toEqual([20, 0])
  })

  it('waiting deliveries continue', async () => {
    await queueDeliveries(20)
    await platform.finish(SERVER_ERROR)
    expect(await waiting()).toBe(12)
    client = createClient({ ...client.services, config: { targetLimits: undefined } })
    platform = new Platform(client.services, queue, network)
    await sweepNow()
    await platform.finish()
    expect([await waiting(), await delivered()]).toEqual([0, 12])
  })
})

describe('the sweep removes hosts', () => {
  it('that are idle without a 2xx, and those with a 2xx after 30 days', async () => {
    await queueDeliveries(1, 'https://proven.example/')
    await platform.finish()
    await queueDeliveries(1)
    await platform.finish(SERVER_ERROR)
    const hosts = async () => {
      await sweepNow()
      const { results } = await env.DB.prepare('select host from call_targets order by host').all<{ host: string }>()
      return results.map(({ host }) => host)
    }
    await env.DB.exec("update deliveries set status = 'cancelled'")
    clock.ms += MINUTE_MS - 1
    expect(await hosts()).toEqual(['proven.example', 'victim.example'])
    clock.ms += 1
    expect(await hosts()).toEqual(['proven.example'])
    clock.ms += 30 * DAY_MS - MINUTE_MS
    expect(await hosts()).toEqual(['proven.example'])
    clock.ms += DAY_MS
    expect(await hosts()).toEqual([])
  })

  it('but not one that is being called', async () => {
    await queueDeliveries(1)
    await platform.settle()
    clock.ms += 30_000
    await env.DB.exec('update call_targets set window_start = 0')
    await sweepNow()
    expect(await countRows('call_targets')).toBe(1)
    clock.ms += 1
    await sweepNow()
    expect(await countRows('call_targets')).toBe(0)
  })
})
