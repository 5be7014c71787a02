import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { MESSAGES_MAX } from '../../../../src/changes/enqueue.ts'
import { openSession } from '../../../../src/db/port.ts'
import { requeueDue } from '../../../../src/features/callbacks/requeue.ts'
import { type Account, type Client, createAccount, createClient } from '../../../support/app.ts'
import { FakeNetwork, HeldQueue, rowOf } from '../../../support/callbacks.ts'
import { emptyOutbox, putDeliveries, putDelivery, putEvent } from '../../../support/outbox.ts'

// Which due work a sweep finds, and what it does with it.

const NOW = Date.parse('2026-01-15T12:00:00Z')
const GRACE_MS = 10_000

/** A queue that remembers the size of each batch, and rejects batches if the test says so. */
class CountingQueue extends HeldQueue {
  readonly parts: number[] = []
  fails: (part: number) => boolean = () => false

  override async sendBatch(messages: Parameters<HeldQueue['sendBatch']>[0]): Promise<QueueSendBatchResponse> {
    const all = [...messages]
    this.parts.push(all.length)
    if (this.fails(this.parts.length - 1)) throw new Error('Queue is overloaded. Please back off.')
    return await super.sendBatch(all)
  }
}

let queue: CountingQueue
let network: FakeNetwork
let client: Client
let account: Account

beforeEach(async () => {
  await emptyOutbox()
  queue = new CountingQueue()
  network = new FakeNetwork()
  client = createClient({ callbackQueue: queue, fetch: network.fetch, now: () => new Date(NOW) })
  account = await createAccount(client)
})

afterEach(() => {
  vi.restoreAllMocks()
})

const requeue = () => requeueDue(openSession(client.services, 'first-primary'), client.services)
const queued = () => queue.held.map(({ message }) => message)

describe('a sweep queues deliveries', () => {
  it('that are due, to the millisecond, and no others', async () => {
    const due = await putDelivery(account, { nextAttemptAt: NOW })
    await putDelivery(account, { nextAttemptAt: NOW + 1 })
    for (const status of ['delivered', 'failed', 'cancelled'] as const) {
      await putDelivery(account, { status, nextAttemptAt: NOW - 1000 })
    }
    await requeue()
    expect(queued()).toEqual([{ delivery: due }])
  })

  it('without a valid lease: one that has expired does not count', async () => {
    const ended = await putDelivery(account, { leasedUntil: NOW - 1 })
    await putDelivery(account, { leasedUntil: NOW + 1 })
    await putDelivery(account, { leasedUntil: NOW + 30_000 })
    await requeue()
    expect(queued()).toEqual([{ delivery: ended }])
  })

  it('in the order of their waiting time, the longest first', async () => {
    const late = await putDelivery(account, { nextAttemptAt: NOW - 1 })
    const early = await putDelivery(account, { nextAttemptAt: NOW - 2 })
    await requeue()
    expect(queued()).toEqual([{ delivery: early }, { delivery: late }])
  })

  it('at once, without a delay', async () => {
    await putDelivery(account)
    await requeue()
    expect(queue.held.map(({ delaySeconds }) => delaySeconds)).toEqual([0])
  })

  it('all of them, a hundred at a time, each once', async () => {
    const ids = await putDeliveries(account, 1001)
    await requeue()
    expect(queue.parts).toEqual([...Array.from({ length: 10 }, () => MESSAGES_MAX), 1])
    expect(queued()).toEqual(ids.map((delivery) => ({ delivery })))
    expect(network.calls).toEqual([])
  })

  it('all of them, also if they are due at the same moment', async () => {
    const ids = await putDeliveries(account, 201)
    await env.DB.exec('update deliveries set next_attempt_at = 0')
    await requeue()
    expect(queued()).toEqual(ids.map((delivery) => ({ delivery })))
  })

  it('only if some are due, and otherwise leaves the queue alone', async () => {
    await requeue()
    expect(queue.parts).toEqual([])
  })
})

describe('a sweep queues events', () => {
  const old = NOW - GRACE_MS - 1

  it('that have subscribers, once their own message has had its time', async () => {
    const event = await putEvent({ expandedTo: 0, createdAt: old })
    const begun = await putEvent({ expandedTo: 99, createdAt: old })
    await putEvent({ expandedTo: 0, createdAt: NOW - GRACE_MS })
    await putEvent({ expandedTo: 0, createdAt: NOW })
    await putEvent({ expandedTo: null, createdAt: old })
    await requeue()
    expect(queued()).toEqual([{ event }, { event: begun }])
  })

  it('up to a hundred, before any delivery', async () => {
    const delivery = await putDelivery(account)
    const events: number[] = []
    for (let index = 0; index < 101; index++) events.push(await putEvent({ expandedTo: 0 }))
    await requeue()
    expect(queue.parts).toEqual([100, 1])
    expect(queued()).toEqual([...events.slice(0, 100).map((event) => ({ event })), { delivery }])
  })
})

describe('if the queue accepts nothing', () => {
  const statuses = async (status: string) =>
    (await rowOf<{ n: number }>('select count(*) as n from deliveries where status = ?', status))?.n

  let warn: MockInstance<typeof console.warn>

  beforeEach(() => {
    warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  })

  it('the sweep does the work itself', async () => {
    queue.fails = () => true
    await putDeliveries(account, 3)
    const event = await putEvent({ expandedTo: 0 })
    await requeue()
    expect(await statuses('delivered')).toBe(3)
    expect(network.calls).toHaveLength(3)
    // It has no subscribers, so the expansion ends the event.
    expect(await rowOf('select 1 from events where id = ?', event)).toBeNull()
    expect(warn.mock.calls.flat()[0]).toMatch(/^\{"event":"queue-failed","messages":\d,"error":".*overloaded/)
  })

  it('and no more of it than an invocation may: the rest waits for the next', async () => {
    queue.fails = (part) => part === 1
    const ids = await putDeliveries(account, 201)
    await requeue()
    expect(queue.parts).toEqual([100, 100])
    expect(queued()).toEqual(ids.slice(0, 100).map((delivery) => ({ delivery })))
    expect(await statuses('delivered')).toBe(100)
    expect(network.calls).toHaveLength(100)
  })

  it('and a failure does not affect the others', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    queue.fails = () => true
    const [broken = 0] = await putDeliveries(account, 3)
    await env.DB.exec(
      `create trigger poison before update on deliveries when new.id = ${broken} begin select raise(abort, 'poisoned'); end`,
    )
    await requeue().finally(() => env.DB.exec('drop trigger poison'))
    expect(await statuses('delivered')).toBe(2)
    expect(error.mock.calls.flat()).toEqual([expect.stringContaining('poisoned')])
  })

  it('receivers are called side by side, six at a time: more would time out before they are called', async () => {
    queue.fails = () => true
    const answers: (() => void)[] = []
    network.answer = () => new Promise((resolve) => answers.push(() => resolve(new Response())))
    await putDeliveries(account, 8)
    const work = requeue()
    await vi.waitFor(() => expect(answers).toHaveLength(6))
    // Each one that ends makes room for another.
    answers[0]?.()
    await vi.waitFor(() => expect(answers).toHaveLength(7))
    expect(await statuses('delivered')).toBe(1)
    for (const answer of answers) answer()
    await vi.waitFor(() => expect(answers).toHaveLength(8))
    answers[7]?.()
    await work
    expect(await statuses('delivered')).toBe(8)
  })
})
