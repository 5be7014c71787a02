import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commit } from '../../../../src/changes/commit.ts'
import type { Happening } from '../../../../src/events/happening.ts'
import { STREAM_TYPES } from '../../../../src/features/live/event-stream.ts'
import { EVENT_TYPES, type EventType, LIVE_EVENTS } from '../../../../src/schemas/live/catalogue.ts'
import { type Account, authorization, bodyOf, createAccount, createClient, createPlanet } from '../../../support/app.ts'
import { writerOf } from '../../../support/changes.ts'
import { scopesWithout, storeKey } from '../../../support/credentials.ts'
import { finishDeferred } from '../../../support/deferred.ts'
import { askForSocket, type OpenSocket, openSocket } from '../../../support/sockets.ts'
import { readStream } from '../../../support/streams.ts'

// Who hears what: everything that only a user may see is caused once, and every other reader is asked for it
// everywhere.

interface Event {
  eventId: string
  eventType: EventType
}

type Headers = Record<string, string>

const PRIVATE = EVENT_TYPES.filter((type) => LIVE_EVENTS[type].audience === 'user')
const ADDRESS = '192.0.2.77'
const AGENT = 'A-Secret-Agent/1'
/** The last event of each channel, which everybody hears. */
const LAST = 'The last one'

const client = createClient()

let user: Account
let planetId: number
/** What happened to the user, which nobody else may see: the ids of the events. */
let told: Set<string>
/** What is in these events. */
let secrets: string[]
/** The readers, by the headers of their requests. */
let readers: Record<'anonymous' | 'somebody else' | 'the user without the scope' | 'the user', Headers>

beforeAll(async () => {
  const other = await createAccount(client)
  user = await createAccount(client)
  secrets = [user.email, ADDRESS, AGENT]
  const { id } = await createPlanet(client, user, { name: 'Arrakis' })
  planetId = id
  const { key } = await storeKey(client, user.id, scopesWithout('read:user:events'))
  readers = {
    anonymous: {},
    'somebody else': authorization(other),
    'the user without the scope': { 'X-API-Key': key },
    'the user': authorization(user),
  }
})

/** Causes each event that only the user may see, and then the last event of each channel. */
async function causeEverything(): Promise<void> {
  await signIn(user.password)
  await signIn('wrong')
  for (const type of PRIVATE) {
    if (LIVE_EVENTS[type].isTriggerableByAnyone) await client.sendJson('POST', '/events', { type }, user)
  }
  const rateLimit = { limit: 1, window: 'PT60S', exceededBy: 1 }
  await write({ kind: 'rate_limited', body: { id: user.id }, details: { rateLimit, request: LIMITED } }, user.id)
  const maintenance = { type: 'hotfix', status: 'starting', duration: 'PT1S', description: LAST }
  await write({ kind: 'triggered', body: { maintenance }, details: { type: 'system.maintenance' } })
  // The hub hears of requests, and then reads what a test has written, too.
  await client.sendJson('PUT', `/planets/${planetId}`, { name: LAST }, user)
}

const LIMITED = { endpoint: '/planets', method: 'POST' }

async function signIn(password: string): Promise<void> {
  await client.send('/auth/token', {
    method: 'POST',
    body: JSON.stringify({ email: user.email, password }),
    headers: { 'Content-Type': 'application/json', 'CF-Connecting-IP': ADDRESS, 'User-Agent': AGENT },
  })
  await finishDeferred()
}

/** Writes what no request of a test can cause. */
const write = (happening: Happening, userId: number | null = null) =>
  commit(writerOf(client), { statements: [], happened: { ...happening, userId } })

/** The last frame of a public channel. The user's own channel has none. */
const hasLast = (frame: string) => frame.includes(LAST)

const isTold = ({ eventId }: Event) => told.has(eventId)

/** All events of the list that a reader may see. */
async function listAll(headers: Headers): Promise<Event[]> {
  const events: Event[] = []
  for (let path: string | null = '/events?limit=100'; path; ) {
    const { data, meta } = await bodyOf(await client.get(path, headers))
    events.push(...data)
    path = meta.next
  }
  return events
}

const CHANNELS = {
  planetEvents: () => `planets/${planetId}/events`,
  celestialBodyEvents: () => 'celestial-bodies/events',
  systemEvents: () => 'system/events',
}

/** Waits until a socket has the last event of its channel. */
async function untilLast(socket: OpenSocket): Promise<Event[]> {
  for (let count = 1; !socket.frames.some(hasLast); count++) await socket.until(count)
  const [, ...events] = socket.frames
  return events.map((frame) => JSON.parse(frame))
}

describe('what happens to a user', () => {
  const sockets: { reader: string; channel: string; live: OpenSocket }[] = []

  beforeAll(async () => {
    for (const [reader, headers] of Object.entries(readers)) {
      for (const [channel, path] of Object.entries(CHANNELS)) {
        const live = await openSocket(client, path(), headers)
        sockets.push({ reader, channel, live })
      }
    }
    await causeEverything()
    const listed = await listAll(readers['the user'])
    told = new Set(listed.filter(({ eventType }) => PRIVATE.includes(eventType)).map(({ eventId }) => eventId))
  })

  afterAll(() => {
    for (const { live } of sockets) live.socket.close()
  })

  const others = ['anonymous', 'somebody else', 'the user without the scope'] as const

  it.each(others)('is not told to %s, on any socket', async (reader) => {
    for (const { live } of sockets.filter((socket) => socket.reader === reader)) {
      const events = await untilLast(live)
      expect(events.filter(isTold)).toEqual([])
      expectNoSecret(live.frames.join('\n'))
    }
  })

  it.each(others)('is not told to %s, in the history of a socket', async (reader) => {
    for (const path of Object.values(CHANNELS)) {
      const socket = await openSocket(client, `${path()}?includeHistory=true`, readers[reader])
      const events = await untilLast(socket)
      expect(events.filter(isTold)).toEqual([])
      expectNoSecret(socket.frames.join('\n'))
      socket.socket.close()
    }
  })

  it.each(others)('refuses its channel to %s', async (reader) => {
    const response = await askForSocket(client, `users/${user.id}/events?includeHistory=true`, readers[reader])
    expect(response.status).toBe(reader === 'anonymous' ? 401 : 403)
    expectNoSecret(await response.text())
  })

  it.each(others)('is not told to %s, in the list or one by one', async (reader) => {
    const events = await listAll(readers[reader])
    expect(events.map(({ eventType }) => eventType)).toContain('planet.updated')
    expect(events.filter(isTold)).toEqual([])
    expectNoSecret(JSON.stringify(events))
    for (const eventId of told) {
      expect((await client.get(`/events/${eventId}`, readers[reader])).status).toBe(404)
      const after = await bodyOf(await client.get(`/events?after=${eventId}&limit=1`, readers[reader]))
      // As for an id that the log does not have, so that nobody learns that there is such an event.
      expect(after.meta.gap).toBe(true)
    }
  })

  it.each([...others, 'the user'] as const)('is not in a stream of %s', async (reader) => {
    const [first] = await listAll(readers['the user'])
    for (const accept of STREAM_TYPES) {
      const headers = { Accept: accept, 'Last-Event-ID': first?.eventId ?? '', ...readers[reader] }
      const stream = readStream(await client.sendRaw('/planets/events', { headers }))
      expectNoSecret(await stream.until(LAST))
      await stream.cancel()
    }
  })

  it('is told to the user: on the own channel, on that of the system, and in the list', async () => {
    const own = await openSocket(client, `users/${user.id}/events?includeHistory=true`, readers['the user'])
    const ownTypes = PRIVATE.filter((type) => LIVE_EVENTS[type].channel === 'userEvents')
    const system = sockets.find(({ reader, channel }) => reader === 'the user' && channel === 'systemEvents')
    const heard = [...(await until(own, ownTypes)), ...(system ? await untilLast(system.live) : [])]
    const listed = await listAll(readers['the user'])
    for (const events of [heard, listed]) {
      const types = new Set(events.filter(isTold).map(({ eventType }) => eventType))
      expect([...types].sort()).toEqual(PRIVATE.toSorted())
      for (const secret of secrets) expect(JSON.stringify(events)).toContain(secret)
    }
    own.socket.close()
  })

  /** Waits until a socket has an event of each of these types. */
  async function until(socket: OpenSocket, types: readonly string[]): Promise<Event[]> {
    for (let count = 1; ; count++) {
      const [, ...frames] = await socket.until(count)
      const events: Event[] = frames.map((frame) => JSON.parse(frame))
      if (types.every((type) => events.some(({ eventType }) => eventType === type))) return events
    }
  }

  function expectNoSecret(text: string): void {
    for (const secret of secrets) expect(text).not.toContain(secret)
  }
})
