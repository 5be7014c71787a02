import { env } from 'cloudflare:workers'
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseEventId } from '../../../../src/domain/event-id.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
} from '../../../support/app.ts'
import { finishDeferred } from '../../../support/deferred.ts'
import { ForeignProvider } from '../../../support/foreign-provider.ts'
import { logOf, typesOf } from '../../../support/live-log.ts'
import { makePicture } from '../../../support/pictures.ts'

// What each request tells the log, in which order, and with what.

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

const post = async (path: string, body: unknown) => bodyOf(await client.sendJson('POST', path, body, account))
const send = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
  client.send(path, { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json', ...headers } })
const put = (id: number, body: unknown, headers = {}) =>
  send('PUT', `/planets/${id}`, body, { ...authorization(account), ...headers })
const remove = (path: string) => client.send(path, { method: 'DELETE', headers: authorization(account) })

const TWO_MOONS = { name: 'Mars', satellites: [{ name: 'Phobos' }, { name: 'Deimos', orbit: { distance: 23_460 } }] }

describe('POST /planets', () => {
  it('tells of the planet, then of its satellites, then of all of them as celestial bodies', async () => {
    const { rows, events } = await logOf(() => post('/planets', TWO_MOONS))
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'planet.created',
      ...Array(2).fill('satellite.discovered'),
      ...Array(3).fill('celestial_body.created'),
    ])
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ userId: null, eventCount: events.length })
  })

  it('with the planet as GET returns it, and with the ids of its satellites', async () => {
    let id = 0
    const { events } = await logOf(async () => ({ id } = await post('/planets', { ...TWO_MOONS, description: null })))
    const { description, ...planet } = await bodyOf(await client.get(`/planets/${id}`))
    expect(description).toBeNull()
    expect(events[0]?.planet).toEqual(planet)
    const [phobos, deimos] = planet.satellites
    const orbit = { planet: { id, name: 'Mars' } }
    expect(events[1]?.satellite).toEqual({ ...phobos, orbit })
    expect(events[2]?.satellite).toEqual({ ...deimos, orbit: { ...orbit, distance: 23_460 } })
    expect(events.slice(3).map(({ celestialBody }) => celestialBody)).toEqual([
      { type: 'planet', planet },
      { type: 'satellite', satellite: events[1]?.satellite },
      { type: 'satellite', satellite: events[2]?.satellite },
    ])
  })

  it('under ids of their own, with the request in common', async () => {
    const requestId = crypto.randomUUID()
    const { events } = await logOf(() =>
      send('POST', '/planets', TWO_MOONS, { ...authorization(account), 'X-Request-ID': requestId }),
    )
    expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(6)
    expect(events.map(({ eventId }) => parseEventId(eventId)?.index)).toEqual([0, 1, 2, 3, 4, 5])
    for (const { metadata } of events) {
      expect(metadata).toEqual({ source: 'rest-api', userId: account.id, requestId, correlationId: requestId })
    }
  })

  it('tells nothing if it is refused', async () => {
    expect(await typesOf(() => post('/planets', { name: '' }))).toEqual([])
  })
})

const DRY = { name: 'Arrakis', tags: ['dry'], description: 'Dune' }
/** What is told if that planet becomes wet and loses its description. */
const eventsOfRain = (id: number) => [
  {
    eventType: 'planet.updated',
    planet: { id, tags: ['wet'] },
    changes: [
      { field: 'description', oldValue: 'Dune', newValue: null },
      { field: 'tags', oldValue: ['dry'], newValue: ['wet'] },
    ],
  },
  { eventType: 'celestial_body.updated', celestialBody: { type: 'planet' } },
]

describe('PUT /planets/{planetId}', () => {
  it('tells what has changed, with the values before and after', async () => {
    const { id } = await createPlanet(client, account, DRY)
    const { events } = await logOf(() => put(id, { name: 'Arrakis', tags: ['wet'] }))
    expect(events).toMatchObject(eventsOfRain(id))
  })

  it('tells of an update even if nothing differs', async () => {
    const { id } = await createPlanet(client, account, { name: 'Same' })
    const { events } = await logOf(() => put(id, { name: 'Same' }))
    expect(events).toMatchObject([
      { eventType: 'planet.updated', changes: [] },
      { eventType: 'celestial_body.updated', changes: [] },
    ])
  })

  it('tells of no change if a member that was null is left out', async () => {
    const moons = [{ name: 'Phobos', description: null }]
    const { id } = await createPlanet(client, account, { name: 'Mars', description: null, satellites: moons })
    const { events } = await logOf(() => put(id, { name: 'Mars', satellites: [{ name: 'Phobos' }] }))
    expect(events).toMatchObject([
      { eventType: 'planet.updated', changes: [] },
      { eventType: 'celestial_body.updated', changes: [] },
    ])
  })

  it.each([
    ['a merge patch', 'application/merge-patch+json', { description: null, tags: ['wet'] }],
    [
      'a JSON Patch',
      'application/json-patch+json',
      [
        { op: 'remove', path: '/description' },
        { op: 'replace', path: '/tags/0', value: 'wet' },
      ],
    ],
  ])('by %s tells the same', async (_, mediaType, patch) => {
    const { id } = await createPlanet(client, account, DRY)
    const headers = { ...authorization(account), 'Content-Type': mediaType }
    const { rows, events } = await logOf(() => send('PATCH', `/planets/${id}`, patch, headers))
    expect(rows).toHaveLength(1)
    expect(events).toMatchObject(eventsOfRain(id))
  })

  it('by a patch that is refused tells nothing', async () => {
    const { id } = await createPlanet(client, account, { name: 'Arrakis' })
    const headers = { ...authorization(account), 'Content-Type': 'application/merge-patch+json' }
    expect(await typesOf(() => send('PATCH', `/planets/${id}`, { name: null }, headers))).toEqual([])
  })

  it('tells of the atmosphere, of new satellites, and of changed ones', async () => {
    const { id } = await createPlanet(client, account, TWO_MOONS)
    const atmosphere = [{ compound: 'CO2', percentage: 95.3 }]
    const satellites = [
      { name: 'Phobos', diameter: 22 },
      { name: 'Deimos', orbit: { distance: 23_460 } },
      { name: 'New' },
    ]
    const { events } = await logOf(() => put(id, { name: 'Mars', atmosphere, satellites }))
    expect(events).toMatchObject([
      { eventType: 'planet.updated' },
      { eventType: 'atmosphere.changed', planet: { id, name: 'Mars' }, atmosphere },
      { eventType: 'satellite.discovered', satellite: { name: 'New', orbit: { planet: { id } } } },
      { eventType: 'celestial_body.updated', celestialBody: { planet: { id } } },
      {
        eventType: 'celestial_body.updated',
        celestialBody: { satellite: { name: 'Phobos' } },
        changes: [{ field: 'diameter', oldValue: null, newValue: 22 }],
      },
      { eventType: 'celestial_body.created', celestialBody: { satellite: { name: 'New' } } },
    ])
    const stored = await bodyOf(await client.get(`/planets/${id}`))
    expect(events[0]?.planet).toEqual(stored)
  })

  it('tells nothing if its condition fails', async () => {
    const { id } = await createPlanet(client, account, { name: 'Seen' })
    expect(await typesOf(() => put(id, { name: 'Unseen' }, { 'If-Match': '"other"' }))).toEqual([])
  })
})

describe('the end of a planet', () => {
  it('DELETE tells only that it is gone', async () => {
    const { id } = await createPlanet(client, account, TWO_MOONS)
    const { events } = await logOf(() => remove(`/planets/${id}`))
    expect(events).toMatchObject([{ eventType: 'planet.deleted', planetId: id, planetName: 'Mars' }])
    expect(events).toHaveLength(1)
    expect(events[0]).not.toHaveProperty('reason')
  })

  it('an explosion tells only of the explosion', async () => {
    const { id } = await createPlanet(client, account, TWO_MOONS)
    let last: unknown
    const { events } = await logOf(async () => {
      last = await post(`/planets/${id}/explode`, undefined)
    })
    expect(events).toMatchObject([
      { eventType: 'planet.exploded', planet: last, explosion: { type: 'artificial', intensity: 10 } },
    ])
    expect(events).toHaveLength(1)
  })
})

describe('POST /planets/{planetId}/image', () => {
  it('tells of the update, then of the image', async () => {
    const { id } = await createPlanet(client, account, { name: 'Pictured' })
    const form = new FormData()
    form.set('image', new Blob([makePicture()]))
    let reply: { imageUrl?: string; uploadedAt?: string; fileSize?: number; mimeType?: string } = {}
    const { events } = await logOf(async () => {
      const sent = { method: 'POST', body: form, headers: authorization(account) }
      reply = await bodyOf(await client.send(`/planets/${id}/image`, sent))
    })
    const { imageUrl, uploadedAt, fileSize, mimeType } = reply
    expect(events).toMatchObject([
      { eventType: 'planet.updated', changes: [{ field: 'image', oldValue: null, newValue: imageUrl }] },
      {
        eventType: 'image.uploaded',
        planet: { id, name: 'Pictured' },
        image: { url: imageUrl, uploadedAt, fileSize, mimeType },
        uploader: { id: account.id, name: 'Ada' },
      },
      { eventType: 'celestial_body.updated' },
    ])
  })
})

describe('POST /celestial-bodies', () => {
  it('a planet tells the same as POST /planets', async () => {
    expect(await typesOf(() => post('/celestial-bodies', { name: 'Ix', type: 'terrestrial' }))).toEqual([
      'planet.created',
      'celestial_body.created',
    ])
  })

  it('a satellite of a planet changes the planet', async () => {
    const { id } = await createPlanet(client, account, {
      name: 'Home',
      description: null,
      satellites: [{ name: 'First' }],
    })
    const moon = { name: 'Second', type: 'moon', diameter: 12, orbit: { planet: { id }, distance: 5 } }
    let moonId = 0
    const { events } = await logOf(async () => ({ id: moonId } = await post('/celestial-bodies', moon)))
    const { description, ...planet } = await bodyOf(await client.get(`/planets/${id}`))
    expect(description).toBeNull()
    const [first] = planet.satellites
    expect(planet.satellites[1]).toMatchObject({ id: moonId, name: 'Second' })
    const changes = [{ field: 'satellites', oldValue: [first], newValue: planet.satellites }]
    expect(events).toMatchObject([
      { eventType: 'planet.updated', planet, changes },
      { eventType: 'satellite.discovered', satellite: planet.satellites[1] },
      { eventType: 'celestial_body.updated', celestialBody: { type: 'planet', planet }, changes },
      { eventType: 'celestial_body.created', celestialBody: { satellite: { id: moonId } } },
    ])
    expect(events[0]?.planet).toEqual(planet)
  })

  it('the first satellite of a planet without a list changes it from nothing', async () => {
    const { id } = await createPlanet(client, account, { name: 'Alone' })
    const moon = { name: 'First', type: 'moon', orbit: { planet: { id } } }
    const { events } = await logOf(() => post('/celestial-bodies', moon))
    expect(events[0]?.changes).toMatchObject([{ field: 'satellites', oldValue: null, newValue: [{ name: 'First' }] }])
  })

  it('a free satellite, and those of its own, are only celestial bodies', async () => {
    const comet = { name: 'Halley', type: 'comet', orbit: { orbitalPeriod: 27_500 }, satellites: [{ name: 'Shard' }] }
    let stored: { id?: number; satellites?: { id: number }[] } = {}
    const { events } = await logOf(async () => (stored = await post('/celestial-bodies', comet)))
    expect(events.map(({ celestialBody }) => celestialBody)).toEqual([
      {
        type: 'satellite',
        satellite: { id: stored.id, name: 'Halley', type: 'comet', orbit: { orbitalPeriod: 27_500 } },
      },
      { type: 'satellite', satellite: { id: stored.satellites?.[0]?.id, name: 'Shard' } },
    ])
  })

  it('a star tells nothing, but its satellites are told', async () => {
    expect(await typesOf(() => post('/celestial-bodies', { name: 'Sun', type: 'star' }))).toEqual([])
    const star = { name: 'Sun', type: 'star', satellites: [{ name: 'Comet' }] }
    expect(await typesOf(() => post('/celestial-bodies', star))).toEqual(['celestial_body.created'])
  })
})

describe('a user', () => {
  const PASSWORD = 'long enough to be safe'
  const ADDRESS = { 'CF-Connecting-IP': '192.0.2.7', 'User-Agent': 'Galaxy-Test/1' }
  const signUp = (email: string) => send('POST', '/user/signup', { email, password: PASSWORD, name: 'Eve' }, ADDRESS)
  const signIn = async (email: string, password = PASSWORD) => {
    const response = await send('POST', '/auth/token', { email, password }, ADDRESS)
    await finishDeferred()
    return response
  }
  const makeEmail = () => `${crypto.randomUUID()}@galaxy.test`

  it('signs up', async () => {
    const email = makeEmail()
    const { rows, events } = await logOf(() => signUp(email))
    expect(events).toMatchObject([
      {
        eventType: 'user.signed_up',
        user: { name: 'Eve' },
        registration: { method: 'email', source: 'api', ipAddress: '192.0.2.7' },
      },
    ])
    expect(events[0]?.user).toMatchObject({ id: rows[0]?.userId })
    expect(JSON.stringify(events)).not.toContain(email)
    expect(await typesOf(() => signUp(email))).toEqual([])
  })

  it('signs in, or fails to', async () => {
    const email = makeEmail()
    const { id } = await bodyOf(await signUp(email))
    let token = ''
    const right = await logOf(async () => ({ token } = await bodyOf(await signIn(email))))
    const expiresAt = new Date((decodeJwt(token).exp ?? 0) * 1000).toISOString()
    const client = { ipAddress: '192.0.2.7', userAgent: 'Galaxy-Test/1' }
    expect(right.events).toMatchObject([
      { eventType: 'login.attempt', attempt: { email, success: true, reason: 'success', ...client } },
      {
        eventType: 'user.authenticated',
        user: { id, name: 'Eve' },
        authentication: { method: 'bearer_token', tokenType: 'JWT', expiresAt },
        session: client,
      },
    ])
    expect(right.rows[0]?.userId).toBe(id)
    const wrong = await logOf(() => signIn(email, 'wrong'))
    expect(wrong.events).toMatchObject([
      { eventType: 'login.attempt', attempt: { email, success: false, reason: 'invalid_credentials' } },
    ])
    expect(wrong.events[0]?.metadata).not.toHaveProperty('userId')
    expect(wrong.rows[0]?.userId).toBe(id)
  })

  it('comes from a foreign provider with the first request', async () => {
    const provider = await ForeignProvider.create()
    const foreign = createClient({ foreignIssuers: provider.issuers() })
    const subject = crypto.randomUUID()
    const token = await provider.issue(subject, ['read:account'])
    const look = async () => {
      const response = await foreign.get('/me/api-keys', { Authorization: `Bearer ${token}`, ...ADDRESS })
      expect(response.status).toBe(200)
    }
    const { rows, events } = await logOf(look)
    const { id } = (await env.DB.prepare('select id from users where subject = ?').bind(subject).first()) ?? {}
    expect(events).toMatchObject([
      {
        eventType: 'user.signed_up',
        user: { id },
        registration: { method: 'sso', source: 'api', ipAddress: '192.0.2.7' },
      },
    ])
    expect(rows[0]?.userId).toBe(id)
    expect(await typesOf(look)).toEqual([])
  })

  it('is locked out while suspended, and hears so only with the right password', async () => {
    const email = makeEmail()
    const { id } = await bodyOf(await signUp(email))
    await env.DB.prepare('update users set suspended_at = ? where id = ?').bind(Date.now(), id).run()
    const right = await logOf(() => signIn(email))
    expect(right.events).toMatchObject([
      { eventType: 'login.attempt', attempt: { email, success: false, reason: 'account_locked' } },
    ])
    expect(right.events).toHaveLength(1)
    expect(right.rows[0]?.userId).toBe(id)
    const wrong = await logOf(() => signIn(email, 'wrong'))
    expect(wrong.events).toMatchObject([{ attempt: { success: false, reason: 'invalid_credentials' } }])
  })

  it('of an unknown address is told to nobody', async () => {
    expect(await typesOf(() => signIn(makeEmail()))).toEqual([])
  })

  it('gets another name', async () => {
    const user = await createAccount(client)
    const rename = (name: string) => client.sendJson('PATCH', '/me', { name }, user)
    const { events } = await logOf(() => rename('Grace'))
    expect(events).toMatchObject([
      {
        eventType: 'user.profile_updated',
        user: { id: user.id, name: 'Grace' },
        changes: [{ field: 'name', oldValue: 'Ada', newValue: 'Grace' }],
      },
    ])
    expect(await typesOf(() => rename('Grace'))).toEqual([])
  })

  it('leaves: the earlier events of the user go, and the planets are told', async () => {
    const user = await createAccount(client)
    const { id } = await createPlanet(client, user, TWO_MOONS)
    await client.sendJson('PATCH', '/me', { name: 'Grace' }, user)
    const { events } = await logOf(() => client.sendJson('DELETE', '/me', '', user))
    expect(events).toMatchObject([
      { eventType: 'user.deleted', user: { id: user.id } },
      { eventType: 'planet.deleted', planetId: id, planetName: 'Mars', reason: expect.stringContaining('account') },
    ])
  })
})
