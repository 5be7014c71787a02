import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { LOOPBACK_SPELLINGS, loopbackTargets } from '../support/private-targets.ts'
import { type Client, countDeliveries, forEachOf, signUp, sweep, until } from './callbacks-client.ts'
import { bodyOf, type ScheduledGalaxy, startGalaxy } from './galaxy.ts'
import { queryState } from './local-database.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'
import {
  type Arrival,
  answer,
  answerInTurn,
  type Behaviour,
  drip,
  flood,
  openReceiver,
  type Receiver,
} from './receiver.ts'

// What callbacks promise, with the real queue, the real network of this machine and `npm start`.

const run = promisify(execFile)

// Thousands of requests, on a machine that may have other work.
const SLOW_MS = 300_000

// More than two batches of the local queue, which hands out 100 messages at a time.
const BURST = 250
const AT_ONCE = 25
const HANGING = 20

let state: Awaited<ReturnType<typeof makePreparedState>>
let port: string
let galaxy: ScheduledGalaxy
let client: Client
let began: number
const receivers: Receiver[] = []
const dripping = drip(500)
let drippedOn: { receiver: Receiver; planetId: number }

beforeAll(async () => {
  began = performance.now()
  state = await makePreparedState()
  port = String(await freePort())
  // One retry happens immediately, so that a test can see it. No other retry happens during a test.
  galaxy = await start('--var', 'CALLBACK_RETRY_SECONDS:1,600')
  client = await signUp(galaxy, 'caller@example.com')
})

afterAll(async () => {
  await galaxy.stop()
  await Promise.all(receivers.map((receiver) => receiver.close()))
  await state.remove()
  console.log(`callbacks.test.ts took ${Math.round((performance.now() - began) / 1000)} s`)
})

const start = (...more: string[]) => startGalaxy(['--port', port, '--persist-to', state.folder, ...more])

/** A receiver that is closed at the end. */
async function open(behave?: Behaviour, address?: string): Promise<Receiver> {
  const receiver = await openReceiver(behave, address)
  receivers.push(receiver)
  return receiver
}

/** Creates a planet. @returns What the 201 says of it */
async function create(planet: object) {
  const response = await client.post('/planets', { name: 'Arrakis', ...planet })
  expect(response.status).toBe(201)
  return await bodyOf(response)
}

/** The log of a planet's delivery, as soon as it has the given number of attempts. */
async function logOf(planetId: number, attempts = 1, event = 'planetCreated') {
  const find = async () => (await bodyOf(await client.get(`/deliveries?planetId=${planetId}&event=${event}`))).data[0]
  const { id } = await until(find, (found) => found?.attempts >= attempts)
  return await bodyOf(await client.get(`/deliveries/${id}`))
}

/** The calls that a receiver got, as soon as there are as many as given. */
const arrivalsAt = (receiver: Receiver, count: number) =>
  until(
    () => receiver.arrivals,
    ({ length }) => length >= count,
  )

/** One call to a receiver of a planet that is made for it. */
async function receiveOne(name = 'Caladan'): Promise<Arrival> {
  const receiver = await open()
  await create({ name, successCallbackUrl: receiver.url() })
  const [arrival] = await arrivalsAt(receiver, 1)
  if (!arrival) throw new Error('there is one')
  return arrival
}

describe('250 planets at once', () => {
  it(
    'are told once each, in the bytes that GET sends, and wait for none of twenty receivers that never answer',
    async () => {
      const givenUpAt: number[] = []
      const hold: Behaviour = (response) => response.once('close', () => givenUpAt.push(performance.now()))
      const hanging = await Promise.all(Array.from({ length: HANGING }, () => open(hold)))
      const [before, during] = [hanging.slice(0, HANGING / 2), hanging.slice(HANGING / 2)]
      await Promise.all(before.map((receiver) => create({ successCallbackUrl: receiver.url() })))
      await Promise.all(before.map((receiver) => arrivalsAt(receiver, 1)))
      const [first] = await expectBurst(during)
      // How long it takes is measured by benchmarks/callbacks.ts.
      expect(first?.at).toBeLessThan(Math.min(...givenUpAt))
      await Promise.all(hanging.map((receiver) => arrivalsAt(receiver, 1)))
    },
    SLOW_MS,
  )
})

/** Creates planets in a burst, and compares the callbacks with what GET returns. @returns The callbacks */
async function expectBurst(beside: readonly Receiver[]): Promise<readonly Arrival[]> {
  const receiver = await open()
  const quick = client.by(fetch)
  const ids: number[] = []
  await forEachOf([...Array(BURST).keys()], AT_ONCE, async (index) => {
    const other = index % AT_ONCE === 0 ? beside[index / AT_ONCE] : undefined
    if (other) await create({ successCallbackUrl: other.url() })
    const planet = { name: `Ω ${index}`, satellites: [{ name: 'Krelln' }], successCallbackUrl: receiver.url() }
    const response = await quick.post('/planets', planet)
    ids.push((await bodyOf(response)).id)
  })
  await arrivalsAt(receiver, BURST)
  // Another run of the scheduled job makes no second call.
  await sweep(galaxy)
  const told = new Map(receiver.arrivals.map((arrival) => [JSON.parse(arrival.body.toString()).id, arrival]))
  await forEachOf(ids, AT_ONCE, async (id) => {
    const got = Buffer.from(await (await quick.get(`/planets/${id}`)).arrayBuffer())
    expect(told.get(id)?.body.equals(got), `the bytes of planet ${id}`).toBe(true)
  })
  expect(new Set(receiver.arrivals.map(({ headers }) => headers['webhook-id'])).size).toBe(BURST)
  expect(receiver.arrivals).toHaveLength(BURST)
  return receiver.arrivals
}

describe('what arrives', () => {
  let arrival: Arrival
  let secret: string

  beforeAll(async () => {
    const receiver = await open(dripping.behave)
    // This call is cut off after ten seconds, while other tests run. A later test checks how it ended.
    drippedOn = { receiver, planetId: (await create({ successCallbackUrl: receiver.url() })).id }
    arrival = await receiveOne('Čaladan 🪐')
    secret = (await bodyOf(await client.get('/me/signing-secret'))).secret
  })

  afterEach(() => {
    vi.useRealTimers()
  })

  it('is verified by standardwebhooks', () => {
    expect(new Webhook(secret).verify(arrival.body, arrival.headers)).toMatchObject({ name: 'Čaladan 🪐' })
  })

  it('is verified by openssl, with one command for each signature', async () => {
    const { 'x-signature': xSignature, 'webhook-signature': webhookSignature } = arrival.headers
    expect(await opensslOf(X_SIGNATURE, secret, arrival)).toBe(xSignature)
    expect(`v1,${await opensslOf(WEBHOOK_SIGNATURE, secret, arrival)}`).toBe(webhookSignature)
  })

  it('is not verified if one byte has changed', async () => {
    const body = Buffer.from(arrival.body)
    body.write('X', body.length - 2)
    const { 'x-signature': xSignature, 'webhook-signature': webhookSignature } = arrival.headers
    expect(() => new Webhook(secret).verify(body, arrival.headers)).toThrow('No matching signature')
    expect(await opensslOf(X_SIGNATURE, secret, { ...arrival, body })).not.toBe(xSignature)
    expect(`v1,${await opensslOf(WEBHOOK_SIGNATURE, secret, { ...arrival, body })}`).not.toBe(webhookSignature)
  })

  it('is not verified if it is old, or if somebody has changed its timestamp to a recent one', () => {
    const sentAt = Number(arrival.headers['webhook-timestamp']) * 1000
    const verifyAt = (minutes: number, headers = arrival.headers) => {
      vi.useFakeTimers({ now: sentAt + minutes * 60_000, toFake: ['Date'] })
      return new Webhook(secret).verify(arrival.body, headers)
    }
    expect(verifyAt(4)).toBeTruthy()
    expect(() => verifyAt(6)).toThrow('too old')
    const young = { ...arrival.headers, 'webhook-timestamp': String(sentAt / 1000 + 360) }
    expect(() => verifyAt(6, young)).toThrow('No matching signature')
  })

  it('is also signed with the old secret for a day after a rotation, but not longer', async () => {
    const receiver = await open()
    const rotated = await bodyOf(await client.post('/me/signing-secret/rotate'))
    await create({ name: 'Richese', successCallbackUrl: receiver.url() })
    const [within] = await arrivalsAt(receiver, 1)
    if (!within) throw new Error('there is one')
    expect(new Webhook(rotated.secret).verify(within.body, within.headers)).toBeTruthy()
    expect(new Webhook(secret).verify(within.body, within.headers)).toBeTruthy()
    expect(await opensslOf(X_SIGNATURE, rotated.secret, within)).toBe(within.headers['x-signature'])
    // The clock of the service cannot be set, so the rotation is moved a day into the past instead.
    const day = 24 * 60 * 60 * 1000
    queryState(
      state.folder,
      `update signing_secrets set created_at = created_at - ${day}, previous_ends_at = previous_ends_at - ${day}`,
    )
    await create({ name: 'Richese', successCallbackUrl: receiver.url() })
    const [, after] = await arrivalsAt(receiver, 2)
    if (!after) throw new Error('there is one')
    expect(new Webhook(rotated.secret).verify(after.body, after.headers)).toBeTruthy()
    expect(() => new Webhook(secret).verify(after.body, after.headers)).toThrow('No matching signature')
    expect(await opensslOf(X_SIGNATURE, secret, after)).not.toBe(after.headers['x-signature'])
  })
})

const X_SIGNATURE = 'openssl dgst -sha256 -hmac "$SECRET" -binary "$BODY" | base64'
const WEBHOOK_SIGNATURE = `(printf '%s.%s.' "$ID" "$TIMESTAMP"; cat "$BODY") | openssl dgst -sha256 -mac HMAC -macopt hexkey:"$(printf %s "\${SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')" -binary | base64`

/** The output of a shell command that gets a call. */
async function opensslOf(line: string, secret: string, { headers, body }: Arrival): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'galaxy-body-'))
  try {
    const BODY = join(folder, 'body')
    await writeFile(BODY, body)
    const { 'webhook-id': ID, 'webhook-timestamp': TIMESTAMP } = headers
    const env = { ...process.env, SECRET: secret, BODY, ID, TIMESTAMP }
    return (await run('bash', ['-o', 'pipefail', '-c', line], { env })).stdout.trim()
  } finally {
    await rm(folder, { recursive: true })
  }
}

describe('the log', () => {
  it('follows a planet from its creation to the response of its receiver, and can deliver the event again', async () => {
    const receiver = await open(answerInTurn(answer(503, 'Not today'), answer(200, 'Thank you, Ünal')))
    const planet = await create({ name: 'Giedi Prime', successCallbackUrl: receiver.url('/planets?of=mine') })
    const delivered = await logOf(planet.id, 2)
    const [first, second] = await arrivalsAt(receiver, 2)
    expect(delivered).toMatchObject({
      event: 'planetCreated',
      planetId: planet.id,
      url: receiver.url('/planets?of=mine'),
      messageId: first?.headers['webhook-id'],
      status: 'delivered',
      body: first?.body.toString(),
      attempts: [
        { status: 503, error: 'the receiver returned 503', response: 'Not today' },
        { status: 200, response: 'Thank you, Ünal' },
      ],
    })
    expect(first).toMatchObject({ method: 'POST', path: '/planets?of=mine' })
    expect(JSON.parse(delivered.body)).toEqual(planet)

    expect((await client.post(`/deliveries/${delivered.id}/redeliver`)).status).toBe(202)
    const [, , third] = await arrivalsAt(receiver, 3)
    expect(await logOf(planet.id, 3)).toMatchObject({ status: 'delivered', attempts: [{}, {}, { status: 200 }] })
    for (const again of [second, third]) {
      expect(again?.headers['webhook-id']).toBe(delivered.messageId)
      expect(again?.body.equals(first?.body ?? Buffer.of())).toBe(true)
    }
    expect(receiver.arrivals).toHaveLength(3)
  })
})

describe('a receiver', () => {
  it.each([301, 302, 303, 307, 308])('that responds with %i and a Location is not followed there', async (status) => {
    const elsewhere = await open()
    const receiver = await open(answer(status, '', { Location: elsewhere.url('/elsewhere') }))
    const { id } = await create({ successCallbackUrl: receiver.url() })
    const { attempts } = await logOf(id)
    expect(attempts[0]).toMatchObject({ status, error: expect.stringContaining('redirects are not followed') })
    expect(elsewhere.connections()).toBe(0)
  })

  it('that never ends its response is soon cut off, and the log contains 4 KiB of the response', async () => {
    const flooding = flood()
    const receiver = await open(flooding.behave)
    const { id } = await create({ successCallbackUrl: receiver.url() })
    const { status, attempts } = await logOf(id)
    // Reading on until the ten seconds are over would be a failed attempt.
    expect(status).toBe('delivered')
    expect(attempts).toMatchObject([{ status: 200, response: 'x'.repeat(4096) }])
    await flooding.ended
    expect(flooding.sentBytes()).toBeLessThan(25_000_000)
  })

  it('that sends its response byte by byte is cut off after ten seconds', async () => {
    const { planetId, receiver } = drippedOn
    const { status, attempts } = await logOf(planetId)
    expect(status).toBe('pending')
    expect(attempts[0]).toMatchObject({ error: 'no complete response within 10 seconds' })
    expect(attempts[0].durationMs).toBeGreaterThan(9_900)
    await dripping.ended
    expect(receiver.arrivals.length).toBeGreaterThan(0)
  })
})

describe('without private receivers', () => {
  const ALLOWED_BEFORE = ['127.1', '0x7f.1', '2130706433', '0177.0.0.1.', 'LOCALHOST', '[::ffff:127.0.0.1]', '[::1]']
  // url-guard.test.ts tests many more URLs.
  const GENERATED = 200
  const planets: number[] = []
  const webhooks: number[] = []
  let listener: Receiver
  let connectionsBefore: number

  beforeAll(async () => {
    listener = await open(answer(200), '::')
    const urls = ALLOWED_BEFORE.map((host) => `http://${host}:${listener.port}/`)
    for (const successCallbackUrl of urls) planets.push((await create({ successCallbackUrl })).id)
    // While private receivers are allowed, these URLs reach this receiver. So only the setting can prevent the calls.
    await arrivalsAt(listener, urls.length)
    // Both are the same address, so their paths tell them apart.
    for (const [index, url] of urls.slice(0, 2).entries()) webhooks.push(await subscribe({ url: `${url}${index}` }))
    const [tokenUrl] = urls
    const auth = { scheme: 'oAuth2', tokenUrl, clientId: 'galaxy', clientSecret: 's3cr3t' }
    webhooks.push(await subscribe({ url: 'https://receiver.example/', auth }))
    await galaxy.stop()
    galaxy = await start('--var', 'CALLBACK_ALLOW_PRIVATE:off')
    connectionsBefore = listener.connections()
  })

  const subscribe = async (subscription: object): Promise<number> => {
    const response = await client.post('/webhooks', { events: ['newPlanet'], ...subscription })
    expect(response.status).toBe(201)
    return (await bodyOf(response)).id
  }

  const expectNobodyCame = () => expect(listener.connections()).toBe(connectionsBefore)

  it('does not call receivers that were stored while they were allowed, and says so in the log', async () => {
    for (const id of planets) {
      expect((await client.post(`/planets/${id}/explode`)).status).toBe(200)
      expect(await logOf(id, 1, 'planetExploded')).toMatchObject(REFUSED)
    }
    for (const id of webhooks) {
      // This response is not compared with the document, because Node treats an empty body as a body.
      const { headers } = await client.by(fetch).post(`/webhooks/${id}/ping`)
      const { pathname } = new URL(headers.get('Location') ?? '')
      const read = async () => bodyOf(await client.get(pathname))
      expect(await until(read, ({ status }) => status !== 'pending')).toMatchObject(REFUSED)
    }
    expectNobodyCame()
  })

  const REFUSED = { status: 'failed', attempts: [{ error: 'the URL must lead to a public address' }] }

  it('calls its own inboxes', async () => {
    const inbox = await bodyOf(await client.post('/inboxes', {}))
    const { id } = await create({ successCallbackUrl: inbox.url })
    expect((await logOf(id)).status).toBe('delivered')
    const { data } = await bodyOf(await client.get(`/inboxes/${inbox.id}`))
    expect(data).toMatchObject([{ method: 'POST', signatures: { xSignature: 'valid', webhookSignature: 'valid' } }])
    expect(JSON.parse(data[0].body).id).toBe(id)
  })

  /** Requests that contain two URLs, and the pointers to the faults of both. */
  const TAKERS: [path: string, pointers: string[], body: (one: string, other: string) => object][] = [
    [
      '/planets',
      ['/successCallbackUrl', '/failureCallbackUrl'],
      (one, other) => ({ name: 'Ix', successCallbackUrl: one, failureCallbackUrl: other }),
    ],
    ['/webhooks', ['/url', '/auth/tokenUrl'], (url, tokenUrl) => subscriptionOf(url, { scheme: 'oAuth2', tokenUrl })],
    ['/webhooks', ['/url', '/auth/issuer'], (url, issuer) => subscriptionOf(url, { scheme: 'openIdConnect', issuer })],
  ]

  const subscriptionOf = (url: string, auth: object) => ({
    url,
    events: ['newPlanet'],
    auth: { clientId: 'galaxy', clientSecret: 's3cr3t', ...auth },
  })

  it('refuses every spelling of the address of this machine in every member that is called, and calls none of them', async () => {
    const known = LOOPBACK_SPELLINGS(listener.port)
    for (const [path, pointers, body] of TAKERS) await expectRefused(client, known, path, pointers, body)
    expectNobodyCame()
  })

  it(
    `refuses ${GENERATED} spellings that nobody has thought of, and calls none`,
    async () => {
      const spellings = fc.sample(loopbackTargets(listener.port), GENERATED)
      const quick = client.by(fetch)
      const logged = await countDeliveries(client)
      const parts = [spellings.slice(0, GENERATED * 0.8), spellings.slice(GENERATED * 0.8, GENERATED * 0.9)]
      parts.push(spellings.slice(GENERATED * 0.9))
      for (const [index, [path, pointers, body]] of TAKERS.entries()) {
        await expectRefused(quick, parts[index] ?? [], path, pointers, body)
      }
      expect(await countDeliveries(client)).toBe(logged)
      expectNobodyCame()
    },
    SLOW_MS,
  )

  /** Sends the URLs in pairs, and expects 400 with a fault for both. */
  async function expectRefused(
    by: Client,
    urls: readonly string[],
    path: string,
    pointers: readonly string[],
    body: (one: string, other: string) => object,
  ): Promise<void> {
    const taken: string[] = []
    const half = Math.ceil(urls.length / 2)
    await forEachOf([...Array(half).keys()], AT_ONCE, async (index) => {
      const pair = [urls[index] ?? '', urls[index + half] ?? urls[0] ?? ''] as const
      const response = await by.post(path, body(...pair))
      const { errors = [] } = await bodyOf(response)
      const refused = errors.map(({ pointer }: { pointer: string }) => pointer)
      if (response.status !== 400) taken.push(`${response.status}: ${JSON.stringify(pair)}`)
      for (const [which, pointer] of pointers.entries()) {
        if (!refused.includes(pointer)) taken.push(`${pointer}: ${JSON.stringify(pair[which])}`)
      }
    })
    expect(taken).toEqual([])
  }
})
