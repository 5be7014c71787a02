import { describe, expect, it } from 'vitest'
import { type Account, authorization, bodyOf, createAccount, createClient, createPlanet } from '../../../support/app.ts'
import { expectDocumentedFrame } from '../../../support/live-conformance.ts'
import { type OpenSocket, openSocket } from '../../../support/sockets.ts'

const client = createClient()
const account = await createAccount(client)
const ENVELOPE = { 'Sec-WebSocket-Protocol': 'galaxy.envelope.v1' }

/** Opens a socket whose subscription is acknowledged, and checks its frames against the document. */
async function subscribe(path: string, headers = {}): Promise<OpenSocket & { events(count: number): Promise<Json[]> }> {
  const opened = await openSocket(client, path, headers)
  await opened.until(1)
  return {
    ...opened,
    async events(count) {
      const frames = await opened.until(count + 1)
      for (const frame of frames) expectDocumentedFrame(channelOf(path), frame)
      return frames.slice(1).map((frame) => JSON.parse(frame))
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
type Json = any

function channelOf(path: string): string {
  if (path.startsWith('users/')) return 'userEvents'
  if (path.startsWith('system/')) return 'systemEvents'
  return path.startsWith('celestial-bodies/') ? 'celestialBodyEvents' : 'planetEvents'
}

const typesOf = (events: readonly Json[]) => events.map(({ eventType }) => eventType)

describe('the channel of a planet', () => {
  it('tells of everything that happens to it, in order, also before it exists', async () => {
    const { id } = await createPlanet(client, account, { name: 'Earlier' })
    const { socket, events } = await subscribe(`planets/${id + 1}/events`)
    await createPlanet(client, account, { name: 'Arrakis', satellites: [{ name: 'Krelln' }] })
    const change = {
      name: 'Arrakis',
      atmosphere: [{ compound: 'O2', percentage: 20 }],
      satellites: [{ name: 'Arvon' }],
    }
    await client.sendJson('PUT', `/planets/${id + 1}`, change, account)
    await client.send(`/planets/${id + 1}`, { method: 'DELETE', headers: authorization(account) })
    expect(typesOf(await events(6))).toEqual([
      'planet.created',
      'satellite.discovered',
      'planet.updated',
      'atmosphere.changed',
      'satellite.discovered',
      'planet.deleted',
    ])
    socket.close()
  })

  it('is the same in both versions, and has the ids of the log', async () => {
    const { id } = await createPlanet(client, account, { name: 'Twice' })
    const [one, two] = [await subscribe(`planets/${id}/events`), await subscribe(`/ws/v2/planets/${id}/events`)]
    await client.sendJson('PUT', `/planets/${id}`, { name: 'Twice more' }, account)
    const [event] = await one.events(1)
    expect(await two.events(1)).toEqual([event])
    expect(await bodyOf(await client.get(`/events/${event.eventId}`))).toEqual(event)
    for (const { socket } of [one, two]) socket.close()
  })

  it.each([
    'eventTypes=planet.deleted,satellite.discovered',
    'eventTypes=planet.deleted&eventTypes=satellite.discovered',
  ])('can be limited by %s', async (query) => {
    const { id } = await createPlanet(client, account, { name: 'Filtered' })
    const { socket, events } = await subscribe(`planets/${id}/events?${query}`)
    await client.sendJson('PUT', `/planets/${id}`, { name: 'Filtered', satellites: [{ name: 'New' }] }, account)
    await client.send(`/planets/${id}`, { method: 'DELETE', headers: authorization(account) })
    expect(typesOf(await events(2))).toEqual(['satellite.discovered', 'planet.deleted'])
    socket.close()
  })

  it('begins with history if asked, and goes on after the last event', async () => {
    const { id } = await createPlanet(client, account, { name: 'One' })
    for (const name of ['Two', 'Three']) await client.sendJson('PUT', `/planets/${id}`, { name }, account)
    const first = await subscribe(`planets/${id}/events?includeHistory=true`)
    const past = await first.events(3)
    expect(past.map(({ planet }) => planet.name)).toEqual(['One', 'Two', 'Three'])
    const second = await subscribe(`planets/${id}/events?lastEventId=${past[0].eventId}`)
    await client.sendJson('PUT', `/planets/${id}`, { name: 'Four' }, account)
    expect((await second.events(3)).map(({ planet }) => planet.name)).toEqual(['Two', 'Three', 'Four'])
    expect(await first.events(4)).toHaveLength(4)
    for (const { socket } of [first, second]) socket.close()
  })

  it('says that there is a gap if the log does not have the last event', async () => {
    const { id } = await createPlanet(client, account, { name: 'Gap' })
    const { socket, frames, events } = await subscribe(
      `planets/${id}/events?lastEventId=019bc210-3240-7000-a168-2f0000000001`,
    )
    expect(await events(1)).toHaveLength(1)
    expect(JSON.parse(frames[0] ?? '')).toMatchObject({ status: 'subscribed', gap: true })
    socket.close()
  })

  it('answers ping, and ignores other texts', async () => {
    const { socket, until } = await subscribe('planets/1/events')
    for (const text of ['hello', '{}', 'ping']) socket.send(text)
    expect((await until(2))[1]).toBe('pong')
    socket.close()
  })

  it('puts events into envelopes if asked', async () => {
    const { id } = await createPlanet(client, account, { name: 'Sealed' })
    const { socket, until } = await openSocket(client, `planets/${id}/events`, ENVELOPE)
    await until(1)
    await client.sendJson('PUT', `/planets/${id}`, { name: 'Sealed' }, account)
    const frames = await until(2)
    for (const frame of frames) expectDocumentedFrame('planetEvents', frame, { envelope: true })
    const { headers, payload } = JSON.parse(frames[1] ?? '')
    expect(headers).toEqual({
      correlationId: payload.metadata.correlationId,
      'x-request-id': payload.metadata.requestId,
    })
    socket.close()
  })
})

describe('the channel of a user', () => {
  it('tells only the user of attempts to sign in', async () => {
    const user = await createAccount(client)
    const own = await subscribe(`users/${user.id}/events`, authorization(user))
    const { email, password } = user
    await client.sendJson('POST', '/auth/token', { email, password: 'wrong' })
    // A failed attempt is told after its response.
    await own.events(1)
    await client.sendJson('POST', '/auth/token', { email, password })
    const events = await own.events(3)
    expect(typesOf(events)).toEqual(['login.attempt', 'login.attempt', 'user.authenticated'])
    expect(events[0].attempt).toMatchObject({ email, success: false, reason: 'invalid_credentials' })
    own.socket.close()
  })

  it('has the history of its own', async () => {
    const [user, other] = [await createAccount(client), await createAccount(client)]
    for (const { email, password } of [other, user]) await client.sendJson('POST', '/auth/token', { email, password })
    const { socket, events } = await subscribe(`users/${user.id}/events?includeHistory=true`, authorization(user))
    const past = await events(3)
    expect(typesOf(past)).toEqual(['user.signed_up', 'login.attempt', 'user.authenticated'])
    expect(past[1].attempt.email).toBe(user.email)
    socket.close()
  })
})

describe('the channel of celestial bodies', () => {
  it('tells of planets and satellites, as other events of the same request', async () => {
    const { socket, events } = await subscribe('celestial-bodies/events')
    const { id } = await createPlanet(client, account, { name: 'Body', satellites: [{ name: 'Moon' }] })
    const [planet, satellite] = await events(2)
    expect(planet.celestialBody).toMatchObject({ type: 'planet', planet: { id } })
    expect(satellite.celestialBody).toMatchObject({ type: 'satellite', satellite: { name: 'Moon' } })
    expect(satellite.metadata.requestId).toBe(planet.metadata.requestId)
    socket.close()
  })

  it.each([
    ['bodyType=planet', ['Planet']],
    ['bodyType=satellite', ['Moon', 'Rock']],
    ['bodyType=asteroid', ['Rock']],
    ['bodyType=comet', []],
    ['minHabitability=0.5', ['Planet']],
    ['minHabitability=-0', ['Planet']],
    ['minHabitability=-0.0', ['Planet']],
    ['minHabitability=0.6', []],
    ['minHabitability=0.5&bodyType=satellite', []],
  ])('can be limited by %s', async (query, expected) => {
    const { socket, events } = await subscribe(`celestial-bodies/events?${query}`)
    const end = await subscribe('celestial-bodies/events')
    const satellites = [
      { name: 'Moon', type: 'moon' },
      { name: 'Rock', type: 'asteroid' },
    ]
    await createPlanet(client, account, { name: 'Planet', habitabilityIndex: 0.5, satellites })
    await end.events(3)
    const found = await events(expected.length)
    expect(found.map(({ celestialBody: { planet, satellite } }) => (planet ?? satellite).name)).toEqual(expected)
    for (const opened of [socket, end.socket]) opened.close()
  })
})

describe('the channel of requests', () => {
  const ask = async (account?: Account, headers = {}) =>
    await openSocket(client, 'planets/1/get', { ...authorization(account), ...headers })

  it('answers with the planets that the messages name, in their order, without an acknowledgement', async () => {
    const [one, two] = [
      await createPlanet(client, account, { name: 'One', satellites: [{ name: 'Moon' }] }),
      await createPlanet(client, account, { name: 'Two', description: null }),
    ]
    const { socket, until } = await ask()
    for (const { id } of [two, one, two]) socket.send(JSON.stringify({ requestId: 'r', planetId: id }))
    const frames = await until(3)
    for (const frame of frames) expectDocumentedFrame('planetRequest', frame)
    const { description: _, ...shown } = two
    expect(frames.map((frame) => JSON.parse(frame))).toEqual([shown, one, shown])
    socket.close()
  })

  it.each([
    ['{"requestId":"r1","planetId":999999}', { status: 404, requestId: 'r1' }],
    ['{"requestId":"r1","planetId":"x"}', { status: 400, requestId: 'r1', errors: [{ pointer: '/planetId' }] }],
    ['{"planetId":1}', { status: 400, errors: [{ pointer: '/requestId' }] }],
    ['not JSON', { status: 400 }],
    ['null', { status: 400 }],
    ['[]', { status: 400 }],
  ])('answers %s with a problem, and goes on', async (text, problem) => {
    const { socket, until } = await ask()
    socket.send(text)
    socket.send(text)
    const frames = await until(2)
    for (const frame of frames) {
      expectDocumentedFrame('planetRequest', frame)
      expect(JSON.parse(frame)).toMatchObject(problem)
    }
    socket.close()
  })

  it('repeats the headers of an envelope', async () => {
    const { id } = await createPlanet(client, account, { name: 'Sealed' })
    const { socket, until } = await ask(undefined, ENVELOPE)
    const headers = { correlationId: 'b7b6d9a2-7b0e-4f0e-9d33-6a3c1a3f8f10', 'x-request-id': 'mine' }
    socket.send(JSON.stringify({ headers, payload: { requestId: 'r', planetId: id } }))
    socket.send('junk')
    const [reply = '', refusal = ''] = await until(2)
    for (const frame of [reply, refusal]) expectDocumentedFrame('planetRequest', frame, { envelope: true })
    expect(JSON.parse(reply)).toMatchObject({ headers, payload: { id } })
    expect(JSON.parse(refusal).payload.status).toBe(400)
    socket.close()
  })
})
