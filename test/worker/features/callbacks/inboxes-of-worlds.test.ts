import { beforeEach, describe, expect, it, vi } from 'vitest'
import { issueUserToken } from '../../../../src/auth/bearer.ts'
import type { OtherWorlds } from '../../../../src/domain/universe.ts'
import { receiveFromThisService } from '../../../../src/features/inboxes/receive-from-this-service.ts'
import { bodyOf, createPlanet, generationOf, ORIGIN, type Overrides } from '../../../support/app.ts'
import { drain, rowOf } from '../../../support/callbacks.ts'
import { ask, createInbox, createStage, createTold, readOnly, type Stage, subscribe, variantOf } from './support.ts'

// Callbacks from one world of the service to the inboxes of another.

const ID = 'abcdefghijklmnopqrstuv27'
const OTHER_ID = '234567abcdefghijklmnopqr'
const UNIVERSE_HOST = 'worlds.test'
const OF_OTHER = `/u/${OTHER_ID}/inboxes/a/callbacks?b=c`

/** A call that another world got. */
interface HandedOver {
  universeId: string | undefined
  url: string
  body: string
  headers: Headers
}

let calls: HandedOver[]
let answer: () => Response | undefined | Promise<Response>

const otherWorlds: OtherWorlds = {
  async callInbox(universeId, request) {
    const { url, headers } = request
    calls.push({ universeId, url, headers, body: new TextDecoder().decode(await request.arrayBuffer()) })
    return await answer()
  },
}

beforeEach(() => {
  calls = []
  answer = () => new Response('Noted', { status: 202 })
})

/** A service that is the common world of several. */
const createCommonWorld = (overrides: Overrides = {}) =>
  createStage({ otherWorlds, config: { universeHost: UNIVERSE_HOST }, ...overrides })

/** A service that is a universe, behind what strips the prefix from its requests. */
async function createUniverse(baseUrl: string): Promise<Stage> {
  const config = { universeHost: UNIVERSE_HOST, publicUrl: ORIGIN }
  const stage = await createStage({ otherWorlds, worldId: ID, baseUrlOf: () => baseUrl, config })
  const { client, account } = stage
  const claims = { userId: account.id, passwordGeneration: await generationOf(account.id) }
  account.token = await issueUserToken(client.services.tokens, claims, baseUrl, client.services.now())
  return stage
}

// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
const requestsOf = async ({ client }: Stage, { id }: { id: string }): Promise<any[]> =>
  (await bodyOf(await client.get(`/inboxes/${id}?limit=100`))).data

describe('a callback of the common world to an inbox of a universe', () => {
  it.each([ORIGIN + OF_OTHER, `https://${OTHER_ID}.${UNIVERSE_HOST}/inboxes/a/callbacks?b=c`])(
    'is handed over to it, and does not leave the service: %s',
    async (url) => {
      const stage = await createCommonWorld()
      const { id } = await createTold(stage, { successCallbackUrl: url })
      expect(stage.network.calls).toEqual([])
      expect(calls).toHaveLength(1)
      expect(calls[0]).toMatchObject({ universeId: OTHER_ID, url })
      expect(JSON.parse(calls[0]?.body ?? '')).toMatchObject({ id })
      expect(calls[0]?.headers.get('x-galaxy-event')).toBe('planetCreated')
      expect(calls[0]?.headers.get('webhook-signature')).toMatch(/^v1,/)
      expect(await readOnly(stage)).toMatchObject({
        status: 'delivered',
        attempts: [{ status: 202, response: 'Noted' }],
      })
    },
  )

  it('is not limited, like a call to an own inbox', async () => {
    const stage = await createCommonWorld()
    const webhook = await subscribe(stage, { url: ORIGIN + OF_OTHER })
    expect(await rowOf('select host from webhooks where id = ?', webhook.id)).toEqual({ host: '' })
    await createPlanet(stage.client, stage.account, { name: 'Told', successCallbackUrl: ORIGIN + OF_OTHER })
    expect(await rowOf('select host, origin from deliveries')).toEqual({ host: '', origin: ORIGIN })
    const update = { url: `http://${OTHER_ID}.${UNIVERSE_HOST}/inboxes/a/b` }
    await stage.client.sendJson('PATCH', `/webhooks/${webhook.id}`, update, stage.account)
    expect(await rowOf('select host from webhooks where id = ?', webhook.id)).toEqual({ host: '' })
    expect((await ask(stage, 'POST', `/webhooks/${webhook.id}/ping`)).status).toBe(202)
    expect(await rowOf("select host, url from deliveries where event = 'ping'")).toEqual({ host: '', url: update.url })
  })

  it('gets the credentials of its subscription, and asks for a token there', async () => {
    const stage = await createCommonWorld()
    answer = () => Response.json({ access_token: 'granted', token_type: 'Bearer', expires_in: 300 })
    const tokenUrl = `${ORIGIN}/u/${ID}/inboxes/b/token`
    const auth = { scheme: 'oAuth2', tokenUrl, clientId: 'galaxy', clientSecret: 's3cr3t' }
    await subscribe(stage, { url: ORIGIN + OF_OTHER, auth })
    await createPlanet(stage.client, stage.account, { name: 'News' })
    await drain(stage.client)
    expect(calls.map(({ universeId, url }) => [universeId, url])).toEqual([
      [ID, tokenUrl],
      [OTHER_ID, ORIGIN + OF_OTHER],
    ])
    expect(calls[1]?.headers.get('authorization')).toBe('Bearer granted')
    expect(stage.network.calls).toEqual([])
  })

  it.each([
    ['there is no such universe', otherWorlds],
    ['the service has no other world', undefined],
  ])('is 404 if %s', async (_, worlds) => {
    answer = () => undefined
    const stage = await createCommonWorld({ otherWorlds: worlds })
    await createTold(stage, { successCallbackUrl: ORIGIN + OF_OTHER })
    const attempts = [{ status: 404, response: 'This inbox does not exist.' }]
    expect(await readOnly(stage)).toMatchObject({ status: 'pending', attempts })
  })

  it('is tried again if the universe fails, and its error stays in the log of the service', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    answer = () => Promise.reject(new Error('broken object'))
    const stage = await createCommonWorld()
    await createTold(stage, { successCallbackUrl: ORIGIN + OF_OTHER })
    const attempts = [{ status: 503, response: 'The inbox is temporarily unavailable.' }]
    expect(await readOnly(stage)).toMatchObject({ status: 'pending', attempts })
    expect(log).toHaveBeenCalledWith('{"event":"inbox-failed","error":"broken object"}')
    log.mockRestore()
  })
})

describe.each([`${ORIGIN}/u/${ID}`, `https://${ID}.${UNIVERSE_HOST}`])('a callback of the universe %s', (baseUrl) => {
  it.each(['path', 'host'])('to an inbox of its own by %s is received there, and verified', async (by) => {
    const stage = await createUniverse(baseUrl)
    const inbox = await createInbox(stage)
    expect(inbox.url).toBe(`${baseUrl}/inboxes/${inbox.id}/callbacks`)
    const start = by === 'path' ? `${ORIGIN}/u/${ID}` : `http://${ID}.${UNIVERSE_HOST}`
    await createTold(stage, { successCallbackUrl: `${start}/inboxes/${inbox.id}/callbacks?a=b` })
    expect([stage.network.calls, calls]).toEqual([[], []])
    expect(await requestsOf(stage, inbox)).toMatchObject([
      { path: '/callbacks?a=b', signatures: { xSignature: 'valid', webhookSignature: 'valid' } },
    ])
    expect(await readOnly(stage)).toMatchObject({ status: 'delivered' })
  })

  it('to an inbox of the common world is handed over, also if the universe has an inbox with this id', async () => {
    const stage = await createUniverse(baseUrl)
    const inbox = await createInbox(stage)
    const url = `${ORIGIN}/inboxes/${inbox.id}/callbacks`
    await createTold(stage, { successCallbackUrl: url })
    expect(calls.map((call) => [call.universeId, call.url])).toEqual([[undefined, url]])
    expect(await requestsOf(stage, inbox)).toEqual([])
    expect(await rowOf('select host, origin from deliveries')).toEqual({ host: '', origin: baseUrl })
  })

  it('to an inbox of another universe is handed over', async () => {
    const stage = await createUniverse(baseUrl)
    await createTold(stage, { successCallbackUrl: ORIGIN + OF_OTHER })
    expect(calls.map((call) => [call.universeId, call.url])).toEqual([[OTHER_ID, ORIGIN + OF_OTHER]])
    expect(stage.network.calls).toEqual([])
  })

  it.each([ORIGIN, `${ORIGIN}/u/${ID}`, `${ORIGIN}/u/${OTHER_ID}`, `https://${OTHER_ID}.${UNIVERSE_HOST}`])(
    'cannot change %s',
    async (world) => {
      const stage = await createUniverse(baseUrl)
      const successCallbackUrl = `${world}/planets`
      const planet = { name: 'Inward', successCallbackUrl }
      const refused = await stage.client.sendJson('POST', '/planets', planet, stage.account)
      expect(refused.status).toBe(400)
      expect((await bodyOf(refused)).errors).toMatchObject([{ pointer: '/successCallbackUrl' }])
      const members = { url: 'https://receiver.example/', events: ['newPlanet'] }
      const auth = { scheme: 'openIdConnect', issuer: world, clientId: 'galaxy', clientSecret: 's3cr3t' }
      const subscription = await stage.client.sendJson('POST', '/webhooks', { ...members, auth }, stage.account)
      expect((await bodyOf(subscription)).errors).toMatchObject([{ pointer: '/auth/issuer' }])
      expect([stage.network.calls, calls]).toEqual([[], []])
    },
  )
})

it('a call that was stored before the wildcard domain was configured is refused when it is due', async () => {
  const stage = await createCommonWorld({ config: {} })
  const url = `https://${OTHER_ID}.${UNIVERSE_HOST}/planets`
  await createPlanet(stage.client, stage.account, { name: 'Early', successCallbackUrl: url.replace('test', 'example') })
  await drain(variantOf(stage, { otherWorlds, config: { universeHost: 'worlds.example' } }))
  expect([stage.network.calls, calls]).toEqual([[], []])
  expect(await readOnly(stage)).toMatchObject({ status: 'failed', attempts: [{ error: expect.any(String) }] })
})

describe('a call that another world hands over', () => {
  let stage: Stage
  let inbox: { id: string }

  beforeEach(async () => {
    stage = await createUniverse(`${ORIGIN}/u/${ID}`)
    inbox = await createInbox(stage, { status: 201, body: 'Here' })
  })

  const receive = (start: string, path: string, init: RequestInit = {}) =>
    receiveFromThisService(new Request(`${start}${path}`, { method: 'POST', ...init }), stage.client.services)

  it.each([`${ORIGIN}/u/${ID}`, `https://${ID}.${UNIVERSE_HOST}`, `https://www.${UNIVERSE_HOST}/u/${ID}`, ORIGIN])(
    'to %s is recorded without the prefix of its world, with its credentials',
    async (start) => {
      const headers = { Authorization: 'Bearer own', 'x-signature': 'abc', 'webhook-id': 'msg_of_another_world' }
      const response = await receive(start, `/inboxes/${inbox.id}/a/b?c=%20d`, { headers, body: '{"a":"ü"}' })
      expect([response.status, await response.text()]).toEqual([201, 'Here'])
      const [request, ...others] = await requestsOf(stage, inbox)
      expect(others).toEqual([])
      // Only a delivery of the world that the inbox is in has a secret that can verify it.
      expect(request).toMatchObject({ method: 'POST', path: '/a/b?c=%20d', body: '{"a":"ü"}' })
      expect(request.signatures).toEqual({ xSignature: 'unknown', webhookSignature: 'absent' })
      expect(request.headers).toContainEqual({ name: 'authorization', value: 'Bearer own' })
    },
  )

  it.each([
    ['an inbox that does not exist', `/inboxes/${crypto.randomUUID()}/a`, '', 404],
    ['an inbox without a path below it', '/inboxes/a', '', 404],
    ['anything else', '/planets', '', 404],
    ['an inbox, with a body that is too large', '', 'x'.repeat(2 * 1024 * 1024 + 1), 413],
  ])('to %s is refused', async (_, path, body, status) => {
    const response = await receive(`${ORIGIN}/u/${ID}`, path || `/inboxes/${inbox.id}/a`, { body })
    expect(response.status).toBe(status)
    expect(await requestsOf(stage, inbox)).toEqual([])
  })
})
