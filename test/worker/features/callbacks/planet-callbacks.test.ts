import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PlanetInput } from '../../../../src/schemas/planet.ts'
import { sweep } from '../../../../src/sweep.ts'
import { encodeXml } from '../../../../src/xml/encode.ts'
import { authorization, bodyOf, createPlanet, ORIGIN } from '../../../support/app.ts'
import { drain } from '../../../support/callbacks.ts'
import {
  ask,
  countRows,
  createStage,
  createTold,
  headersOf,
  hmacOf,
  listLog,
  MINUTE_MS,
  pass,
  RECEIVER,
  read,
  readOnly,
  type Stage,
  sweepAndDrain,
  variantOf,
  whileFailing,
} from './support.ts'

const FAILURES = 'https://receiver.example/failures'

let stage: Stage

beforeEach(async () => {
  stage = await createStage()
})

afterEach(() => {
  vi.restoreAllMocks()
})

/** Texts that could be mistaken for the placeholders in the body. */
const trap = fc.constantFrom('\\u0000', '\\u00000', '"\\u0000"', '"\\u00001"', '\\', '"', '","id":1,"', 'ünï—💥')
const text = fc
  .array(fc.oneof(trap, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 })), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(''))
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
const key = fc.oneof(text, fc.constantFrom('1', '0', '10', 'id', 'surface pressure'))
const usableKey = key.filter((name) => !['mass', 'radius', 'gravity', 'temperature', '__proto__'].includes(name))

const planets = fc.record(
  {
    tags: fc.array(text, { maxLength: 3 }),
    description: fc.option(text, { nil: null }),
    physicalProperties: fc.dictionary(usableKey, number, { maxKeys: 3 }),
    atmosphere: fc.array(fc.record({ compound: text }, { requiredKeys: [] }), { maxLength: 2 }),
    satellites: fc.array(
      fc.record(
        {
          name: text,
          description: fc.option(text, { nil: null }),
          diameter: number,
          orbit: fc.record({ orbitalPeriod: number, distance: number }, { requiredKeys: [] }),
        },
        { requiredKeys: ['name'] },
      ),
      { maxLength: 4 },
    ),
    name: text,
  },
  { requiredKeys: ['name'] },
)

async function post(body: string, contentType: string): Promise<Response> {
  return await stage.client.send('/planets', {
    method: 'POST',
    headers: { ...authorization(stage.account), 'Content-Type': contentType },
    body,
  })
}

const getText = async (id: number) => await (await stage.client.get(`/planets/${id}`)).text()

describe('planetCreated', () => {
  it.each(['json', 'xml'])(
    'the receiver of a planet sent in %s gets the exact bytes that GET sends',
    { timeout: 60_000 },
    async (format) => {
      await fc.assert(
        fc.asyncProperty(planets, async (planet) => {
          const sent = { ...planet, successCallbackUrl: RECEIVER }
          const body = format === 'xml' ? encodeXml(sent, PlanetInput) : JSON.stringify(sent)
          const response = await post(body, `application/${format}`)
          expect(response.status, body).toBe(201)
          await drain(stage.client)
          expect(stage.network.calls.at(-1)?.body).toBe(await getText((await bodyOf(response)).id))
        }),
        { numRuns: 40 },
      )
    },
  )

  it('of a planet with the maximum number of satellites gives each its own id', async () => {
    const satellites = Array.from({ length: 100 }, (_, index) => ({ name: `${index % 7}`, orbit: { distance: index } }))
    const { id } = await createTold(stage, { satellites })
    expect(stage.network.calls[0]?.body).toBe(await getText(id))
    const got = JSON.parse(stage.network.calls[0]?.body ?? '')
    expect(new Set(got.satellites.map((satellite: { id: number }) => satellite.id)).size).toBe(100)
  })

  it('of a planet of the maximum size, with characters that are longer in JSON, arrives complete', async () => {
    const atmosphere = [{ compound: '\\'.repeat(60_000), note: '"'.repeat(60_000) }]
    const { id } = await createTold(stage, { atmosphere })
    expect(stage.network.calls[0]?.body.length).toBeGreaterThan(240_000)
    expect(stage.network.calls[0]?.body === (await getText(id))).toBe(true)
  })

  it('of a creator without a name is the same as GET', async () => {
    await env.DB.prepare('update users set name = null where id = ?').bind(stage.account.id).run()
    const { id } = await createTold(stage)
    expect(JSON.parse(stage.network.calls[0]?.body ?? '').creator).toEqual({ id: stage.account.id })
    expect(stage.network.calls[0]?.body).toBe(await getText(id))
  })

  it('of a planet that is changed at once shows it as it was created', async () => {
    const { id } = await createPlanet(stage.client, stage.account, { name: 'First', successCallbackUrl: RECEIVER })
    const first = await getText(id)
    await stage.client.sendJson('PUT', `/planets/${id}`, { name: 'Second' }, stage.account)
    await drain(stage.client)
    expect(stage.network.calls.map(({ body }) => body)).toEqual([first])
  })

  it('is a POST of JSON to the URL as it was given, with only the headers of callbacks', async () => {
    const url = 'https://receiver.example:8443/a%20b;c?x=%20&y&z=%C3%BC'
    await createTold(stage, { successCallbackUrl: url })
    const [call] = stage.network.calls
    expect(call).toMatchObject({ url, method: 'POST', redirect: 'manual' })
    const delivery = await readOnly(stage)
    expect(call && headersOf(call)).toEqual({
      'content-type': 'application/json',
      'user-agent': 'Galaxy-Callbacks/2.0.0',
      'x-galaxy-event': 'planetCreated',
      'x-galaxy-event-id': delivery.eventId,
      'x-signature': expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      'webhook-id': delivery.messageId,
      'webhook-timestamp': String(Math.floor(stage.clock.ms / 1000)),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    })
    expect(delivery.messageId).toMatch(/^msg_planetCreated_[0-9a-f]{32}$/)
    expect(delivery.eventId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  })

  it('has both signatures, made with the secret that its owner can read, non-ASCII names included', async () => {
    await createTold(stage, { name: 'Ünïcødé 💥' })
    const { secret } = await read(stage, '/me/signing-secret')
    const [call] = stage.network.calls
    if (!call) throw new Error('nothing was sent')
    expect(call.headers.get('x-signature')).toBe(await hmacOf(secret, call.body))
    expect(new Webhook(secret).verify(call.body, headersOf(call))).toMatchObject({ name: 'Ünïcødé 💥' })
    expect(() => new Webhook(secret).verify(`${call.body} `, headersOf(call))).toThrow()
  })

  it('carries no credentials of the planet’s creator', async () => {
    const { email, password } = stage.account
    const basic = new TextEncoder().encode(`${email}:${password}`).toBase64()
    const response = await stage.client.send('/planets', {
      method: 'POST',
      headers: { Authorization: `Basic ${basic}`, 'Content-Type': 'application/json', Cookie: 'session=of-the-caller' },
      body: JSON.stringify({ name: 'Discreet', successCallbackUrl: RECEIVER }),
    })
    expect(response.status).toBe(201)
    await drain(stage.client)
    const [call] = stage.network.calls
    const all = JSON.stringify([call, call && headersOf(call)])
    for (const credential of [basic, email, password, stage.account.token, 'of-the-caller']) {
      expect(all).not.toContain(credential)
    }
  })

  it('is not sent for a planet without a URL, nor for a rejected one', async () => {
    await createPlanet(stage.client, stage.account, { name: 'Silent', failureCallbackUrl: FAILURES })
    const refused = await stage.client.sendJson('POST', '/planets', { successCallbackUrl: RECEIVER }, stage.account)
    expect(refused.status).toBe(400)
    await drain(stage.client)
    expect(stage.network.calls).toEqual([])
    expect(await listLog(stage)).toEqual([])
  })

  it('is not sent for a response that was forced with Prefer', async () => {
    const response = await stage.client.send('/planets', {
      method: 'POST',
      headers: { ...authorization(stage.account), 'Content-Type': 'application/json', Prefer: 'code=201' },
      body: JSON.stringify({ name: 'Example', successCallbackUrl: RECEIVER }),
    })
    expect(response.status).toBe(201)
    await sweepAndDrain(stage)
    expect(stage.network.calls).toEqual([])
  })

  it.each(['before insert on deliveries', 'before insert on events', 'before insert on bodies'])(
    'a planet and its callback are stored together or not at all if the database fails %s',
    async (write) => {
      vi.spyOn(console, 'error').mockImplementation(() => {})
      const planet = { name: 'Torn', successCallbackUrl: RECEIVER, satellites: [{ name: 'Moon' }] }
      const before = await countRows('planets')
      await whileFailing(write, async () => {
        const response = await stage.client.sendJson('POST', '/planets', planet, stage.account)
        expect(response.status).toBe(500)
      })
      expect([await countRows('planets'), await countRows('events'), await countRows('deliveries')]).toEqual([
        before,
        0,
        0,
      ])
      await sweepAndDrain(stage)
      expect(stage.network.calls).toEqual([])
    },
  )

  it('the response does not wait for a queue that hangs', async () => {
    const callbacks = Object.assign(Object.create(stage.queue), { sendBatch: () => new Promise(() => {}) })
    const client = variantOf(stage, { callbackQueue: callbacks, defer: () => {} })
    const planet = { name: 'Prompt', successCallbackUrl: RECEIVER }
    expect((await client.sendJson('POST', '/planets', planet, stage.account)).status).toBe(201)
  })

  it('a queue that accepts nothing fails no request, and the sweep delivers', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const fail = () => Promise.reject(new Error('Queue is overloaded. Please back off.'))
    const client = variantOf(stage, { callbackQueue: Object.assign(Object.create(stage.queue), { sendBatch: fail }) })
    const { id } = await createPlanet(client, stage.account, { name: 'Patient', successCallbackUrl: RECEIVER })
    expect(stage.network.calls).toEqual([])
    await sweep(client.services)
    expect(stage.network.calls.map(({ body }) => body)).toEqual([await getText(id)])
    expect(await readOnly(stage)).toMatchObject({ status: 'delivered' })
  })

  it('a message that the queue loses delays the callback by a minute', async () => {
    const { id } = await createPlanet(stage.client, stage.account, { name: 'Lost', successCallbackUrl: RECEIVER })
    stage.queue.held.length = 0
    await pass(stage, MINUTE_MS)
    await sweepAndDrain(stage)
    expect(stage.network.calls.map(({ body }) => body)).toEqual([await getText(id)])
    await sweepAndDrain(stage)
    expect(stage.network.calls).toHaveLength(1)
  })
})

describe('planetCreationFailed', () => {
  const refuse = async (planet: object, account = stage.account) => {
    const response = await stage.client.sendJson('POST', '/planets', planet, account)
    expect(response.status).toBe(400)
    await drain(stage.client)
    return (await bodyOf(response)).errors
  }

  it('has the planet as it was sent, and the errors of the response', async () => {
    const planet = { name: '', tags: ['ü', 5], mistake: { deep: [null, 1.5] }, failureCallbackUrl: FAILURES }
    const errors = await refuse(planet)
    expect(errors.length).toBeGreaterThan(2)
    const [call] = stage.network.calls
    expect(call).toMatchObject({ url: FAILURES, method: 'POST' })
    expect(call?.headers.get('x-galaxy-event')).toBe('planetCreationFailed')
    expect(JSON.parse(call?.body ?? '')).toEqual({ ...planet, errors })
    const { secret } = await read(stage, '/me/signing-secret')
    expect(call?.headers.get('x-signature')).toBe(await hmacOf(secret, call?.body ?? ''))
    const delivery = await readOnly(stage)
    expect(delivery).toMatchObject({ event: 'planetCreationFailed', status: 'delivered', body: call?.body })
    expect(delivery).not.toHaveProperty('planetId')
  })

  it('is JSON of the same planet even if that came in XML', async () => {
    const xml = `<planet><name></name><tags>one</tags><failureCallbackUrl>${FAILURES}</failureCallbackUrl></planet>`
    const response = await stage.client.send('/planets', {
      method: 'POST',
      headers: { ...authorization(stage.account), 'Content-Type': 'application/xml', Accept: 'application/xml' },
      body: xml,
    })
    expect(response.status).toBe(400)
    await drain(stage.client)
    expect(JSON.parse(stage.network.calls[0]?.body ?? '')).toEqual({
      name: '',
      tags: ['one'],
      failureCallbackUrl: FAILURES,
      errors: [{ pointer: '/name', detail: expect.any(String) }],
    })
  })

  it('also reports a text that no planet may contain', async () => {
    const errors = await refuse({ name: 'a\u0000b', failureCallbackUrl: FAILURES })
    expect(JSON.parse(stage.network.calls[0]?.body ?? '')).toMatchObject({ name: 'a\u0000b', errors })
  })

  it('reports a successCallbackUrl that is forbidden', async () => {
    const errors = await refuse({
      name: 'Inward',
      successCallbackUrl: 'http://10.0.0.1/',
      failureCallbackUrl: FAILURES,
    })
    expect(errors).toEqual([{ pointer: '/successCallbackUrl', detail: expect.stringContaining('public') }])
    expect(stage.network.calls.map(({ url }) => url)).toEqual([FAILURES])
  })

  it.each([
    ['is none', undefined],
    ['is not a URL', 'receiver'],
    ['is not a string', 7],
    ['is of another scheme', 'ftp://receiver.example/'],
    ['leads to a private address', 'http://192.168.0.1/'],
    ['leads to the machine itself', 'http://127.0.0.1:8787/'],
    ['has a password in it', 'https://user:pass@receiver.example/'],
    ['leads to the service', `${ORIGIN}/planets`],
    ['is too long', `https://receiver.example/${'a'.repeat(2048)}`],
  ])('is not sent if failureCallbackUrl %s', async (_, failureCallbackUrl) => {
    await refuse({ name: '', successCallbackUrl: RECEIVER, failureCallbackUrl })
    expect(stage.network.calls).toEqual([])
    expect(await listLog(stage)).toEqual([])
  })

  it('is sent to a URL of the maximum length', async () => {
    const start = 'https://receiver.example/'
    const failureCallbackUrl = start + 'a'.repeat(2048 - start.length)
    await refuse({ name: '', failureCallbackUrl })
    expect(stage.network.calls.map(({ url }) => url)).toEqual([failureCallbackUrl])
  })

  it.each([
    ['that is not JSON', `{"failureCallbackUrl":"${FAILURES}"`],
    ['that is a list', `[{"failureCallbackUrl":"${FAILURES}"}]`],
    ['that is null', 'null'],
  ])('is not sent for a body %s', async (_, body) => {
    const response = await post(body, 'application/json')
    expect(response.status).toBe(400)
    await drain(stage.client)
    expect(stage.network.calls).toEqual([])
  })

  it('is not sent for a caller without credentials, or without permission to create planets', async () => {
    const planet = { name: '', failureCallbackUrl: FAILURES }
    const key = await stage.client.sendJson('POST', '/me/api-keys', { scopes: ['read:planets'] }, stage.account)
    const none = await stage.client.sendJson('POST', '/planets', planet)
    const scopeless = await stage.client.send('/planets', {
      method: 'POST',
      headers: { 'X-API-Key': (await bodyOf(key)).key, 'Content-Type': 'application/json' },
      body: JSON.stringify(planet),
    })
    expect([none.status, scopeless.status]).toEqual([401, 403])
    await sweepAndDrain(stage)
    expect(stage.network.calls).toEqual([])
    expect(await countRows('deliveries')).toBe(0)
  })

  it('is never sent for PUT', async () => {
    const { id } = await createPlanet(stage.client, stage.account, { name: 'Kept' })
    const bad = { name: '', failureCallbackUrl: FAILURES, successCallbackUrl: RECEIVER }
    expect((await stage.client.sendJson('PUT', `/planets/${id}`, bad, stage.account)).status).toBe(400)
    const good = { ...bad, name: 'Changed' }
    expect((await stage.client.sendJson('PUT', `/planets/${id}`, good, stage.account)).status).toBe(200)
    const inward = { ...good, successCallbackUrl: 'http://localhost/' }
    expect((await stage.client.sendJson('PUT', `/planets/${id}`, inward, stage.account)).status).toBe(400)
    await sweepAndDrain(stage)
    expect(stage.network.calls).toEqual([])
  })

  it('a 204 ends nothing, because there is no planet', async () => {
    stage.network.answer = () => new Response(null, { status: 204 })
    await refuse({ name: '', failureCallbackUrl: FAILURES })
    const { id, status } = await readOnly(stage)
    expect(status).toBe('delivered')
    expect((await ask(stage, 'POST', `/deliveries/${id}/redeliver`)).status).toBe(202)
    await refuse({ name: '', failureCallbackUrl: FAILURES })
    expect(stage.network.calls).toHaveLength(3)
  })

  it('a stored delivery is not sent if its URL has become forbidden', async () => {
    const lenient = variantOf(stage, { config: { allowsPrivateTargets: true } })
    await createPlanet(lenient, stage.account, { name: 'Inward', successCallbackUrl: 'http://10.0.0.1/' })
    await drain(stage.client)
    expect(stage.network.calls).toEqual([])
    expect(await readOnly(stage)).toMatchObject({
      status: 'failed',
      attempts: [{ error: expect.stringContaining('public address') }],
    })
  })
})
