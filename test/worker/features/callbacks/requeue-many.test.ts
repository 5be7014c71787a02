import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { openD1, openSession } from '../../../../src/db/port.ts'
import { requeueDue } from '../../../../src/features/callbacks/requeue.ts'
import { dissolveLines } from '../../../../src/stores/callbacks/call-targets.ts'
import { type Account, type Client, createAccount, createClient } from '../../../support/app.ts'
import { HeldQueue } from '../../../support/callbacks.ts'
import { meterDatabase } from '../../../support/metered-database.ts'
import { emptyOutbox, putDeliveries } from '../../../support/outbox.ts'

// How many deliveries a sweep queues. A universe does not contain more.

const NOW = Date.parse('2026-01-15T12:00:00Z')

let queue: HeldQueue
let client: Client
let account: Account

beforeEach(async () => {
  await emptyOutbox()
  queue = new HeldQueue()
  client = createClient({ callbackQueue: queue, now: () => new Date(NOW) })
  account = await createAccount(client)
})

const requeue = () => requeueDue(openSession(client.services, 'first-primary'), client.services)

describe('a sweep queues deliveries', () => {
  it('up to ten thousand', async () => {
    await putDeliveries(account, 10_001)
    await requeue()
    expect(queue.held).toHaveLength(10_000)
  })

  it('up to 10,000 that waited for limits now switched off, and the rest the next time', async () => {
    await putDeliveries(account, 10_001)
    await env.DB.prepare(
      'update deliveries set waiting_for = host, waiting_since = next_attempt_at, next_attempt_at = null',
    ).run()
    const waiting = 'select count(*) as count from deliveries where waiting_for is not null'
    const { database, meter } = meterDatabase(openD1(env.DB))
    await dissolveLines(openSession({ database, hub: undefined }, 'first-primary'))
    expect(meter.roundTrips).toBe(10)
    expect(await env.DB.prepare(waiting).first('count')).toBe(1)
    await requeue()
    expect(await env.DB.prepare(waiting).first('count')).toBe(0)
    expect(queue.held).toHaveLength(10_000)
  })
})
