import { createExecutionContext, createMessageBatch, getQueueResult } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { recordDeadLetters } from '../../../../src/features/callbacks/dead-letters.ts'
import worker from '../../../../src/index.ts'
import { createClient } from '../../../support/app.ts'
import { emptyOutbox } from '../../../support/outbox.ts'

// Messages that the queue gave up on are kept for the operator, and one bad message does not affect the others.

const QUEUE = 'galaxy-callbacks-dead'
const NOW = new Date('2026-01-15T12:00:00Z')
const { services } = createClient({ now: () => NOW })

let error: MockInstance<typeof console.error>

beforeEach(async () => {
  await emptyOutbox()
  error = vi.spyOn(console, 'error').mockImplementation(() => {})
})

afterEach(() => {
  vi.restoreAllMocks()
})

function batchOf(...bodies: unknown[]): MessageBatch<unknown> {
  const messages = bodies.map((body, index) => ({ id: `m${index}`, timestamp: NOW, attempts: 4, body }))
  return createMessageBatch(QUEUE, messages)
}

/** Records a batch as the queue delivers it. @returns The ids that are acknowledged */
async function record(batch: MessageBatch<unknown>): Promise<string[]> {
  await recordDeadLetters(batch, services).catch(() => {})
  return (await getQueueResult(batch, createExecutionContext())).explicitAcks
}

interface Letter {
  message_id: string
  body: string
  attempts: number
  created_at: number
}

const letters = async () =>
  (await env.DB.prepare('select message_id, body, attempts, created_at from dead_letters order by id').all<Letter>())
    .results

const bodies = async () => (await letters()).map(({ body }) => body)

describe('a dead letter', () => {
  it('is recorded with everything that is known about it', async () => {
    expect(await record(batchOf({ delivery: 7 }))).toEqual(['m0'])
    expect(await letters()).toEqual([
      { message_id: 'm0', body: '{"delivery":7}', attempts: 4, created_at: NOW.getTime() },
    ])
  })

  it('is recorded once, however often it arrives', async () => {
    await record(batchOf('first'))
    expect(await record(batchOf('again', 'other'))).toEqual(['m0', 'm1'])
    expect(await bodies()).toEqual(['"first"', '"other"'])
  })

  it('is logged by its id, without its content', async () => {
    await record(batchOf({ delivery: 7, name: 'Arrakis' }, 'Arrakis'))
    expect(error.mock.calls.flat().map((line) => JSON.parse(line))).toEqual([
      { event: 'dead-letter', messageId: 'm0', attempts: 4 },
      { event: 'dead-letter', messageId: 'm1', attempts: 4 },
    ])
  })

  it.each<[string, unknown, string]>([
    ['a text', 'junk', '"junk"'],
    ['a number', 7, '7'],
    ['null', null, 'null'],
    ['nothing', undefined, 'undefined'],
    ['a list', [1, 'a'], '[1,"a"]'],
    ['characters that no valid text contains', '\0\uD800', '"\\u0000\\ud800"'],
    ['a date', NOW, '"2026-01-15T12:00:00.000Z"'],
  ])('can be %s', async (_, body, expected) => {
    expect(await record(batchOf(body))).toEqual(['m0'])
    expect(await bodies()).toEqual([expected])
  })

  it('is kept up to 10,000 characters', async () => {
    await record(batchOf('x'.repeat(9_998), 'x'.repeat(9_999), 'x'.repeat(100_000)))
    const kept = (await bodies()).map((body) => [body.length, body.endsWith('"')])
    expect(kept).toEqual([
      [10_000, true],
      [10_000, false],
      [10_000, false],
    ])
  })

  it('is kept if the limit falls inside a character', async () => {
    expect(await record(batchOf(`x${'🪐'.repeat(10_000)}`, `${'🪐'.repeat(10_000)}`, 'last'))).toEqual([
      'm0',
      'm1',
      'm2',
    ])
    expect(await letters()).toHaveLength(3)
  })
})

describe('one that cannot be stored', () => {
  const circular: unknown[] = []
  circular.push(circular)

  it.each([
    ['a bigint', 7n],
    ['itself', circular],
  ])('because it contains %s does not affect the others', async (_, body) => {
    const done = await record(batchOf('first', body, 'last'))
    expect(done).toEqual(expect.arrayContaining(['m0', 'm2']))
    expect(await bodies()).toEqual(expect.arrayContaining(['"first"', '"last"']))
  })

  it('because the database rejects it does not affect the others, and is retried', async () => {
    await env.DB.exec(
      `create trigger poison before insert on dead_letters when new.message_id = 'm1' begin select raise(abort, 'no'); end`,
    )
    const done = await record(batchOf('first', 'poison', 'last')).finally(() => env.DB.exec('drop trigger poison'))
    expect(done).toEqual(['m0', 'm2'])
    expect(await bodies()).toEqual(['"first"', '"last"'])
  })
})

describe('the Worker', () => {
  it('records the batches of the queue for dead letters', async () => {
    const batch = batchOf('junk')
    const context = createExecutionContext()
    await worker.queue?.(batch, env, context)
    expect((await getQueueResult(batch, context)).explicitAcks).toEqual(['m0'])
    expect(await bodies()).toEqual(['"junk"'])
  })
})
