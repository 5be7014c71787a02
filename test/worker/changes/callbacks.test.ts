import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Call, Change } from '../../../src/changes/change.ts'
import { makeMessageId, type Receiver } from '../../../src/changes/outbox.ts'
import { build } from '../../../src/db/port.ts'
import { planets } from '../../../src/db/tables.ts'
import { EVENT_NAMES } from '../../../src/schemas/events.ts'
import {
  type Account,
  authorization,
  type Client,
  createAccount,
  createClient,
  createPlanet,
} from '../../support/app.ts'
import { HeldQueue, rowOf } from '../../support/callbacks.ts'
import { commitIn } from '../../support/changes.ts'
import { emptyOutbox, RECEIVER_URL } from '../../support/outbox.ts'

// An event is stored in the database together with its cause, or not at all.

const NOW = new Date('2026-01-15T12:00:00.123Z')
const PLANET = { id: 7, name: 'Told', creator: { id: 1 }, lastUpdated: NOW.toISOString() }
const BODY = JSON.stringify(PLANET)
const HAPPENED = { kind: 'planet_exploded', body: PLANET, details: {}, planetId: 7 } as const

let client: Client
let account: Account
let receiver: Receiver
let queue: HeldQueue

beforeEach(async () => {
  await emptyOutbox()
  queue = new HeldQueue()
  client = createClient({ callbackQueue: queue, now: () => NOW })
  account = await createAccount(client)
  receiver = {
    userId: account.id,
    webhookId: null,
    url: RECEIVER_URL,
    origin: 'http://galaxy.test',
    host: 'receiver.example',
  }
})

const change = (call: Partial<Call> = {}, more: Partial<Change> = {}): Change => ({
  statements: [],
  happened: HAPPENED,
  calls: { type: 'planetExploded', receiver, ...call },
  ...more,
})
const call = (one?: Partial<Call>, more?: Partial<Change>) => commitIn(client, change(one, more))
const tell = () => commitIn(client, { statements: [], happened: HAPPENED, announces: 'newPlanet' })

const messages = () => queue.held.map(({ message }) => message)
const count = async (table: string) => (await rowOf<{ n: number }>(`select count(*) as n from ${table}`))?.n
const counts = async () => [await count('events'), await count('deliveries')]

const subscribe = (status = 'active', userId = account.id) =>
  env.DB.prepare(
    `insert into webhooks (user_id, url, events, status, origin, secret, created_at, active_since, canonical_url, host)
      values (?1, ?2, '["newPlanet"]', ?3, 'http://galaxy.test', '', 0, 0, ?2, 'receiver.example')`,
  )
    .bind(userId, RECEIVER_URL, status)
    .run()

describe('one receiver gets', () => {
  it('an event, and a delivery of it that is due at once', async () => {
    const { deliveryId } = await call()
    const event = await rowOf<{ id: number }>('select * from events')
    expect(event).toEqual({
      id: expect.any(Number),
      type: 'planetExploded',
      planet_id: 7,
      body: BODY,
      created_at: NOW.getTime(),
      expanded_to: null,
      live_id: expect.stringMatching(/-7000-/),
    })
    const delivery = await rowOf<{ id: number }>('select * from deliveries')
    expect(delivery).toEqual({
      id: expect.any(Number),
      event_id: event?.id,
      event: 'planetExploded',
      planet_id: 7,
      message_id: expect.stringMatching(/^msg_planetExploded_/),
      user_id: account.id,
      webhook_id: null,
      url: RECEIVER_URL,
      origin: 'http://galaxy.test',
      status: 'pending',
      created_at: NOW.getTime(),
      next_attempt_at: NOW.getTime(),
      leased_until: null,
      retries: 0,
      ended_at: null,
      host: 'receiver.example',
      waiting_for: null,
      waiting_since: null,
    })
    expect(deliveryId).toBe(delivery?.id)
    expect(messages()).toEqual([{ delivery: deliveryId }])
  })

  it('the id of its subscription', async () => {
    await call({ receiver: { ...receiver, webhookId: 12 } })
    expect(await rowOf('select webhook_id from deliveries')).toEqual({ webhook_id: 12 })
  })

  it('its own event, if subscribers get one too', async () => {
    await subscribe()
    await call({}, { announces: 'newPlanet' })
    const { results } = await env.DB.prepare(
      'select type, event from deliveries join events on events.id = event_id',
    ).all()
    expect(results).toEqual([{ type: 'planetExploded', event: 'planetExploded' }])
    expect(await counts()).toEqual([2, 1])
  })

  it('nothing if it wants no more calls about the planet: neither event nor delivery is stored', async () => {
    const refuse = 'insert into refused_callbacks (planet_id, url) values (?, ?)'
    await env.DB.prepare(refuse).bind(7, RECEIVER_URL).run()
    expect(await call()).toMatchObject({ deliveryId: undefined })
    expect(await counts()).toEqual([0, 0])
    await call({ receiver: { ...receiver, url: `${RECEIVER_URL}/` } })
    await call({}, { happened: { ...HAPPENED, planetId: 8 } })
    await commitIn(client, { statements: [], calls: { type: 'ping', receiver, body: '{}' } })
    expect(await counts()).toEqual([3, 3])
  })

  it('nothing if the batch fails: its cause did not happen', async () => {
    const failing = build.insert(planets).select(sql`select null from nowhere`)
    await expect(commitIn(client, { ...change(), statements: [failing] })).rejects.toThrow()
    expect(await counts()).toEqual([0, 0])
    expect(messages()).toEqual([])
  })

  it('the exact text that was given', async () => {
    const text = fc.string({ unit: 'grapheme' })
    await fc.assert(
      fc.asyncProperty(text, async (body) => {
        await call({ body })
        expect(await rowOf('select body from events order by id desc limit 1')).toEqual({ body })
      }),
      { numRuns: 30 },
    )
  })
})

describe('subscribers get', () => {
  it('one event that is still to be expanded, however many they are', async () => {
    for (let index = 0; index < 3; index++) await subscribe()
    await tell()
    const event = await rowOf<{ id: number }>('select * from events')
    expect(event).toMatchObject({ type: 'newPlanet', planet_id: 7, body: BODY, expanded_to: 0 })
    expect(messages()).toEqual([{ event: event?.id }])
    expect(await counts()).toEqual([1, 0])
  })

  it('nothing if none is active', async () => {
    await tell()
    await subscribe('paused')
    await subscribe('disabled')
    await tell()
    expect(await counts()).toEqual([0, 0])
    await subscribe('active')
    await tell()
    expect(await counts()).toEqual([1, 0])
  })
})

describe('no body can imitate the beginning of a message', () => {
  it.each(EVENT_NAMES)(
    'because an id is msg_, the event and 32 digits, without a dot, and is never repeated: %s',
    (event) => {
      const ids = Array.from({ length: 200 }, () => makeMessageId(event))
      expect(new Set(ids).size).toBe(200)
      for (const id of ids) expect(id).toMatch(new RegExp(`^msg_${event}_[0-9a-f]{32}$`))
    },
  )

  it('because every body is an object, whatever a client sends', async () => {
    await subscribe()
    const tricky = 'msg_00000000000000000000000000000000.1700000000.{}'
    const urls = { successCallbackUrl: RECEIVER_URL, failureCallbackUrl: RECEIVER_URL }
    await createPlanet(client, account, { name: tricky, description: tricky, tags: [tricky], ...urls })
    await client.sendJson('POST', '/planets', { [tricky]: tricky, ...urls }, account)
    await client.sendJson('POST', '/planets', `\uFEFF \n${JSON.stringify({ name: 7, ...urls })}`, account)
    await client.send('/planets', {
      method: 'POST',
      body: `<${'msg_0.1.'}><type>${tricky}</type><failureCallbackUrl>${RECEIVER_URL}</failureCallbackUrl></msg_0.1.>`,
      headers: { 'Content-Type': 'application/xml', ...authorization(account) },
    })
    for (const body of [[urls], tricky, 7]) await client.sendJson('POST', '/planets', JSON.stringify(body), account)
    const { id } = await createPlanet(client, account, { name: 'Doomed', ...urls })
    await client.sendJson('POST', `/planets/${id}/explode`, '', account)
    const hook = await rowOf<{ id: number }>('select id from webhooks')
    await client.sendJson('POST', `/webhooks/${hook?.id}/ping`, '', account)
    const { results } = await env.DB.prepare('select type, body from events').all<{ type: string; body: string }>()
    expect(new Set(results.map(({ type }) => type))).toEqual(
      new Set(['planetCreated', 'planetCreationFailed', 'planetExploded', 'newPlanet', 'ping']),
    )
    for (const { body } of results) expect(body).toMatch(/^\{"/)
    expect(results.filter(({ type }) => type === 'planetCreationFailed')).toHaveLength(3)
  })
})
