import { createMessageBatch } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { handleBatch, handleMessage } from '../../../../src/features/callbacks/consumer.ts'
import { sweep } from '../../../../src/sweep.ts'
import { authorization, createPlanet } from '../../../support/app.ts'
import { drain } from '../../../support/callbacks.ts'
import {
  ask,
  countRows,
  createStage,
  createTold,
  DAY_MS,
  HOUR_MS,
  hmacOf,
  listLog,
  messageHmacOf,
  pass,
  RECEIVER,
  read,
  readOnly,
  SECOND_MS,
  type Stage,
  subscribe,
  sweepAndDrain,
  variantOf,
  whileFailing,
} from './support.ts'

let stage: Stage

beforeEach(async () => {
  stage = await createStage({ config: { retrySeconds: [10, 60] } })
})

afterEach(() => {
  vi.restoreAllMocks()
})

const answerWith = (status: number, headers: HeadersInit = {}, body: BodyInit | null = null) => {
  stage.network.answer = () => new Response(body, { status, headers })
}

/** Milliseconds until the next attempt of the only delivery. */
async function readWait(): Promise<number> {
  const { nextAttemptAt } = await readOnly(stage)
  return Date.parse(nextAttemptAt) - stage.clock.ms
}

/** Advances the time until the only delivery is due, and lets the platform work. */
async function retry(): Promise<void> {
  await pass(stage, await readWait())
  await sweepAndDrain(stage)
}

describe('a receiver’s response', () => {
  it.each([200, 201, 202, 204, 206, 299])('%i accepts, and nothing more is sent', async (status) => {
    answerWith(status)
    const { id } = await createTold(stage)
    const delivery = await readOnly(stage)
    expect(delivery).toMatchObject({
      event: 'planetCreated',
      planetId: id,
      url: RECEIVER,
      status: 'delivered',
      attempts: [{ startedAt: stage.clock.now().toISOString(), durationMs: 0, status, response: '' }],
    })
    expect(delivery.endedAt).toBe(stage.clock.now().toISOString())
    expect(delivery).not.toHaveProperty('nextAttemptAt')
    expect(delivery.attempts[0]).not.toHaveProperty('error')
    await pass(stage, DAY_MS)
    await sweepAndDrain(stage)
    expect(stage.network.calls).toHaveLength(1)
  })

  it.each([300, 301, 302, 303, 304, 307, 308])('%i is not followed, but retried', async (status) => {
    answerWith(status, { Location: 'https://elsewhere.example/' })
    await createTold(stage)
    expect(await readOnly(stage)).toMatchObject({
      status: 'pending',
      attempts: [{ status, error: expect.stringContaining(`the receiver returned ${status}`) }],
    })
    expect(stage.network.calls).toMatchObject([{ url: RECEIVER, redirect: 'manual' }])
    answerWith(200)
    await retry()
    expect(stage.network.calls.map(({ url }) => url)).toEqual([RECEIVER, RECEIVER])
    expect(await readOnly(stage)).toMatchObject({ status: 'delivered' })
  })

  it.each([400, 401, 403, 404, 409, 410, 418, 429, 500, 502, 503, 599])('%i is retried', async (status) => {
    answerWith(status, {}, 'Not today')
    await createTold(stage)
    const delivery = await readOnly(stage)
    expect(delivery).toMatchObject({
      status: 'pending',
      attempts: [{ status, error: `the receiver returned ${status}`, response: 'Not today' }],
    })
    expect(delivery).not.toHaveProperty('endedAt')
    answerWith(200)
    await retry()
    expect(await readOnly(stage)).toMatchObject({ status: 'delivered', attempts: [{ status }, { status: 200 }] })
  })

  it('that does not come is retried, and its logged reason does not show the URL', async () => {
    stage.network.answer = () => {
      throw new TypeError(`connection to ${RECEIVER}?key=s3cr3t refused`)
    }
    await createTold(stage)
    const { status, attempts } = await readOnly(stage)
    expect({ status, attempts }).toMatchObject({
      status: 'pending',
      attempts: [{ error: 'connection to the URL refused' }],
    })
    expect(attempts[0]).not.toHaveProperty('status')
    expect(attempts[0]).not.toHaveProperty('response')
  })

  it('is kept to 4 KiB, and the rest is not awaited', async () => {
    let isCancelled = false
    const endless = () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(new TextEncoder().encode('-'.repeat(1000))),
        cancel: () => {
          isCancelled = true
        },
      })
    stage.network.answer = () => new Response(endless())
    await createTold(stage)
    const { status, attempts } = await readOnly(stage)
    expect(status).toBe('delivered')
    // No signature begins like this. What could be the beginning of one is hidden.
    expect(attempts[0].response).toBe('-'.repeat(4096))
    expect(isCancelled).toBe(true)
  })

  it.each([4095, 4096, 4097])('of %i bytes is kept to 4,096', async (length) => {
    answerWith(200, {}, '-'.repeat(length))
    await createTold(stage)
    expect((await readOnly(stage)).attempts[0].response).toBe('-'.repeat(Math.min(length, 4096)))
  })

  it.each([
    ['bytes that are not text', Uint8Array.of(0xff, 0x00, 0xc3, 0x41), '\ufffd\ufffd\ufffdA'],
    ['control characters', 'a\u0000b\u0001c\u001bd\tz', 'a\ufffdb\ufffdc\ufffdd\tz'],
    ['a character cut by the limit', `${'-'.repeat(4095)}ü`, `${'-'.repeat(4095)}\ufffd`],
  ])('with %s can be read in the log in every format', async (_, body, shown) => {
    answerWith(500, {}, body)
    await createTold(stage)
    const { id, attempts } = await readOnly(stage)
    expect(attempts[0].response).toBe(shown)
    const xml = await stage.client.get(`/deliveries/${id}`, {
      ...authorization(stage.account),
      Accept: 'application/xml',
    })
    expect(xml.status).toBe(200)
    expect(await xml.text()).toContain(`<response>${shown}</response>`)
  })
})

describe('a receiver that is slow', () => {
  let controller: AbortController

  beforeEach(() => {
    controller = new AbortController()
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => controller.signal)
  })

  /** Ends the ten seconds of the call as soon as it has reached a given point. */
  async function deliverUntilTimeout(hasComeSoFar: () => boolean): Promise<void> {
    await createPlanet(stage.client, stage.account, { name: 'Slow', successCallbackUrl: RECEIVER })
    const work = drain(stage.client)
    await vi.waitFor(() => expect(hasComeSoFar()).toBe(true))
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
    await work
  }

  it('gets ten seconds, then is retried', async () => {
    stage.network.answer = (_, signal) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    await deliverUntilTimeout(() => stage.network.calls.length === 1)
    expect(AbortSignal.timeout).toHaveBeenCalledWith(10_000)
    const { status, attempts } = await readOnly(stage)
    expect({ status, attempts }).toMatchObject({
      status: 'pending',
      attempts: [{ error: 'no complete response within 10 seconds' }],
    })
    expect(attempts[0]).not.toHaveProperty('status')
  })

  it('has not accepted with a status alone, if its response never ends', async () => {
    let isWaitedFor = false
    stage.network.answer = (_, signal) => {
      const drip = new ReadableStream({
        start: (stream) => {
          stream.enqueue(new TextEncoder().encode('drip'))
          signal?.addEventListener('abort', () => stream.error(signal.reason))
        },
        // Requested only after the first part has been read.
        pull: () => {
          isWaitedFor = true
        },
      })
      return new Response(drip)
    }
    await deliverUntilTimeout(() => isWaitedFor)
    expect(await readOnly(stage)).toMatchObject({
      status: 'pending',
      attempts: [{ status: 200, error: 'no complete response within 10 seconds' }],
    })
  })

  it('delays no other', async () => {
    const hang = Promise.withResolvers<Response>()
    stage.network.answer = ({ url }) => (url === RECEIVER ? hang.promise : new Response('Prompt'))
    const other = 'https://prompt.example/'
    for (const successCallbackUrl of [RECEIVER, other]) {
      await createPlanet(stage.client, stage.account, { name: 'Beside', successCallbackUrl })
    }
    const messages = stage.queue.held.splice(0).map(({ message }, index) => ({
      id: String(index),
      timestamp: new Date(),
      attempts: 1,
      body: message,
    }))
    const works: Promise<void>[] = []
    handleBatch(
      createMessageBatch('galaxy-callbacks', messages),
      (message) => handleMessage(message, stage.client.services),
      (work) => works.push(work),
    )
    expect(works).toHaveLength(2)
    await works[1]
    expect((await listLog(stage)).map(({ url, status }) => [url, status])).toEqual([
      [RECEIVER, 'pending'],
      [other, 'delivered'],
    ])
    hang.resolve(new Response('At last'))
    await works[0]
    expect(await listLog(stage, '&status=delivered')).toHaveLength(2)
  })
})

describe('the schedule of retries', () => {
  /** Waits between attempts in seconds, for a receiver that never accepts. */
  async function runOut(): Promise<number[]> {
    answerWith(500)
    await createTold(stage)
    const waits: number[] = []
    for (;;) {
      const { status } = await readOnly(stage)
      if (status !== 'pending') return waits
      const wait = await readWait()
      await pass(stage, wait - 1)
      const calls = stage.network.calls.length
      await sweepAndDrain(stage)
      expect(stage.network.calls, 'nothing is sent before its time').toHaveLength(calls)
      await pass(stage, 1)
      await sweepAndDrain(stage)
      expect(stage.network.calls).toHaveLength(calls + 1)
      waits.push(wait / SECOND_MS)
    }
  }

  it('is that of Standard Webhooks by default, give or take a fifth', async () => {
    stage = await createStage()
    const waits = await runOut()
    const schedule = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    expect(waits).toHaveLength(schedule.length)
    for (const [index, wait] of waits.entries()) {
      const seconds = schedule[index] ?? 0
      expect(wait).toBeGreaterThanOrEqual(seconds * 0.8)
      expect(wait).toBeLessThanOrEqual(seconds * 1.2)
    }
    const delivery = await readOnly(stage)
    expect(delivery).toMatchObject({ status: 'failed', endedAt: stage.clock.now().toISOString() })
    expect(delivery).not.toHaveProperty('nextAttemptAt')
    expect(delivery.attempts).toHaveLength(10)
  })

  it('has as many retries as CALLBACK_RETRY_SECONDS lists, then the delivery has failed for good', async () => {
    const waits = await runOut()
    expect(waits).toHaveLength(2)
    await pass(stage, DAY_MS)
    await sweepAndDrain(stage)
    expect(stage.network.calls).toHaveLength(3)
    expect(await readOnly(stage)).toMatchObject({ status: 'failed' })
  })

  it.each([
    [0, 8],
    [0.5, 10],
    [1, 12],
  ])('waits from four fifths to six fifths of the time: random %f, %f seconds', async (random, seconds) => {
    vi.spyOn(Math, 'random').mockReturnValue(random)
    answerWith(500)
    await createTold(stage)
    expect(await readWait()).toBe(seconds * SECOND_MS)
  })

  it('sends the same id and bytes in every attempt, with a new time and a new signature', async () => {
    await runOut()
    const { secret } = await read(stage, '/me/signing-secret')
    const { calls } = stage.network
    expect(calls).toHaveLength(3)
    expect(new Set(calls.map(({ body }) => body)).size).toBe(1)
    expect(new Set(calls.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1)
    expect(new Set(calls.map(({ headers }) => headers.get('webhook-timestamp'))).size).toBe(3)
    for (const { headers, body } of calls) {
      expect(headers.get('x-signature')).toBe(await hmacOf(secret, body))
      const content = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${body}`
      expect(headers.get('webhook-signature')).toBe(`v1,${await messageHmacOf(secret, content)}`)
    }
    const { attempts } = await readOnly(stage)
    expect(attempts.map(({ startedAt }: { startedAt: string }) => Math.floor(Date.parse(startedAt) / 1000))).toEqual(
      calls.map(({ headers }) => Number(headers.get('webhook-timestamp'))),
    )
  })

  it('uses the queue for short waits, to the second, and not for long ones', async () => {
    stage = await createStage({ config: { retrySeconds: [5, 60_000] } })
    answerWith(500)
    await createTold(stage)
    const [held, ...others] = stage.queue.held
    expect(others).toEqual([])
    // One second more, because the two clocks may differ.
    expect(held?.delaySeconds).toBe(Math.ceil((await readWait()) / SECOND_MS) + 1)
    await pass(stage, (held?.delaySeconds ?? 0) * SECOND_MS)
    stage.queue.held.length = 0
    if (held) await handleMessage(held.message, stage.client.services)
    expect(stage.network.calls).toHaveLength(2)
    expect(stage.queue.held).toEqual([])
    expect(await readOnly(stage)).toMatchObject({ status: 'pending' })
  })

  it('continues for a planet that has been deleted in the meantime', async () => {
    answerWith(500)
    const { id } = await createTold(stage)
    await ask(stage, 'DELETE', `/planets/${id}`)
    answerWith(200)
    await retry()
    expect(stage.network.calls[1]?.body).toBe(stage.network.calls[0]?.body)
    expect(await readOnly(stage)).toMatchObject({ status: 'delivered' })
  })
})

describe('Retry-After', () => {
  beforeEach(() => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    stage.clock.ms = Math.floor(stage.clock.ms / SECOND_MS) * SECOND_MS
  })

  const inHttpDate = (seconds: number) => () => new Date(stage.clock.ms + seconds * SECOND_MS).toUTCString()
  const SIX_HOURS = 6 * 60 * 60

  it.each<[string, () => string, number]>([
    ['more seconds than the schedule', () => '30', 30],
    ['fewer seconds than the schedule', () => '9', 10],
    ['zero seconds', () => '0', 10],
    ['six hours', () => String(SIX_HOURS), SIX_HOURS],
    ['more seconds than six hours', () => String(SIX_HOURS + 1), SIX_HOURS],
    ['more digits than a number can have', () => '9'.repeat(400), SIX_HOURS],
    ['a date', inHttpDate(45), 45],
    ['a past date', inHttpDate(-3600), 10],
    ['a date within six hours', inHttpDate(SIX_HOURS), SIX_HOURS],
    ['a date in a year', inHttpDate(365 * 24 * 3600), SIX_HOURS],
    ['a word', () => 'soon', 10],
    ['nothing', () => '', 10],
    ['a negative number', () => '-30', 10],
    ['a fraction', () => '30.5', 10],
    ['an exponent', () => '3e3', 10],
    ['a number with a unit', () => '30s', 10],
    ['two numbers', () => '30, 60', 10],
    ['a date of ISO 8601', () => new Date(stage.clock.ms + 45_000).toISOString(), 10],
    ['a year alone', () => 'Jan 2099', 10],
  ])('of %s', async (_, value, seconds) => {
    answerWith(503, { 'Retry-After': value() })
    await createTold(stage)
    expect(await readWait()).toBe(seconds * SECOND_MS)
  })

  it.each([429, 503, 500, 404])('is honoured with %i', async (status) => {
    answerWith(status, { 'Retry-After': '40' })
    await createTold(stage)
    expect(await readWait()).toBe(40 * SECOND_MS)
  })

  it('adds no retry after the last', async () => {
    answerWith(503, { 'Retry-After': '30' })
    await createTold(stage)
    await retry()
    await retry()
    expect(await readOnly(stage)).toMatchObject({ status: 'failed' })
    expect(stage.network.calls).toHaveLength(3)
  })
})

describe('only one attempt is made at a time', () => {
  it('if a message comes ten times at once', async () => {
    const hang = Promise.withResolvers<Response>()
    stage.network.answer = () => hang.promise
    await createPlanet(stage.client, stage.account, { name: 'Doubled', successCallbackUrl: RECEIVER })
    const [taken] = stage.queue.held.splice(0)
    if (!taken) throw new Error('nothing was queued')
    let idle = 0
    const consumers = Array.from({ length: 10 }, async () => {
      await handleMessage(taken.message, variantOf(stage, {}).services)
      idle++
    })
    // All except the one that is calling find nothing to do.
    await vi.waitFor(() => expect(idle).toBe(9))
    hang.resolve(new Response('Thank you'))
    await Promise.all(consumers)
    await handleMessage(taken.message, stage.client.services)
    expect(stage.network.calls).toHaveLength(1)
    expect((await readOnly(stage)).attempts).toHaveLength(1)
  })

  it('by several sweeps at once', async () => {
    await createPlanet(stage.client, stage.account, { name: 'Swept', successCallbackUrl: RECEIVER })
    await Promise.all([1, 2, 3].map(() => sweep(stage.client.services)))
    await drain(stage.client)
    expect(stage.network.calls).toHaveLength(1)
  })

  it('and one that died without a trace is repeated, after its thirty seconds and not before', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await createPlanet(stage.client, stage.account, { name: 'Crashed', successCallbackUrl: RECEIVER })
    await whileFailing('before insert on attempts', () => drain(stage.client))
    expect(stage.network.calls).toHaveLength(1)
    expect(await countRows('attempts')).toBe(0)
    await pass(stage, 30 * SECOND_MS)
    await sweepAndDrain(stage)
    expect(stage.network.calls).toHaveLength(1)
    await pass(stage, 1)
    await sweepAndDrain(stage)
    expect(stage.network.calls).toHaveLength(2)
    expect(stage.network.calls[1]?.headers.get('webhook-id')).toBe(stage.network.calls[0]?.headers.get('webhook-id'))
    expect(await readOnly(stage)).toMatchObject({ status: 'delivered' })
  })

  it('a database failure stops no consumer, and loses nothing', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await createPlanet(stage.client, stage.account, { name: 'Away', successCallbackUrl: RECEIVER })
    await whileFailing('before update on deliveries', () => drain(stage.client))
    expect(stage.network.calls).toEqual([])
    await sweepAndDrain(stage)
    expect(await readOnly(stage)).toMatchObject({ status: 'delivered' })
  })

  it('a message about an unknown delivery is ignored', async () => {
    await handleMessage({ delivery: 999_999 }, stage.client.services)
    await handleMessage({ event: 999_999 }, stage.client.services)
    expect(stage.network.calls).toEqual([])
  })
})

describe('a delivery that is cancelled', () => {
  /** Pauses a subscription during a call to its receiver, and then lets the receiver respond. */
  async function cancelInFlight(status: number): Promise<void> {
    const hang = Promise.withResolvers<Response>()
    stage.network.answer = () => hang.promise
    const { id } = await subscribe(stage)
    await createPlanet(stage.client, stage.account, { name: 'Stopped' })
    const work = drain(stage.client)
    await vi.waitFor(() => expect(stage.network.calls).toHaveLength(1))
    await stage.client.sendJson('PATCH', `/webhooks/${id}`, { status: 'paused' }, stage.account)
    expect(await readOnly(stage)).toMatchObject({ status: 'cancelled' })
    hang.resolve(new Response(null, { status }))
    await work
    await stage.client.sendJson('PATCH', `/webhooks/${id}`, { status: 'active' }, stage.account)
  }

  it('during its attempt is not retried if that fails', async () => {
    await cancelInFlight(500)
    await pass(stage, HOUR_MS)
    await sweepAndDrain(stage)
    expect(stage.network.calls).toHaveLength(1)
    expect(await readOnly(stage)).toMatchObject({ status: 'cancelled', attempts: [{ status: 500 }] })
  })

  it('during its attempt counts as delivered if that was accepted', async () => {
    await cancelInFlight(200)
    expect(await readOnly(stage)).toMatchObject({ status: 'delivered', attempts: [{ status: 200 }] })
  })

  it('can be redelivered as soon as the attempt in progress has ended', async () => {
    await cancelInFlight(500)
    stage.network.answer = () => new Response()
    const { id } = await readOnly(stage)
    expect((await ask(stage, 'POST', `/deliveries/${id}/redeliver`)).status).toBe(202)
    await drain(stage.client)
    expect(await readOnly(stage)).toMatchObject({ status: 'delivered' })
  })

  it('because its owner was suspended is not sent, not even when the owner is restored', async () => {
    await createPlanet(stage.client, stage.account, { name: 'Suspended', successCallbackUrl: RECEIVER })
    const suspend = (at: number | null) =>
      env.DB.prepare('update users set suspended_at = ? where id = ?').bind(at, stage.account.id).run()
    await suspend(stage.clock.ms)
    await drain(stage.client)
    await suspend(null)
    await pass(stage, HOUR_MS)
    await sweepAndDrain(stage)
    expect(stage.network.calls).toEqual([])
    expect(await readOnly(stage)).toMatchObject({ status: 'cancelled', attempts: [] })
  })
})
