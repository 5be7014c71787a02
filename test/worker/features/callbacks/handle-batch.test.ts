import { createExecutionContext, createMessageBatch, getQueueResult } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handleBatch, handleMessage } from '../../../../src/features/callbacks/consumer.ts'
import worker from '../../../../src/index.ts'
import { type Account, type Client, createAccount, createClient } from '../../../support/app.ts'
import { FakeNetwork, rowOf } from '../../../support/callbacks.ts'
import { failingDatabase } from '../../../support/failing-database.ts'
import { emptyOutbox, putDelivery, putEvent, RECEIVER_URL } from '../../../support/outbox.ts'

// What happens to the messages of a batch.

const QUEUE = 'galaxy-callbacks'

let network: FakeNetwork
let client: Client
let account: Account
/** The work that was deferred with waitUntil. */
let works: Promise<void>[]

beforeEach(async () => {
  await emptyOutbox()
  network = new FakeNetwork()
  client = createClient({ fetch: network.fetch })
  account = await createAccount(client)
  works = []
})

afterEach(() => {
  vi.restoreAllMocks()
})

function batchOf(...bodies: unknown[]): MessageBatch<unknown> {
  const messages = bodies.map((body, index) => ({ id: `m${index}`, timestamp: new Date(), attempts: 1, body }))
  return createMessageBatch(QUEUE, messages)
}

/** What the queue learns of a batch before any of its work is done. */
async function handle(batch: MessageBatch, at = client): Promise<{ done: string[]; again: string[] }> {
  handleBatch(
    batch,
    (message) => handleMessage(message, at.services),
    (work) => void works.push(work),
  )
  const { explicitAcks, retryMessages } = await getQueueResult(batch, createExecutionContext())
  return { done: explicitAcks, again: retryMessages.map(({ msgId }) => msgId) }
}

const statusOf = async (id: number) =>
  (await rowOf<{ status: string }>('select status from deliveries where id = ?', id))?.status

describe('a batch', () => {
  it('is acknowledged at once, however long its receivers take', async () => {
    const answers: (() => void)[] = []
    network.answer = () => new Promise((resolve) => answers.push(() => resolve(new Response('late'))))
    const ids = [await putDelivery(account), await putDelivery(account)]
    const batch = batchOf(...ids.map((delivery) => ({ delivery })))
    expect(await handle(batch)).toEqual({ done: ['m0', 'm1'], again: [] })
    expect(works).toHaveLength(2)
    await vi.waitFor(() => expect(answers).toHaveLength(2))
    expect(await Promise.all(ids.map(statusOf))).toEqual(['pending', 'pending'])
    for (const answer of answers) answer()
    await Promise.all(works)
    expect(await Promise.all(ids.map(statusOf))).toEqual(['delivered', 'delivered'])
  })

  it('calls its receivers side by side: a hanging one delays no other', async () => {
    let end = () => {}
    network.answer = ({ url }) =>
      url.endsWith('/slow') ? new Promise((resolve) => (end = () => resolve(new Response()))) : new Response()
    const slow = await putDelivery(account, { url: `${RECEIVER_URL}/slow` })
    const fast = await putDelivery(account)
    await handle(batchOf({ delivery: slow }, { delivery: fast }))
    await works[1]
    expect([await statusOf(slow), await statusOf(fast)]).toEqual(['pending', 'delivered'])
    await vi.waitFor(() => expect(network.calls).toHaveLength(2))
    end()
    await works[0]
    expect(await statusOf(slow)).toBe('delivered')
  })

  it('does all of its work even if one message fails, and logs which', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    const [first, broken, last] = [await putDelivery(account), await putDelivery(account), await putDelivery(account)]
    await env.DB.exec(
      `create trigger poison before update on deliveries when new.id = ${broken} begin select raise(abort, 'poisoned'); end`,
    )
    const batch = batchOf({ delivery: first }, { delivery: broken }, { delivery: last })
    expect(await handle(batch)).toEqual({ done: ['m0', 'm1', 'm2'], again: [] })
    await Promise.all(works).finally(() => env.DB.exec('drop trigger poison'))
    const statuses = await Promise.all([first, broken, last].map(statusOf))
    expect(statuses).toEqual(['delivered', 'pending', 'delivered'])
    expect(error.mock.calls.flat().map((line) => JSON.parse(line))).toEqual([
      {
        event: 'message-failed',
        message: { delivery: broken },
        error: expect.stringContaining('poisoned'),
        stack: expect.anything(),
      },
    ])
  })

  it('makes one attempt, however often it contains a delivery', async () => {
    const delivery = await putDelivery(account)
    await handle(batchOf(...Array.from({ length: 10 }, () => ({ delivery }))))
    await Promise.all(works)
    expect(network.calls).toHaveLength(1)
    expect(await rowOf('select count(*) as n from attempts where delivery_id = ?', delivery)).toEqual({ n: 1 })
  })

  it('treats a deleted delivery as done', async () => {
    expect(await handle(batchOf({ delivery: 999_999 }, { event: 999_999 }))).toEqual({ done: ['m0', 'm1'], again: [] })
    await Promise.all(works)
    expect(network.calls).toEqual([])
  })

  it('expands an event', async () => {
    const event = await putEvent({ expandedTo: 0 })
    await handle(batchOf({ event }))
    await Promise.all(works)
    // It has no subscribers, so the expansion ends the event.
    expect(await rowOf('select 1 from events where id = ?', event)).toBeNull()
  })
})

describe('a failure is logged with', () => {
  const failing = () =>
    createClient({
      fetch: network.fetch,
      database: failingDatabase('D1 is away'),
    })

  it.each([{ delivery: 5 }, { event: 5 }])('the message: %j', async (message) => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    expect(await handle(batchOf(message), failing())).toEqual({ done: ['m0'], again: [] })
    await Promise.all(works)
    const [line, ...others] = error.mock.calls.flat()
    expect(others).toEqual([])
    // Under the same name as in every other line of the log.
    expect(JSON.parse(line)).toMatchObject({ event: 'message-failed', message, error: 'D1 is away' })
  })
})

describe('a message that is not from this service', () => {
  const FOREIGN = [
    null,
    'text',
    7,
    [],
    {},
    { delivery: '1' },
    { delivery: 0 },
    { delivery: -1 },
    { delivery: 1.5 },
    { delivery: 2 ** 53 },
    { delivery: null },
    { delivery: 1, event: 1 },
    { delivery: 1, url: 'https://receiver.example/' },
    { event: '1' },
    { event: 0 },
    { planet: 1 },
  ]

  it.each(FOREIGN)('goes to the dead letters: %j', async (body) => {
    expect(await handle(batchOf(body))).toEqual({ done: [], again: ['m0'] })
    expect(works).toEqual([])
  })

  it('does not affect the others in its batch', async () => {
    const [first, last] = [await putDelivery(account), await putDelivery(account)]
    const batch = batchOf({ delivery: first }, 'junk', { delivery: last })
    expect(await handle(batch)).toEqual({ done: ['m0', 'm2'], again: ['m1'] })
    await Promise.all(works)
    expect([await statusOf(first), await statusOf(last)]).toEqual(['delivered', 'delivered'])
  })
})

describe('the Worker', () => {
  it('handles the batches of the queue, and its work continues after the handler returns', async () => {
    const event = await putEvent({ expandedTo: 0 })
    const batch = batchOf({ event }, 'junk')
    const context = createExecutionContext()
    await worker.queue?.(batch, env, context)
    const { explicitAcks, retryMessages } = await getQueueResult(batch, context)
    expect([explicitAcks, retryMessages.map(({ msgId }) => msgId)]).toEqual([['m0'], ['m1']])
    await vi.waitFor(async () => {
      // It has no subscribers, so the expansion ends the event.
      expect(await rowOf('select 1 from events where id = ?', event)).toBeNull()
    })
    expect(await rowOf('select 1 from dead_letters')).toBeNull()
  })
})
