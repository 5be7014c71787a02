import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { sweep } from '../../../../src/sweep.ts'
import { type Account, bodyOf, type Client, createAccount, createClient, createPlanet } from '../../../support/app.ts'
import { drain, FakeNetwork, HeldQueue, noNetwork, rowOf } from '../../../support/callbacks.ts'
import { emptyOutbox, putDeliveries, putDelivery, putEvent, RECEIVER_URL } from '../../../support/outbox.ts'

// What the sweep does for callbacks: it delivers whatever the queue has lost, and removes what ended long ago.

const HOUR_MS = 60 * 60 * 1000
const MINUTE_MS = 60 * 1000
const RETENTION_HOURS = 100

/** A queue that accepts nothing. */
class BrokenQueue extends HeldQueue {
  override async sendBatch(): Promise<QueueSendBatchResponse> {
    throw new Error('Queue is overloaded. Please back off.')
  }
}

let now: number
let network: FakeNetwork
let queue: HeldQueue
let client: Client
let account: Account

function clientWith(callbackQueue: HeldQueue): Client {
  return createClient({
    callbackQueue,
    fetch: network.fetch,
    now: () => new Date(now),
    config: { retentionHours: RETENTION_HOURS, signupsPerHour: 1000 },
  })
}

beforeEach(async () => {
  // The real time, because the triggers of the database use no other clock.
  now = Date.now()
  await emptyOutbox()
  network = new FakeNetwork()
  queue = new HeldQueue()
  client = clientWith(queue)
  account = await createAccount(client)
})

afterEach(() => {
  vi.restoreAllMocks()
})

const sweepNow = () => sweep(client.services)
const takeQueued = () => queue.held.splice(0).map(({ message }) => message)
const count = async (table: string, condition = 'true') =>
  (await rowOf<{ n: number }>(`select count(*) as n from ${table} where ${condition}`))?.n

describe('a due delivery arrives', () => {
  it('even if its message was lost: the sweep queues what is due and free, and nothing else', async () => {
    const due = await putDelivery(account, { nextAttemptAt: now })
    const freed = await putDelivery(account, { nextAttemptAt: now - MINUTE_MS, leasedUntil: now - 1 })
    await putDelivery(account, { nextAttemptAt: now, leasedUntil: now + 1 })
    await putDelivery(account, { nextAttemptAt: now + 1 })
    await putDelivery(account, { status: 'failed', endedAt: now })
    await sweepNow()
    expect(takeQueued()).toEqual([{ delivery: freed }, { delivery: due }])
  })

  it('for a planet whose messages were lost, at its own receiver and at a subscriber', async () => {
    const subscribed = await client.sendJson('POST', '/webhooks', { url: RECEIVER_URL, events: ['newPlanet'] }, account)
    expect(subscribed.status).toBe(201)
    await createPlanet(client, account, { name: 'Lost', successCallbackUrl: `${RECEIVER_URL}/own` })
    takeQueued()
    await sweepNow()
    await drain(client)
    now += MINUTE_MS
    await sweepNow()
    await drain(client)
    expect(network.calls.map(({ url }) => url)).toEqual([`${RECEIVER_URL}/own`, RECEIVER_URL])
  })

  it('with 1,000 others at once', async () => {
    const ids = await putDeliveries(account, 1001)
    await sweepNow()
    expect(takeQueued()).toEqual(ids.map((delivery) => ({ delivery })))
  })

  it('in one attempt, even if two sweeps queue it at the same moment', async () => {
    await putDeliveries(account, 3)
    await Promise.all([sweepNow(), sweepNow()])
    expect(queue.held).toHaveLength(6)
    await drain(client)
    expect(network.calls).toHaveLength(3)
  })

  it('after an attempt that died with its machine, when its lease has ended', async () => {
    const id = await putDelivery(account)
    network.answer = () => {
      throw new Error('Network connection lost.')
    }
    await env.DB.prepare('update deliveries set leased_until = ? where id = ?')
      .bind(now + 30_000, id)
      .run()
    await sweepNow()
    expect(takeQueued()).toEqual([])
    now += 30_001
    await sweepNow()
    expect(takeQueued()).toEqual([{ delivery: id }])
  })
})

describe('with a queue that always fails', () => {
  let warn: MockInstance<typeof console.warn>

  beforeEach(() => {
    warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    client = clientWith(new BrokenQueue())
  })

  it('every callback still arrives: the sweep makes the calls itself', async () => {
    const body = { url: `${RECEIVER_URL}/news`, events: ['newPlanet'] }
    expect((await client.sendJson('POST', '/webhooks', body, account)).status).toBe(201)
    for (const name of ['One', 'Two', 'Three']) {
      await createPlanet(client, account, { name, successCallbackUrl: `${RECEIVER_URL}/${name}` })
    }
    const refused = { name: '', failureCallbackUrl: `${RECEIVER_URL}/refused` }
    expect((await client.sendJson('POST', '/planets', refused, account)).status).toBe(400)
    expect(network.calls).toEqual([])
    for (let minute = 0; minute < 3; minute++) {
      now += MINUTE_MS
      await sweepNow()
    }
    const called = network.calls.map(({ url }) => url.slice(RECEIVER_URL.length)).sort()
    expect(called).toEqual(['/One', '/Three', '/Two', '/news', '/news', '/news', '/refused'])
    expect(await count('deliveries', "status <> 'delivered'")).toBe(0)
    expect(warn).toHaveBeenCalled()
  })

  it('every callback still arrives, even with a new planet each minute', async () => {
    const body = { url: `${RECEIVER_URL}/news`, events: ['newPlanet'] }
    expect((await client.sendJson('POST', '/webhooks', body, account)).status).toBe(201)
    for (let minute = 0; minute < 4; minute++) {
      await createPlanet(client, account, { name: 'Next', successCallbackUrl: `${RECEIVER_URL}/${minute}` })
      now += MINUTE_MS
      await sweepNow()
    }
    const called = network.calls.map(({ url }) => url)
    expect(called).toEqual(expect.arrayContaining([0, 1, 2].map((minute) => `${RECEIVER_URL}/${minute}`)))
    expect(called.filter((url) => url.endsWith('/news')).length).toBeGreaterThanOrEqual(2)
  })

  it('the sweep makes the retries when they are due', async () => {
    network.answer = () => new Response('', { status: 503 })
    const id = await putDelivery(account)
    const attempts: (number | undefined)[] = []
    // Retries after 5 s, 5 min and 30 min, give or take a fifth.
    for (const minutes of [0, 1, 3, 3, 20, 17, 60]) {
      now += minutes * MINUTE_MS
      await sweepNow()
      attempts.push(await count('attempts', `delivery_id = ${id}`))
    }
    expect(attempts).toEqual([1, 2, 2, 3, 3, 4, 4])
  })
})

describe('ended deliveries are kept for RETENTION_HOURS', () => {
  const LIMIT_MS = RETENTION_HOURS * HOUR_MS

  /** A delivery that ended at a given time, with an attempt. */
  async function putEnded(endedAt: number, status: 'delivered' | 'failed' | 'cancelled'): Promise<number> {
    const id = await putDelivery(account, { status, endedAt, createdAt: endedAt })
    await env.DB.prepare('insert into attempts (delivery_id, started_at, duration_ms) values (?, ?, 1)')
      .bind(id, endedAt)
      .run()
    return id
  }

  const counts = async () => [await count('deliveries'), await count('attempts'), await count('events')]

  it.each(['delivered', 'failed', 'cancelled'] as const)(
    'and then removed, with their attempts: %s',
    async (status) => {
      await putEnded(now - LIMIT_MS, status)
      await sweepNow()
      expect(await counts()).toEqual([1, 1, 1])
      now += 1
      await sweepNow()
      expect(await counts()).toEqual([0, 0, 0])
    },
  )

  it('counted from their end, not from their beginning', async () => {
    await putDelivery(account, { status: 'failed', createdAt: now - 2 * LIMIT_MS, endedAt: now - HOUR_MS })
    await sweepNow()
    expect(await counts()).toEqual([1, 0, 1])
  })

  it('but pending ones are never removed, nor their attempts', async () => {
    const id = await putDelivery(account, { nextAttemptAt: now + HOUR_MS, createdAt: 0 })
    await env.DB.prepare('insert into attempts (delivery_id, started_at, duration_ms) values (?, 0, 1)').bind(id).run()
    const paused = await putEvent({ expandedTo: 5, createdAt: 0 })
    now += 100 * LIMIT_MS
    await env.DB.prepare('update deliveries set next_attempt_at = ?')
      .bind(now + 1)
      .run()
    await sweepNow()
    expect(await counts()).toEqual([1, 1, 2])
    expect(takeQueued()).toEqual([{ event: paused }])
  })

  it('an event stays as long as one of its deliveries', async () => {
    const eventId = await putEvent({ createdAt: 0 })
    const old = await putEnded(0, 'delivered')
    const recent = await putDelivery(account, { status: 'delivered', endedAt: now, createdAt: 0 })
    await env.DB.batch([
      env.DB.prepare('update deliveries set event_id = ? where id in (?, ?)').bind(eventId, old, recent),
      env.DB.prepare('delete from events where id <> ?').bind(eventId),
    ])
    await sweepNow()
    expect(await counts()).toEqual([1, 0, 1])
    now += LIMIT_MS + 1
    await sweepNow()
    expect(await counts()).toEqual([0, 0, 0])
  })

  it('an old event without deliveries is removed too', async () => {
    await putEvent({ createdAt: now - LIMIT_MS })
    await sweepNow()
    expect(await count('events')).toBe(1)
    now += 1
    await sweepNow()
    expect(await count('events')).toBe(0)
  })

  it('and all of them are removed, however many there are', async () => {
    await putDeliveries(account, 1001)
    await env.DB.exec("update deliveries set status = 'failed', next_attempt_at = null, ended_at = 0")
    await sweepNow()
    expect(await counts()).toEqual([0, 0, 0])
  })

  it('dead letters too', async () => {
    const insert = "insert into dead_letters (message_id, body, attempts, created_at) values ('m', '{}', 4, ?)"
    await env.DB.prepare(insert)
      .bind(now - LIMIT_MS)
      .run()
    await sweepNow()
    expect(await count('dead_letters')).toBe(1)
    now += 1
    await sweepNow()
    expect(await count('dead_letters')).toBe(0)
  })
})

describe('the end of callbacks about a planet to a receiver', () => {
  const LIMIT_MS = RETENTION_HOURS * HOUR_MS

  const refuse = (planetId: number, endedAt: number | null) =>
    env.DB.prepare('insert into refused_callbacks (planet_id, url, ended_at) values (?, ?, ?)')
      .bind(planetId, RECEIVER_URL, endedAt)
      .run()

  it('is kept as long as the planet exists, and for RETENTION_HOURS after', async () => {
    const { id } = await createPlanet(client, account, { name: 'Quiet' })
    await refuse(id, null)
    now += 10 * LIMIT_MS
    await sweepNow()
    expect(await count('refused_callbacks')).toBe(1)
    await env.DB.prepare('delete from planets where id = ?').bind(id).run()
    now = Date.now() + LIMIT_MS - MINUTE_MS
    await sweepNow()
    expect(await count('refused_callbacks')).toBe(1)
    now = Date.now() + LIMIT_MS + MINUTE_MS
    await sweepNow()
    expect(await count('refused_callbacks')).toBe(0)
  })

  it('is removed then, and not a moment before', async () => {
    await refuse(999_999, now - LIMIT_MS)
    await sweepNow()
    expect(await count('refused_callbacks')).toBe(1)
    now += 1
    await sweepNow()
    expect(await count('refused_callbacks')).toBe(0)
  })
})

describe('an inbox', () => {
  it('is removed after a day, with all its requests, and not a moment before', async () => {
    const { id } = await bodyOf(await client.sendJson('POST', '/inboxes', {}))
    await env.DB.prepare("insert into inbox_requests (inbox_id, received_at, request) values (?, ?, '{}')")
      .bind(id, now)
      .run()
    now += 24 * HOUR_MS
    await sweepNow()
    expect([await count('inboxes'), await count('inbox_requests')]).toEqual([1, 1])
    now += 1
    await sweepNow()
    expect([await count('inboxes'), await count('inbox_requests')]).toEqual([0, 0])
  })
})

describe('the jobs for callbacks', () => {
  it('all run even if one fails, and the log says which', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    await putDelivery(account, { status: 'failed', endedAt: 0 })
    const due = await putDelivery(account)
    const insert = "insert into dead_letters (message_id, body, attempts, created_at) values ('m', '{}', 4, 0)"
    await env.DB.exec(insert)
    await env.DB.exec("create trigger poison before delete on dead_letters begin select raise(abort, 'poisoned'); end")
    await sweepNow().finally(() => env.DB.exec('drop trigger poison'))
    expect(takeQueued()).toEqual([{ delivery: due }])
    expect(await count('deliveries')).toBe(1)
    expect(error.mock.calls.flat()).toEqual([expect.stringMatching(/"sweep-failed".*poisoned/)])
  })

  it('call nobody while the queue accepts what is due', async () => {
    client = createClient({ callbackQueue: queue, fetch: noNetwork, now: () => new Date(now) })
    await putDeliveries(account, 3)
    await sweepNow()
    expect(queue.held).toHaveLength(3)
    expect(await count('attempts')).toBe(0)
  })
})
