import { env } from 'cloudflare:workers'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PURPOSES } from '../../../../src/auth/purposes.ts'
import { openD1 } from '../../../../src/db/port.ts'
import { handleMessage } from '../../../../src/features/callbacks/consumer.ts'
import type { QueueMessage } from '../../../../src/schemas/queue-message.ts'
import {
  type Account,
  authorization,
  bodyOf,
  createAccount,
  createPlanet,
  ORIGIN,
  urlOf,
} from '../../../support/app.ts'
import { drain } from '../../../support/callbacks.ts'
import { meterDatabase } from '../../../support/metered-database.ts'
import {
  ask,
  countRows,
  createInbox,
  createStage,
  dumpDatabase,
  HOUR_MS,
  headersOf,
  hmacOf,
  listLog,
  MINUTE_MS,
  pass,
  read,
  readOnly,
  SECOND_MS,
  type Stage,
  subscribe,
  sweepAndDrain,
  variantOf,
} from './support.ts'

const HOOK = 'https://subscriber.example/hook'

let stage: Stage

beforeEach(async () => {
  stage = await createStage()
})

afterEach(() => {
  vi.restoreAllMocks()
})

const patch = async (id: number, members: object, by: Account = stage.account) =>
  await stage.client.sendJson('PATCH', `/webhooks/${id}`, members, by)

const makePlanet = async (members: object = {}) =>
  await createPlanet(stage.client, stage.account, { name: 'News', ...members })

const answerWith = (status: number) => {
  stage.network.answer = () => new Response(null, { status })
}

describe('a subscription', () => {
  it('is shown as it was created, with its secret only once', async () => {
    const response = await stage.client.sendJson(
      'POST',
      '/webhooks',
      { url: HOOK, events: ['newPlanet'], auth: { scheme: 'bearerAuth', token: 's3cr3t' } },
      stage.account,
    )
    expect(response.status).toBe(201)
    const { secret, ...shown } = await bodyOf(response)
    expect(response.headers.get('Location')).toBe(`${ORIGIN}/webhooks/${shown.id}`)
    expect(shown).toEqual({
      id: shown.id,
      url: HOOK,
      events: ['newPlanet'],
      status: 'active',
      signing: 'v1',
      auth: { scheme: 'bearerAuth' },
      createdAt: stage.clock.now().toISOString(),
    })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(await read(stage, `/webhooks/${shown.id}`)).toEqual(shown)
    expect((await read(stage, '/webhooks')).data).toEqual([shown])
    expect(await bodyOf(await patch(shown.id, {}))).toEqual(shown)
  })

  it('can sign with a private key, of which the other half is always shown, and no secret', async () => {
    const { id, publicKey, ...created } = await subscribe(stage, { signing: 'v1a' })
    expect(publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/)
    expect(created).not.toHaveProperty('secret')
    expect(await read(stage, `/webhooks/${id}`)).toEqual({ id, publicKey, ...created })
    expect(created.signing).toBe('v1a')
    const { publicKey: other } = await subscribe(stage, { signing: 'v1a', url: `${HOOK}/2` })
    expect(other).not.toBe(publicKey)
    const xml = await stage.client.get(`/webhooks/${id}`, {
      ...authorization(stage.account),
      Accept: 'application/xml',
    })
    expect(await xml.text()).toContain(`<signing>v1a</signing><publicKey>${publicKey}</publicKey>`)
    await makePlanet()
    await drain(stage.client)
    const call = stage.network.to(HOOK)[0]
    if (!call) throw new Error('the subscription was called')
    const { 'webhook-id': messageId, 'webhook-timestamp': time, 'webhook-signature': signature } = headersOf(call)
    expect(signature).toMatch(/^v1a,[\w+/]{86}==$/)
    expect(call.headers.has('x-signature')).toBe(false)
    const key = await crypto.subtle.importKey('raw', Uint8Array.fromBase64(publicKey.slice(5)), 'Ed25519', false, [
      'verify',
    ])
    const content = new TextEncoder().encode(`${messageId}.${time}.${call.body}`)
    const bytes = Uint8Array.fromBase64(signature?.slice(4) ?? '')
    expect(await crypto.subtle.verify('Ed25519', key, bytes, content)).toBe(true)
    expect(await dumpDatabase()).not.toContain('whsk_')
  })

  it('has one key for life', async () => {
    const { id } = await subscribe(stage)
    const response = await patch(id, { signing: 'v1a' })
    expect([response.status, (await bodyOf(response)).errors[0].pointer]).toEqual([400, '/signing'])
    const unknown = await stage.client.sendJson(
      'POST',
      '/webhooks',
      { url: HOOK, events: ['newPlanet'], signing: 'v2' },
      stage.account,
    )
    expect([unknown.status, (await bodyOf(unknown)).errors[0].pointer]).toEqual([400, '/signing'])
  })

  it('belongs to its creator: for others it is 404', async () => {
    const { id } = await subscribe(stage)
    const other = await createAccount(stage.client, 'Eve')
    for (const [method, path] of [
      ['GET', `/webhooks/${id}`],
      ['DELETE', `/webhooks/${id}`],
      ['POST', `/webhooks/${id}/ping`],
    ] as const) {
      expect((await ask(stage, method, path, other)).status, method).toBe(404)
    }
    expect((await patch(id, { status: 'paused' }, other)).status).toBe(404)
    expect((await patch(id, {}, other)).status).toBe(404)
    expect((await read(stage, '/webhooks', other)).data).toEqual([])
    expect(await read(stage, `/webhooks/${id}`)).toMatchObject({ status: 'active' })
    await drain(stage.client)
    expect(stage.network.calls).toEqual([])
  })

  it('is one of at most ten of its account, whatever other accounts have', async () => {
    for (let count = 1; count <= 10; count++) await subscribe(stage, { url: `${HOOK}/${count}` })
    const eleventh = await stage.client.sendJson(
      'POST',
      '/webhooks',
      { url: HOOK, events: ['newPlanet'] },
      stage.account,
    )
    expect(eleventh.status).toBe(409)
    const { data, meta } = await read(stage, '/webhooks?limit=100')
    expect([data.length, meta.total]).toEqual([10, 10])
    await subscribe(stage, {}, await createAccount(stage.client, 'Eve'))
    await ask(stage, 'DELETE', `/webhooks/${data[3].id}`)
    await subscribe(stage)
    expect(await countRows('webhooks')).toBe(11)
  })

  it('is one of ten, even if fifteen are created at once', async () => {
    const inputs = Array.from({ length: 15 }, (_, index) => ({ url: `${HOOK}/${index}`, events: ['newPlanet'] }))
    const responses = await Promise.all(
      inputs.map((input) => stage.client.sendJson('POST', '/webhooks', input, stage.account)),
    )
    const statuses = responses.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(10).fill(201), ...Array(5).fill(409)])
    expect(await countRows('webhooks')).toBe(10)
  })

  const SECRETS = { clientId: 'galaxy', clientSecret: 's3cr3t' }
  it.each<[string, object, string]>([
    ['an unknown member', { colour: 'red' }, ''],
    ['no events', { events: [] }, '/events'],
    ['an event without subscriptions', { events: ['planetCreated'] }, '/events/0'],
    ['an event twice', { events: ['newPlanet', 'newPlanet'] }, '/events'],
    ['an invalid URL', { url: 'subscriber' }, '/url'],
    ['a private address', { url: 'http://10.1.2.3/hook' }, '/url'],
    ['an address of the service', { url: `${ORIGIN}/planets` }, '/url'],
    ['a status', { status: 'paused' }, ''],
    ['an unknown scheme', { auth: { scheme: 'mutualTLS' } }, '/auth/scheme'],
    ['a member of another scheme', { auth: { scheme: 'bearerAuth', token: 'a', key: 'b' } }, '/auth'],
    ['a colon in a user name', { auth: { scheme: 'basicAuth', username: 'a:b', password: 'c' } }, '/auth/username'],
    ['a line break in a token', { auth: { scheme: 'bearerAuth', token: 'a\r\nX: b' } }, '/auth/token'],
    ['a header of the service', { auth: { scheme: 'apiKeyHeader', name: 'webhook-id', key: 'a' } }, '/auth/name'],
    // The local runtime takes the URL of a request from this header.
    ['a header of the runtime', { auth: { scheme: 'apiKeyHeader', name: 'MF-Original-URL', key: 'a' } }, '/auth/name'],
    ['an invalid header name', { auth: { scheme: 'apiKeyHeader', name: 'a b', key: 'a' } }, '/auth/name'],
    ['a cookie with a separator', { auth: { scheme: 'apiKeyCookie', key: 'a; b=c' } }, '/auth/key'],
    [
      'a private token endpoint',
      { auth: { scheme: 'oAuth2', tokenUrl: 'http://localhost/token', ...SECRETS } },
      '/auth/tokenUrl',
    ],
    ['a private issuer', { auth: { scheme: 'openIdConnect', issuer: 'http://[fd00::1]', ...SECRETS } }, '/auth/issuer'],
  ])('with %s is rejected, when it is created and when it is changed', async (what, members, pointer) => {
    const made = await stage.client.sendJson(
      'POST',
      '/webhooks',
      { url: HOOK, events: ['newPlanet'], ...members },
      stage.account,
    )
    expect(made.status).toBe(400)
    expect((await bodyOf(made)).errors).toEqual([expect.objectContaining({ pointer: expect.stringMatching(pointer) })])
    expect(await countRows('webhooks')).toBe(0)
    if (what === 'a status') return
    const { id } = await subscribe(stage)
    expect((await patch(id, members)).status).toBe(400)
    expect(await read(stage, `/webhooks/${id}`)).toMatchObject({ url: HOOK, status: 'active' })
  })

  it('can be changed in each of its members, and the rest stays', async () => {
    const made = await subscribe(stage, { auth: { scheme: 'bearerAuth', token: 'first' } })
    const { secret, ...shown } = made
    const path = `/webhooks/${made.id}`
    const expectNow = async (response: Response, members: object) => {
      expect(response.status).toBe(200)
      Object.assign(shown, members)
      expect(await bodyOf(response)).toEqual(shown)
      expect(await read(stage, path)).toEqual(shown)
    }
    const url = 'https://moved.example/hook'
    const auth = { scheme: 'bearerAuth', token: 'second' }
    await expectNow(await patch(made.id, { url, auth }), { url })
    await expectNow(await patch(made.id, { events: ['newPlanet'] }), {})
    await expectNow(await patch(made.id, { auth: { scheme: 'apiKeyQuery', key: 'second' } }), {
      auth: { scheme: 'apiKeyQuery' },
    })
    await expectNow(await patch(made.id, { status: 'paused' }), { status: 'paused' })
    await expectNow(await patch(made.id, { status: 'active' }), { status: 'active' })
    const withoutAuth = await patch(made.id, { auth: null })
    delete shown.auth
    await expectNow(withoutAuth, {})
    await makePlanet()
    await drain(stage.client)
    const [call] = stage.network.to(url)
    expect(call?.headers.get('x-signature')).toBe(await hmacOf(secret, call?.body ?? ''))
  })

  it('does not take its credentials along to another origin, unless they are sent again', async () => {
    const { id } = await subscribe(stage, { auth: { scheme: 'bearerAuth', token: 'for-the-first-only' } })
    const moved = await patch(id, { url: 'https://elsewhere.example/hook' })
    expect(moved.status).toBe(400)
    expect((await bodyOf(moved)).errors).toMatchObject([{ pointer: '/auth' }])
    expect(await read(stage, `/webhooks/${id}`)).toMatchObject({ url: HOOK })
    expect((await patch(id, { url: `${HOOK}/second` })).status).toBe(200)
    expect((await patch(id, { url: 'https://elsewhere.example/hook', auth: null })).status).toBe(200)
    await makePlanet()
    await drain(stage.client)
    expect(stage.network.calls.map(({ url, headers }) => [url, headers.get('Authorization')])).toEqual([
      ['https://elsewhere.example/hook', null],
    ])
  })

  it('cannot be disabled by its owner, who can pause it', async () => {
    const { id } = await subscribe(stage)
    expect((await patch(id, { status: 'disabled' })).status).toBe(400)
    expect((await patch(id, { secret: 'whsec_mine' })).status).toBe(400)
  })

  it('is gone after its deletion', async () => {
    const { id } = await subscribe(stage)
    expect((await ask(stage, 'DELETE', `/webhooks/${id}`)).status).toBe(204)
    expect((await ask(stage, 'GET', `/webhooks/${id}`)).status).toBe(404)
    expect((await ask(stage, 'DELETE', `/webhooks/${id}`)).status).toBe(404)
    await makePlanet()
    await drain(stage.client)
    expect(stage.network.calls).toEqual([])
  })
})

describe('newPlanet', () => {
  it('is sent to every subscriber for every planet, in the bytes of GET, signed with the secret of the subscription', async () => {
    const other = await createAccount(stage.client, 'Eve')
    const hooks = [
      await subscribe(stage, { url: 'https://one.example/' }),
      await subscribe(stage, { url: 'https://two.example/' }),
      await subscribe(stage, { url: 'https://three.example/' }, other),
    ]
    const { id } = await makePlanet({ name: 'Ünïcødé', satellites: [{ name: 'Moon', orbit: {} }] })
    await drain(stage.client)
    const body = await (await stage.client.get(`/planets/${id}`)).text()
    expect(stage.network.calls).toHaveLength(3)
    for (const { url, secret } of hooks) {
      const [call] = stage.network.to(url)
      if (!call) throw new Error(`${url} was not called`)
      expect(call.body).toBe(body)
      expect(call.headers.get('x-galaxy-event')).toBe('newPlanet')
      expect(call.headers.get('x-signature')).toBe(await hmacOf(secret, body))
      expect(new Webhook(secret).verify(body, headersOf(call))).toMatchObject({ id })
    }
    expect(new Set(stage.network.calls.map(({ headers }) => headers.get('webhook-id'))).size).toBe(3)
    expect(await listLog(stage, '', other)).toMatchObject([
      { event: 'newPlanet', planetId: id, webhookId: hooks[2].id, status: 'delivered' },
    ])
  })

  it('is not sent to a subscription that is newer than the planet', async () => {
    await subscribe(stage, { url: 'https://early.example/' })
    await makePlanet()
    stage.clock.ms += 1
    await subscribe(stage, { url: 'https://late.example/' })
    await drain(stage.client)
    expect(stage.network.calls.map(({ url }) => url)).toEqual(['https://early.example/'])
  })

  it('is not sent to a subscription that was paused when the planet was created, even if it is resumed at once', async () => {
    await subscribe(stage, { url: 'https://active.example/' })
    const { id } = await subscribe(stage, { url: 'https://paused.example/' })
    await patch(id, { status: 'paused' })
    await makePlanet({ name: 'Missed' })
    stage.clock.ms += SECOND_MS
    await patch(id, { status: 'active' })
    await drain(stage.client)
    expect(stage.network.to('https://paused.example/')).toEqual([])
    await makePlanet({ name: 'Heard' })
    await drain(stage.client)
    expect(stage.network.to('https://paused.example/').map(({ body }) => JSON.parse(body).name)).toEqual(['Heard'])
  })

  it('is not sent to a paused subscription', async () => {
    await subscribe(stage, { url: 'https://active.example/' })
    const { id } = await subscribe(stage)
    await patch(id, { status: 'paused' })
    await makePlanet()
    await drain(stage.client)
    expect(stage.network.to(HOOK)).toEqual([])
    expect(await listLog(stage)).toHaveLength(1)
  })

  it('is not sent to a suspended user', async () => {
    const other = await createAccount(stage.client, 'Eve')
    await subscribe(stage, {}, other)
    await env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(other.id).run()
    await makePlanet()
    await drain(stage.client)
    expect(stage.network.calls).toEqual([])
    expect(await countRows('deliveries')).toBe(0)
  })

  it('reaches the remaining subscribers even if a message about them was lost', async () => {
    await subscribe(stage)
    const { id } = await makePlanet()
    stage.queue.held.length = 0
    await pass(stage, MINUTE_MS)
    await sweepAndDrain(stage)
    expect(stage.network.to(HOOK).map(({ body }) => JSON.parse(body).id)).toEqual([id])
  })

  it('costs a creation the same statements and one event, however many subscribers exist', async () => {
    const cost = async () => {
      const { database, meter } = meterDatabase(openD1(env.DB))
      const before = [await countRows('events'), await countRows('deliveries')]
      const client = variantOf(stage, { database })
      await createPlanet(client, stage.account, { name: 'Costly' })
      const after = [await countRows('events'), await countRows('deliveries')]
      return { statements: meter.statements, rows: after.map((count, index) => count - (before[index] ?? 0)) }
    }
    const alone = await cost()
    await insertSubscriptions(1)
    const one = await cost()
    await insertSubscriptions(249)
    const many = await cost()
    expect(one.statements).toEqual(alone.statements)
    expect(many.statements).toEqual(alone.statements)
    expect([alone.rows, one.rows, many.rows]).toEqual([
      [0, 0],
      [1, 0],
      [1, 0],
    ])
  })

  it('reaches 250 subscribers of 30 users once each, in steps that fit the queue, with every message doubled', async () => {
    await insertSubscriptions(250)
    const { id } = await makePlanet()
    const twice = async (messages: readonly QueueMessage[]) => {
      const { services } = stage.client
      await Promise.all([...messages, ...messages].map((message) => handleMessage(message, services)))
    }
    const told = new Set<number>()
    for (;;) {
      const taken = stage.queue.held.splice(0).map(({ message }) => message)
      if (taken.length === 0) break
      for (const message of taken) if ('delivery' in message) told.add(message.delivery)
      await twice(taken.filter((message) => 'event' in message))
    }
    expect(told.size).toBe(250)
    expect(await countRows('deliveries')).toBe(250)
    expect(await countRows('(select distinct webhook_id from deliveries)')).toBe(250)
    expect(await countRows('(select distinct user_id from deliveries)')).toBe(30)
    expect(await countRows('(select distinct message_id from deliveries)')).toBe(250)
    expect(Math.max(...stage.queue.batches)).toBeLessThanOrEqual(100)
    // A sample of the calls suffices: each takes its time, and none depends on the number.
    const sample = [...told].filter((_, index) => index % 12 === 0).map((delivery) => ({ delivery }))
    await twice(sample)
    expect(stage.network.calls).toHaveLength(sample.length)
    expect(new Set(stage.network.calls.map(({ url }) => url)).size).toBe(sample.length)
    expect(stage.network.calls.map(({ body }) => JSON.parse(body).id)).toEqual(sample.map(() => id))
  })

  it.each([98, 99, 100, 198])('reaches all of %i subscribers, at the limits of the steps', async (count) => {
    await insertSubscriptions(count)
    await makePlanet()
    const steps: number[] = []
    for (;;) {
      const [event] = stage.queue.held.splice(0).filter(({ message }) => 'event' in message)
      if (!event) break
      await handleMessage(event.message, stage.client.services)
      steps.push(await countRows('deliveries'))
    }
    expect(steps.at(-1)).toBe(count)
    expect(steps[0]).toBeLessThanOrEqual(100)
    expect(await countRows('(select distinct webhook_id from deliveries)')).toBe(count)
  })

  /** Subscriptions of 30 users in turn, stored without the API, which would take long. */
  async function insertSubscriptions(count: number): Promise<void> {
    const makeUser = env.DB.prepare("insert into users (email, name, created_at) values (?, 'S', 0) returning id")
    const made = await env.DB.batch<{ id: number }>(
      Array.from({ length: 30 }, () => makeUser.bind(`${crypto.randomUUID()}@galaxy.test`)),
    )
    const owners = made.flatMap(({ results }) => results.map(({ id }) => id))
    const { vault } = stage.client.services
    const already = await countRows('webhooks')
    const rows = await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const owner = owners[index % owners.length] ?? 0
        const secret = await vault.seal('whsec_c3Vic2NyaWJlcg==', PURPOSES.webhook(owner))
        return [owner, `https://subscriber-${already + index}.example/`, secret] as const
      }),
    )
    const insertion = env.DB.prepare(
      `insert into webhooks (user_id, url, events, status, origin, secret, created_at, active_since, canonical_url, host)
       values (?1, ?2, '["newPlanet"]', 'active', '${ORIGIN}', ?3, 0, 0, ?2, ?2)`,
    )
    await env.DB.batch(rows.map((row) => insertion.bind(...row)))
  }
})

describe('pending deliveries of a subscription', () => {
  /** A subscription with a delivery that waits for its second attempt. */
  async function subscribeWithPending(): Promise<{ id: number }> {
    const hook = await subscribe(stage)
    answerWith(500)
    await makePlanet()
    await drain(stage.client)
    expect(await readOnly(stage)).toMatchObject({ status: 'pending' })
    answerWith(200)
    return hook
  }

  async function waitAndDrain(): Promise<void> {
    await pass(stage, HOUR_MS)
    await sweepAndDrain(stage)
  }

  it('are cancelled when it is paused, and stay so when it is resumed', async () => {
    const { id } = await subscribeWithPending()
    await patch(id, { status: 'paused' })
    expect(await readOnly(stage)).toMatchObject({ status: 'cancelled', endedAt: expect.any(String) })
    await patch(id, { status: 'active' })
    await waitAndDrain()
    expect(stage.network.calls).toHaveLength(1)
  })

  it('are cancelled when it is deleted, and the log stays', async () => {
    const { id } = await subscribeWithPending()
    await ask(stage, 'DELETE', `/webhooks/${id}`)
    expect(await readOnly(stage)).toMatchObject({ status: 'cancelled', webhookId: id })
    await waitAndDrain()
    expect(stage.network.calls).toHaveLength(1)
  })

  it('go to its new URL when it moves', async () => {
    const { id } = await subscribeWithPending()
    await patch(id, { url: 'https://moved.example/' })
    await waitAndDrain()
    expect(stage.network.calls.map(({ url }) => url)).toEqual([HOOK, 'https://moved.example/'])
    expect(await readOnly(stage)).toMatchObject({ status: 'delivered', url: 'https://moved.example/' })
  })

  it('use its new credentials when these change', async () => {
    const { id } = await subscribeWithPending()
    await patch(id, { auth: { scheme: 'bearerAuth', token: 'new-token' } })
    await waitAndDrain()
    expect(stage.network.calls.map(({ headers }) => headers.get('Authorization'))).toEqual([null, 'Bearer new-token'])
  })
})

describe('a subscription whose receiver fails', () => {
  it('with 410 is disabled and gets nothing, until its owner resumes it', async () => {
    const { id } = await subscribe(stage)
    await makePlanet({ name: 'First' })
    answerWith(410)
    await makePlanet({ name: 'Second' })
    await handleAll()
    expect(await read(stage, `/webhooks/${id}`)).toMatchObject({ status: 'disabled' })
    expect((await listLog(stage)).map(({ status }) => status).sort()).toEqual(['cancelled', 'failed'])
    answerWith(200)
    await makePlanet({ name: 'Third' })
    await pass(stage, HOUR_MS)
    await sweepAndDrain(stage)
    expect(stage.network.calls).toHaveLength(1)
    expect(await bodyOf(await patch(id, { status: 'active' }))).toMatchObject({ status: 'active' })
    await makePlanet({ name: 'Fourth' })
    await drain(stage.client)
    expect(stage.network.calls).toHaveLength(2)
  })

  /** Expands both events before either is delivered. */
  async function handleAll(): Promise<void> {
    const { held } = stage.queue
    const events = held.splice(0)
    for (const { message } of events) await handleMessage(message, stage.client.services)
    await drain(stage.client)
  }

  it('does not end with 204', async () => {
    answerWith(204)
    await subscribe(stage)
    await makePlanet()
    await makePlanet()
    await drain(stage.client)
    expect(stage.network.calls).toHaveLength(2)
    expect(await listLog(stage, '&status=delivered')).toHaveLength(2)
  })

  /** Makes attempts fail, with pings: one, and the others after a time. */
  async function failTimes(id: number, times: number, ms: number): Promise<void> {
    answerWith(500)
    for (let attempt = 1; attempt <= times; attempt++) {
      expect((await ask(stage, 'POST', `/webhooks/${id}/ping`)).status).toBe(202)
      await drain(stage.client)
      if (attempt === 1) await pass(stage, ms)
    }
  }

  it.each([
    ['nineteen times in two hours stays active', 19, 2 * HOUR_MS, 'active'],
    ['twenty times in 59 minutes stays active', 20, 59 * MINUTE_MS, 'active'],
    ['twenty times in an hour is paused', 20, HOUR_MS, 'paused'],
  ])('%s', async (_, times, ms, status) => {
    const { id } = await subscribe(stage)
    await failTimes(id, times, ms)
    expect(await read(stage, `/webhooks/${id}`)).toMatchObject({ status })
  })

  it('now and then is not paused: a success resets the count', async () => {
    const { id } = await subscribe(stage)
    await failTimes(id, 19, 50 * MINUTE_MS)
    answerWith(200)
    await ask(stage, 'POST', `/webhooks/${id}/ping`)
    await drain(stage.client)
    await failTimes(id, 19, 50 * MINUTE_MS)
    expect(await read(stage, `/webhooks/${id}`)).toMatchObject({ status: 'active' })
  })

  it('is paused: pending deliveries are cancelled, and resuming it resets the count', async () => {
    const { id } = await subscribe(stage)
    await failTimes(id, 10, 30 * MINUTE_MS)
    await failTimes(id, 10, 30 * MINUTE_MS)
    expect(await read(stage, `/webhooks/${id}`)).toMatchObject({ status: 'paused' })
    expect(await listLog(stage, '&status=pending')).toEqual([])
    await patch(id, { status: 'active' })
    await failTimes(id, 1, 0)
    expect(await read(stage, `/webhooks/${id}`)).toMatchObject({ status: 'active' })
  })
})

describe('a ping', () => {
  it('is sent like any other delivery, even if the subscription is paused, and the response links to its log', async () => {
    const { id, secret } = await subscribe(stage, { auth: { scheme: 'bearerAuth', token: 'of-the-ping' } })
    await patch(id, { status: 'paused' })
    const response = await ask(stage, 'POST', `/webhooks/${id}/ping`)
    expect(response.status).toBe(202)
    await drain(stage.client)
    const [call] = stage.network.calls
    if (!call) throw new Error('nothing was sent')
    expect(call).toMatchObject({ url: HOOK, method: 'POST' })
    expect(headersOf(call)).toMatchObject({ authorization: 'Bearer of-the-ping', 'x-galaxy-event': 'ping' })
    expect(call.headers.get('x-signature')).toBe(await hmacOf(secret, call.body))
    expect(JSON.parse(call.body)).toEqual({
      webhookId: id,
      message: expect.any(String),
      sentAt: stage.clock.now().toISOString(),
    })
    const location = new URL(response.headers.get('Location') ?? '')
    expect(await read(stage, location.pathname)).toMatchObject({ event: 'ping', status: 'delivered', webhookId: id })
  })

  it('to an inbox is delivered within the service, whatever name of the service the request for the ping has', async () => {
    const inbox = await createInbox(stage)
    const { id } = await subscribe(stage, { url: `${inbox.url}/hook` })
    const { email, password } = stage.account
    const response = await stage.client.send(urlOf(`/webhooks/${id}/ping`).replace('galaxy.test', 'other-name.test'), {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${email}:${password}`)}` },
    })
    expect(response.status).toBe(202)
    await drain(stage.client)
    expect(stage.network.calls).toEqual([])
    expect((await read(stage, `/inboxes/${inbox.id}`)).meta.total).toBe(1)
  })
})

describe('the credentials of a subscription', () => {
  const call = async (auth: object, url = HOOK) => {
    await subscribe(stage, { url, auth })
    await makePlanet()
    await drain(stage.client)
    return stage.network.calls.find(({ headers }) => headers.has('x-galaxy-event'))
  }

  it('basicAuth, non-ASCII included', async () => {
    const sent = await call({ scheme: 'basicAuth', username: 'Jürgen', password: 'pässwörd: 💥' })
    const pair = new TextEncoder().encode('Jürgen:pässwörd: 💥').toBase64()
    expect(sent?.headers.get('Authorization')).toBe(`Basic ${pair}`)
  })

  it('bearerAuth', async () => {
    const sent = await call({ scheme: 'bearerAuth', token: 'a.b-c~d' })
    expect(sent?.headers.get('Authorization')).toBe('Bearer a.b-c~d')
  })

  it.each([
    [{}, 'X-API-Key'],
    [{ name: 'X-My-Key' }, 'X-My-Key'],
  ])('apiKeyHeader %j', async (name, header) => {
    const sent = await call({ scheme: 'apiKeyHeader', key: 'k3y with space', ...name })
    expect(sent?.headers.get(header)).toBe('k3y with space')
    expect(sent?.headers.get('webhook-id')).toMatch(/^msg_/)
  })

  it.each([
    [{}, 'api_key'],
    [{ name: 'my key' }, 'my key'],
  ])('apiKeyQuery %j', async (name, parameter) => {
    const sent = await call({ scheme: 'apiKeyQuery', key: 'k&y=ü+ 1', ...name }, `${HOOK}?a=1`)
    const url = new URL(sent?.url ?? '')
    expect([...url.searchParams]).toEqual([
      ['a', '1'],
      [parameter, 'k&y=ü+ 1'],
    ])
    expect(url.origin + url.pathname).toBe(HOOK)
  })

  it('apiKeyQuery leaves the rest of the URL as it was written', async () => {
    const sent = await call({ scheme: 'apiKeyQuery', key: 'k3y' }, `${HOOK}?a=b%20c&flag&t=x~y%2f(z)`)
    expect(sent?.url).toBe(`${HOOK}?a=b%20c&flag&t=x~y%2f(z)&api_key=k3y`)
  })

  it.each([
    [{}, 'api_key=k3y'],
    [{ name: 'session' }, 'session=k3y'],
  ])('apiKeyCookie %j', async (name, cookie) => {
    const sent = await call({ scheme: 'apiKeyCookie', key: 'k3y', ...name })
    expect(sent?.headers.get('Cookie')).toBe(cookie)
  })

  const TOKEN_URL = 'https://id.example/token'
  const OAUTH = { scheme: 'oAuth2', tokenUrl: TOKEN_URL, clientId: 'gälaxy', clientSecret: 's3cr3t&+', scope: 'a b' }
  const OIDC = {
    scheme: 'openIdConnect',
    issuer: 'https://id.example/realm',
    clientId: 'galaxy',
    clientSecret: 's3cr3t',
  }
  const json = (value: object, status = 200) => Response.json(value, { status })

  /** A provider that issues another token each time, and a receiver. */
  function answerAsProvider(members: object = { expires_in: 300 }): void {
    let tokens = 0
    stage.network.answer = ({ url }) =>
      url === TOKEN_URL ? json({ access_token: `token-${++tokens}`, token_type: 'Bearer', ...members }) : new Response()
  }

  const presented = () =>
    stage.network.calls.filter(({ url }) => url.startsWith(HOOK)).map(({ headers }) => headers.get('Authorization'))

  it('oAuth2: a token is requested once with client credentials, and used until it expires', async () => {
    answerAsProvider()
    await call(OAUTH)
    const [asked] = stage.network.to(TOKEN_URL)
    expect(asked).toMatchObject({ method: 'POST', redirect: 'manual' })
    expect(Object.fromEntries(new URLSearchParams(asked?.body))).toEqual({
      grant_type: 'client_credentials',
      scope: 'a b',
    })
    const pair = `${encodeURIComponent('gälaxy')}:${encodeURIComponent('s3cr3t&+')}`
    expect(asked?.headers.get('Authorization')).toBe(`Basic ${btoa(pair)}`)
    expect(asked?.headers.has('x-signature')).toBe(false)
    await makePlanet()
    await drain(stage.client)
    stage.clock.ms += 250 * SECOND_MS
    await makePlanet()
    await drain(stage.client)
    expect(presented()).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-1'])
    stage.clock.ms += 50 * SECOND_MS
    await makePlanet()
    await drain(stage.client)
    expect(presented().at(-1)).toBe('Bearer token-2')
    expect(stage.network.to(TOKEN_URL)).toHaveLength(2)
  })

  it('oAuth2: another secret or scope gets another token', async () => {
    answerAsProvider()
    await subscribe(stage, { auth: OAUTH })
    await subscribe(stage, { url: `${HOOK}?scope`, auth: { ...OAUTH, scope: 'c' } })
    await subscribe(stage, { url: `${HOOK}?secret`, auth: { ...OAUTH, clientSecret: 'other' } })
    await makePlanet()
    await drain(stage.client)
    expect(new Set(presented()).size).toBe(3)
  })

  it('oAuth2: a token that its receiver rejects with 401 is not used again', async () => {
    answerAsProvider()
    const { answer } = stage.network
    stage.network.answer = (sent, signal) =>
      sent.headers.get('Authorization') === 'Bearer token-1'
        ? new Response(null, { status: 401 })
        : answer(sent, signal)
    await call(OAUTH)
    expect(await readOnly(stage)).toMatchObject({ status: 'pending', attempts: [{ status: 401 }] })
    await pass(stage, MINUTE_MS)
    await sweepAndDrain(stage)
    expect(presented()).toEqual(['Bearer token-1', 'Bearer token-2'])
    expect(await readOnly(stage)).toMatchObject({ status: 'delivered' })
  })

  it.each<[string, () => Response]>([
    ['refuses', () => json({ error: 'invalid_client' }, 401)],
    ['is broken', () => new Response('Oops', { status: 500 })],
    ['answers with a page', () => new Response('<html>', { headers: { 'Content-Type': 'text/html' } })],
    ['answers without a token', () => json({ token_type: 'Bearer' })],
    ['redirects', () => new Response(null, { status: 302, headers: { Location: 'https://evil.example/' } })],
  ])('oAuth2: if the token endpoint %s, the attempt fails and is retried', async (_, answer) => {
    stage.network.answer = ({ url }) => (url === TOKEN_URL ? answer() : new Response())
    await call(OAUTH)
    const { status, attempts } = await readOnly(stage)
    expect({ status, attempts }).toMatchObject({ status: 'pending', attempts: [{ error: expect.any(String) }] })
    expect(attempts[0]).not.toHaveProperty('status')
    expect(JSON.stringify(attempts)).not.toContain('s3cr3t')
    expect(stage.network.calls.map(({ url }) => url)).toEqual([TOKEN_URL])
    answerAsProvider()
    await pass(stage, MINUTE_MS)
    await sweepAndDrain(stage)
    expect(presented()).toEqual(['Bearer token-1'])
    expect(await readOnly(stage)).toMatchObject({ status: 'delivered' })
  })

  const DISCOVERY = 'https://id.example/realm/.well-known/openid-configuration'
  const answerAsIssuer = (metadata: object) => {
    stage.network.answer = ({ url }) => {
      if (url === DISCOVERY) return json({ issuer: OIDC.issuer, token_endpoint: TOKEN_URL, ...metadata })
      return url === TOKEN_URL ? json({ access_token: 'discovered', token_type: 'Bearer' }) : new Response()
    }
  }

  it('openIdConnect: the token comes from the endpoint in the discovery document of the issuer', async () => {
    answerAsIssuer({})
    const sent = await call(OIDC)
    expect(stage.network.calls.map(({ url }) => url)).toEqual([DISCOVERY, TOKEN_URL, HOOK])
    expect(sent?.headers.get('Authorization')).toBe('Bearer discovered')
  })

  it.each([
    ['of another issuer is rejected', { issuer: 'https://evil.example' }],
    ['without a token endpoint is rejected', { token_endpoint: undefined }],
    ['with a private address is rejected', { token_endpoint: 'http://169.254.169.254/token' }],
    ['with an address of the service itself is rejected', { token_endpoint: `${ORIGIN}/oauth/token` }],
    ['with a path of the platform is rejected', { token_endpoint: 'https://id.example/%63dn-cgi/token' }],
    ['with an invalid URL is rejected', { token_endpoint: 'token' }],
  ])('openIdConnect: a discovery document %s', async (_, metadata) => {
    answerAsIssuer(metadata)
    await call(OIDC)
    expect(stage.network.calls.map(({ url }) => url)).toEqual([DISCOVERY])
    const { status, attempts } = await readOnly(stage)
    expect(status).not.toBe('delivered')
    expect(attempts).toMatchObject([{ error: expect.any(String) }])
  })

  it('a URL that was allowed is checked again before each call, token endpoints included', async () => {
    const lenient = { ...stage, client: variantOf(stage, { config: { allowsPrivateTargets: true } }) }
    await subscribe(lenient, { auth: { ...OAUTH, tokenUrl: 'http://10.0.0.1/token' } })
    await makePlanet()
    await drain(stage.client)
    expect(stage.network.calls).toEqual([])
    expect(await readOnly(stage)).toMatchObject({ attempts: [{ error: expect.stringContaining('public address') }] })
  })

  it('are never shown, logged, or stored in plain text', async () => {
    const log = (['log', 'warn', 'error'] as const).map((method) =>
      vi.spyOn(console, method).mockImplementation(() => {}),
    )
    stage.network.answer = () => {
      throw new TypeError('connection refused')
    }
    const auths = [
      { scheme: 'basicAuth', username: 'galaxy', password: 'hush-1' },
      { scheme: 'bearerAuth', token: 'hush-2' },
      { scheme: 'apiKeyHeader', key: 'hush-3' },
      { scheme: 'apiKeyQuery', key: 'hush-4' },
      { scheme: 'apiKeyCookie', key: 'hush-5' },
      { ...OAUTH, clientSecret: 'hush-6' },
      { ...OIDC, clientSecret: 'hush-7' },
    ]
    const secrets: string[] = []
    for (const [index, auth] of auths.entries()) {
      secrets.push((await subscribe(stage, { url: `${HOOK}/${index}`, auth })).secret)
    }
    secrets.push((await read(stage, '/me/signing-secret')).secret)
    secrets.push((await bodyOf(await ask(stage, 'POST', '/me/signing-secret/rotate'))).secret)
    await makePlanet({ successCallbackUrl: 'https://receiver.example/' })
    await drain(stage.client)
    expect(await listLog(stage)).toHaveLength(8)
    const shown: string[] = []
    for (const { id } of await listLog(stage)) shown.push(JSON.stringify(await read(stage, `/deliveries/${id}`)))
    for (const { id } of (await read(stage, '/webhooks')).data) {
      shown.push(JSON.stringify(await read(stage, `/webhooks/${id}`)))
      shown.push(await (await patch(id, { status: 'active' })).text())
    }
    shown.push(JSON.stringify([await listLog(stage), await read(stage, '/webhooks?limit=100')]))
    shown.push(JSON.stringify(log.flatMap(({ mock }) => mock.calls)))
    const everything = shown.join() + (await dumpDatabase())
    expect(everything).not.toContain('hush-')
    expect(everything).not.toContain('whsec_')
    for (const secret of secrets) expect(everything).not.toContain(secret.replace('whsec_', '').slice(0, 20))
    // The check above covered what is stored.
    expect(everything).toContain('connection refused')
  })
})

describe('in XML', () => {
  const sendXml = (method: string, path: string, body: string) =>
    stage.client.send(path, {
      method,
      headers: { ...authorization(stage.account), 'Content-Type': 'application/xml', Accept: 'application/xml' },
      body,
    })
  const getXml = async (path: string) =>
    await (await stage.client.get(path, { ...authorization(stage.account), Accept: 'application/xml' })).text()

  it('a subscription is created, changed and read', async () => {
    const made = await sendXml(
      'POST',
      '/webhooks',
      `<webhook><url>${HOOK}</url><events>newPlanet</events>
       <auth><scheme>basicAuth</scheme><username>007</username><password>1e3</password></auth></webhook>`,
    )
    expect(made.status).toBe(201)
    expect(await made.text()).toMatch(/<webhook [^>]+>.*<events>newPlanet<\/events>.*<secret>whsec_[^<]+<\/secret>/s)
    const [{ id }] = (await read(stage, '/webhooks')).data
    await makePlanet()
    await drain(stage.client)
    expect(stage.network.calls[0]?.headers.get('Authorization')).toBe(`Basic ${btoa('007:1e3')}`)
    expect(await getXml(`/webhooks/${id}`)).toMatch(/<auth><scheme>basicAuth<\/scheme><\/auth>/)
    expect(await getXml('/webhooks')).toMatch(/<webhooks [^>]+><data><id>/)
    const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
    const changed = await sendXml(
      'PATCH',
      `/webhooks/${id}`,
      `<webhook ${xsi}><auth xsi:nil="true"/><status>paused</status></webhook>`,
    )
    expect(changed.status).toBe(200)
    expect(await changed.text()).toMatch(/<status>paused<\/status>/)
    expect(await read(stage, `/webhooks/${id}`)).not.toHaveProperty('auth')
    const refused = await sendXml('POST', '/webhooks', '<webhook><url>x</url></webhook>')
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('<pointer>/url</pointer>')
  })

  it.each([
    ['bearerAuth', '<token>hush</token>'],
    ['apiKeyHeader', '<name>X-Key</name><key>hush</key>'],
    ['apiKeyQuery', '<key>hush</key>'],
    ['apiKeyCookie', '<key>hush</key>'],
    ['oAuth2', '<tokenUrl>https://id.example/</tokenUrl><clientId>1</clientId><clientSecret>hush</clientSecret>'],
    ['openIdConnect', '<issuer>https://id.example</issuer><clientId>1</clientId><clientSecret>hush</clientSecret>'],
  ])('a receiver that requires %s', async (scheme, members) => {
    const auth = `<auth><scheme>${scheme}</scheme>${members}</auth>`
    const made = await sendXml(
      'POST',
      '/webhooks',
      `<webhook><url>${HOOK}</url><events>newPlanet</events>${auth}</webhook>`,
    )
    expect(made.status).toBe(201)
    const text = await made.text()
    expect(text).toContain(`<auth><scheme>${scheme}</scheme></auth>`)
    expect(text).not.toContain('hush')
    const wrong = await sendXml(
      'POST',
      '/webhooks',
      `<webhook><url>${HOOK}</url><events>newPlanet</events>${auth.replace('<scheme>', '<extra>1</extra><scheme>')}</webhook>`,
    )
    expect(wrong.status).toBe(400)
  })
})

describe('a second subscription to the same URL', () => {
  const post = (url: string, by: Account = stage.account) =>
    stage.client.sendJson('POST', '/webhooks', { url, events: ['newPlanet'] }, by)

  it.each([
    HOOK,
    'HTTPS://SUBSCRIBER.example:443/hook',
    'https://subscriber.example./a/../hook#part',
    'https://subscriber.example/%68ook',
  ])('is rejected with 409: %s', async (url) => {
    expect((await post(HOOK)).status).toBe(201)
    const refused = await post(url)
    expect(refused.status).toBe(409)
    expect((await bodyOf(refused)).detail).toBe(
      'You already have a subscription to this URL. Change or delete that subscription.',
    )
    expect(await countRows('webhooks')).toBe(1)
  })

  it.each([
    'http://subscriber.example/hook',
    'https://subscriber.example/hook?',
    'https://subscriber.example/Hook',
    'https://subscriber.example:444/hook',
  ])('counts as one to another URL: %s', async (url) => {
    expect((await post(HOOK)).status).toBe(201)
    expect((await post(url)).status).toBe(201)
  })

  it('is rejected if several come at the same moment: one is created', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(HOOK)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    expect(await countRows('webhooks')).toBe(1)
  })

  it('is allowed to another account, and after the deletion of the first', async () => {
    const { id } = await subscribe(stage, { url: HOOK })
    expect((await post(HOOK, await createAccount(stage.client))).status).toBe(201)
    expect((await ask(stage, 'DELETE', `/webhooks/${id}`)).status).toBe(204)
    expect((await post(HOOK)).status).toBe(201)
  })

  it('cannot result from moving one to the URL of another', async () => {
    const one = await subscribe(stage, { url: HOOK })
    const other = await subscribe(stage, { url: 'https://subscriber.example/other' })
    expect((await patch(other.id, { url: 'https://SUBSCRIBER.example/hook' })).status).toBe(409)
    expect((await read(stage, `/webhooks/${other.id}`)).url).toBe('https://subscriber.example/other')
    // Its own URL does not count.
    expect((await patch(one.id, { url: `${HOOK}#here` })).status).toBe(200)
    const moves = [one, other].map(({ id }) => patch(id, { url: 'https://subscriber.example/third' }))
    expect((await Promise.all(moves)).map(({ status }) => status).sort()).toEqual([200, 409])
  })
})
