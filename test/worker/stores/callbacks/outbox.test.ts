import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Database, openSession } from '../../../../src/db/client.ts'
import { planets } from '../../../../src/db/tables.ts'
import { EVENT_NAMES } from '../../../../src/schemas/events.ts'
import {
  insertEventFor,
  insertEventForSubscribers,
  isCallbackWanted,
  makeMessageId,
  type Receiver,
} from '../../../../src/stores/callbacks/outbox.ts'
import { fillTemplate, newestPlanet, type PlanetTemplate } from '../../../../src/stores/callbacks/planet-template.ts'
import {
  type Account,
  authorization,
  type Client,
  createAccount,
  createClient,
  createPlanet,
} from '../../../support/app.ts'
import { rowOf } from '../../../support/callbacks.ts'
import { emptyOutbox, RECEIVER_URL } from '../../../support/outbox.ts'

// An event is stored in the database together with its cause, or not at all.

const NOW = new Date('2026-01-15T12:00:00.123Z')
const EVENT = { type: 'planetExploded', planetId: 7, body: '{"id":7}', liveId: null } as const

let db: Database
let client: Client
let account: Account
let receiver: Receiver

beforeEach(async () => {
  await emptyOutbox()
  db = openSession(env.DB, 'first-primary').db
  client = createClient()
  account = await createAccount(client)
  receiver = {
    userId: account.id,
    webhookId: null,
    url: RECEIVER_URL,
    origin: 'http://galaxy.test',
    host: 'receiver.example',
  }
})

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
    const [, told] = await db.batch([...insertEventFor(db, EVENT, receiver, NOW)])
    const event = await rowOf<{ id: number }>('select * from events')
    expect(event).toEqual({
      id: expect.any(Number),
      type: 'planetExploded',
      planet_id: 7,
      body: '{"id":7}',
      created_at: NOW.getTime(),
      expanded_to: null,
      live_id: null,
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
    expect(told).toEqual([{ delivery: delivery?.id }])
  })

  it('the id of its subscription', async () => {
    await db.batch([...insertEventFor(db, EVENT, { ...receiver, webhookId: 12 }, NOW)])
    expect(await rowOf('select webhook_id from deliveries')).toEqual({ webhook_id: 12 })
  })

  it('its own event, if two events are in one batch', async () => {
    const other = { ...receiver, url: `${RECEIVER_URL}/other` }
    await db.batch([
      ...insertEventFor(db, EVENT, receiver, NOW),
      ...insertEventFor(db, { ...EVENT, body: '{}' }, other, NOW),
    ])
    const { results } = await env.DB.prepare(
      'select url, body from deliveries join events on events.id = event_id order by deliveries.id',
    ).all()
    expect(results).toEqual([
      { url: RECEIVER_URL, body: '{"id":7}' },
      { url: `${RECEIVER_URL}/other`, body: '{}' },
    ])
  })

  it('nothing if there is no receiver', async () => {
    const [, told] = await db.batch([...insertEventFor(db, EVENT, undefined, NOW)])
    expect(told).toEqual([])
    expect(await counts()).toEqual([0, 0])
  })

  it('nothing if the condition is false: neither event nor delivery is stored', async () => {
    const [, told] = await db.batch([...insertEventFor(db, EVENT, receiver, NOW, sql`1 = 2`)])
    expect(told).toEqual([])
    expect(await counts()).toEqual([0, 0])
    await db.batch([...insertEventFor(db, EVENT, receiver, NOW, sql`1 = 1`)])
    expect(await counts()).toEqual([1, 1])
    await db.batch([...insertEventFor(db, EVENT, undefined, NOW, sql`1 = 1`)])
    expect(await counts()).toEqual([1, 1])
  })

  it('nothing if the batch fails: its cause did not happen', async () => {
    const failing = db.insert(planets).select(sql`select null from nowhere`)
    await expect(db.batch([...insertEventFor(db, EVENT, receiver, NOW), failing])).rejects.toThrow()
    expect(await counts()).toEqual([0, 0])
  })

  it('the exact text that was given', async () => {
    const text = fc.string({ unit: 'grapheme' })
    await fc.assert(
      fc.asyncProperty(text, async (body) => {
        await db.batch([...insertEventFor(db, { ...EVENT, body }, receiver, NOW)])
        expect(await rowOf('select body from events order by id desc limit 1')).toEqual({ body })
      }),
      { numRuns: 30 },
    )
  })
})

describe('subscribers get', () => {
  it('one event that is still to be expanded, however many they are', async () => {
    for (let index = 0; index < 3; index++) await subscribe()
    const [told] = await db.batch([insertEventForSubscribers(db, { ...EVENT, type: 'newPlanet' }, NOW.getTime())])
    const event = await rowOf<{ id: number }>('select * from events')
    expect(event).toMatchObject({ type: 'newPlanet', planet_id: 7, body: '{"id":7}', expanded_to: 0 })
    expect(told).toEqual([{ event: event?.id }])
    expect(await counts()).toEqual([1, 0])
  })

  it('nothing if none is active', async () => {
    const tell = () => db.batch([insertEventForSubscribers(db, { ...EVENT, type: 'newPlanet' }, NOW.getTime())])
    expect(await tell()).toEqual([[]])
    await subscribe('paused')
    await subscribe('disabled')
    expect(await tell()).toEqual([[]])
    expect(await counts()).toEqual([0, 0])
    await subscribe('active')
    await tell()
    expect(await counts()).toEqual([1, 0])
  })
})

describe('the ids in a body', () => {
  const fill = async (template: PlanetTemplate) =>
    (await db.all<{ body: string }>(sql`select ${fillTemplate(JSON.stringify(template))} as body`))[0]?.body

  it('are those that the database assigned: of the newest planet, and of its satellites by position', async () => {
    await createPlanet(client, account, { name: 'Before', satellites: [{ name: 'Old' }] })
    const satellites = [{ name: 'First' }, { name: 'Second' }]
    const planet = await createPlanet(client, account, { name: 'Newest', satellites })
    const [first, second] = planet.satellites.map(({ id }: { id: number }) => id)
    expect(await fill(['{"id":', null, ',"satellites":[', 1, ',', 0, ']}'])).toBe(
      `{"id":${planet.id},"satellites":[${second},${first}]}`,
    )
    expect(await db.all(sql`select ${newestPlanet} as id`)).toEqual([{ id: planet.id }])
  })

  it('keep the text between them unchanged, in its order, however many pieces there are', async () => {
    const { id } = await createPlanet(client, account, { name: 'Newest' })
    const pieces = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constant(null)), {
      minLength: 1,
      maxLength: 30,
    })
    await fc.assert(
      fc.asyncProperty(pieces, async (template) => {
        expect(await fill(template)).toBe(template.map((piece) => piece ?? id).join(''))
      }),
      { numRuns: 50 },
    )
  })

  it('are not searched for in the text: text that looks like a number or a placeholder stays', async () => {
    await createPlanet(client, account, { name: 'Newest' })
    expect(await fill(['0', 'null', '', '1e3', '007', 'true'])).toBe('0null1e3007true')
  })
})

describe('a receiver gets callbacks', () => {
  const welcome = async (planetId: number, url: string) =>
    (await db.all<{ is: number }>(sql`select ${isCallbackWanted(planetId, url)} as "is"`))[0]?.is === 1

  it('until it ends those of a planet, and then still those of others', async () => {
    expect(await welcome(7, RECEIVER_URL)).toBe(true)
    await env.DB.prepare('insert into refused_callbacks (planet_id, url) values (7, ?)').bind(RECEIVER_URL).run()
    expect(await welcome(7, RECEIVER_URL)).toBe(false)
    expect(await welcome(8, RECEIVER_URL)).toBe(true)
    expect(await welcome(7, `${RECEIVER_URL}/`)).toBe(true)
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
