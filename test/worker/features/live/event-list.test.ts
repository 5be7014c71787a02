import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { trimLog } from '../../../../src/changes/log.ts'
import { openD1, openSession } from '../../../../src/db/port.ts'
import { LOG_BYTES_MAX, LOG_HOURS, LOG_ROWS_MAX } from '../../../../src/domain/limits.ts'
import { PAGE_PLACES_MAX } from '../../../../src/features/live/queries.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
} from '../../../support/app.ts'
import { storeKey } from '../../../support/credentials.ts'
import { meterDatabase } from '../../../support/metered-database.ts'
import { openSocket } from '../../../support/sockets.ts'
import { BASE_PATH, pathWithin } from '../../../support/world.ts'

// The log as a list: GET /events and GET /events/{eventId}.

const HOUR_MS = 60 * 60 * 1000

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

/** The newest row stays, so that its place is not used again. */
beforeEach(async () => {
  await env.DB.prepare('delete from log where place < (select max(place) from log)').run()
  await env.DB.prepare('update log set created_at = 0').run()
})

const list = async (query = '', headers = authorization(account)) =>
  bodyOf(await client.get(`/events${query}`, headers))
const typesOf = ({ data }: { data: { eventType: string }[] }) => data.map(({ eventType }) => eventType)
const idsOf = ({ data }: { data: { eventId: string }[] }) => data.map(({ eventId }) => eventId)
const create = (name: string, moons = 0) =>
  createPlanet(client, account, { name, satellites: Array.from({ length: moons }, (_, i) => ({ name: `Moon ${i}` })) })
const rename = (name: string) => client.sendJson('PATCH', '/me', { name }, account)

/**
 * Writes rows with one event each to the log.
 *
 * @param bytes The size of all of them together, as far as the log knows
 */
const insertRows = (count: number, { userId = null, bytes = 0 }: { userId?: number | null; bytes?: number } = {}) =>
  env.DB.prepare(`
    with recursive n(i) as (values (1) union all select i + 1 from n where i < ?1)
    insert into log (kind, user_id, event_count, created_at, salt, bytes_until, public_until, private_until, body, details)
    select iif(?3 is null, 'planet_exploded', 'user_deleted'), ?3, 1, ?2, printf('a%015x', random() & 0xfffffffffff), coalesce((select max(bytes_until) from log), 0) + ?4,
      coalesce((select max(public_until) from log), 0) + iif(?3 is null, i, 0), iif(?3 is null, 0, i),
      '{"id":1,"name":"a"}', '{}' from n`)
    .bind(count, Date.now(), userId, bytes)
    .run()

describe('GET /events', () => {
  it('lists what has happened in its order', async () => {
    await create('First')
    await create('Second', 1)
    const page = await list('', {})
    expect(typesOf(page)).toEqual([
      ...['planet.created', 'celestial_body.created'],
      ...['planet.created', 'satellite.discovered', 'celestial_body.created', 'celestial_body.created'],
    ])
    expect(page.meta).toEqual({ limit: 10, offset: 0, total: 6, next: null })
  })

  it('can be read in pages that begin and end within a request, without a gap or a double', async () => {
    for (const moons of [2, 0, 3]) await create('Many', moons)
    const all = idsOf(await list('?limit=100', {}))
    expect(all).toHaveLength(6 + 2 + 8)
    for (const limit of [1, 3, 5, 7]) {
      const read: string[] = []
      for (let path: string | null = `/events?limit=${limit}`; path !== null; ) {
        const page = await bodyOf(await client.get(path))
        expect(page.meta.total).toBe(all.length)
        read.push(...idsOf(page))
        path = page.meta.next && pathWithin(page.meta.next)
      }
      expect(read).toEqual(all)
    }
  })

  it('can go on after an event', async () => {
    for (const moons of [2, 0, 3]) await create('Many', moons)
    const all = idsOf(await list('?limit=100', {}))
    for (const [index, id] of all.entries()) {
      const page = await list(`?limit=4&after=${id}`, {})
      expect(idsOf(page)).toEqual(all.slice(index + 1, index + 5))
      expect(page.meta.total).toBe(all.length - index - 1)
      expect(page.meta.next).toBe(index + 5 < all.length ? `${BASE_PATH}/events?limit=4&after=${all[index + 4]}` : null)
    }
  })

  it('begins with the oldest event, and says so, if the log does not have the given one', async () => {
    await create('Kept')
    const page = await list(`?after=019bc210-3240-7000-a168-2f0000000001`, {})
    expect(page).toMatchObject({ data: [{ eventType: 'planet.created' }, {}], meta: { gap: true, total: 2 } })
  })

  it.each(['after=evt_1', 'after=', 'limit=0'])('rejects ?%s', async (query) => {
    expect((await client.get(`/events?${query}`)).status).toBe(400)
  })

  it('shows the events of a user only to this user, with the scope', async () => {
    await rename(crypto.randomUUID())
    const stranger = await createAccount(client)
    const withScope = await storeKey(client, account.id, ['read:events', 'read:user:events'])
    const withoutScope = await storeKey(client, account.id, ['read:events'])
    const seenBy = async (headers: Record<string, string>) => typesOf(await list('', headers))
    expect(await seenBy(authorization(account))).toEqual(['user.profile_updated'])
    expect(await seenBy({ 'X-API-Key': withScope.key })).toEqual(['user.profile_updated'])
    expect(await seenBy({ 'X-API-Key': withoutScope.key })).toEqual([])
    expect(await seenBy({})).toEqual([])
    expect(await seenBy(authorization(stranger))).not.toContain('user.profile_updated')
  })

  it('counts only what the caller may see', async () => {
    await rename(crypto.randomUUID())
    await create('Public')
    expect((await list()).meta.total).toBe(3)
    expect((await list('', {})).meta.total).toBe(2)
    expect(idsOf(await list('?offset=1'))).toEqual(idsOf(await list('', {})))
  })

  it('rejects a wrong credential', async () => {
    expect((await client.get('/events', { Authorization: 'Bearer forged' })).status).toBe(401)
  })

  it('forgets an event after a day', async () => {
    await create('Old')
    const later = createClient({ now: () => new Date(Date.now() + LOG_HOURS * HOUR_MS + 1) })
    const soon = createClient({ now: () => new Date(Date.now() + LOG_HOURS * HOUR_MS - 60_000) })
    expect((await bodyOf(await soon.get('/events'))).meta.total).toBe(2)
    expect((await bodyOf(await later.get('/events'))).meta.total).toBe(0)
  })

  it(`has at most the events of ${LOG_ROWS_MAX} requests`, async () => {
    await insertRows(LOG_ROWS_MAX)
    expect((await list('', {})).meta.total).toBe(LOG_ROWS_MAX)
    await insertRows(1)
    expect((await list('', {})).meta.total).toBe(LOG_ROWS_MAX)
  })

  it(`has at most the newest ${LOG_BYTES_MAX / 2 ** 20} MiB, and so has a socket`, async () => {
    await create('Oldest')
    await create('Newer')
    const [oldest, , newer] = idsOf(await list('', {}))
    const sizes = await env.DB.prepare('select bytes_until from log order by place desc limit 2').raw<[number]>()
    const [[until = 0] = [], [before = 0] = []] = sizes
    /** Makes the newest row so large that the log has so many bytes after the first of these rows. */
    const fill = (bytes: number) => insertRows(1, { bytes: before + bytes - until })
    await fill(LOG_BYTES_MAX - 1)
    expect(idsOf(await list('', {}))).toContain(oldest)
    expect((await client.get(`/events/${oldest}`)).status).toBe(200)
    const socket = await openSocket(client, `celestial-bodies/events?lastEventId=${oldest}`)
    expect(JSON.parse((await socket.until(1))[0] ?? '')).not.toHaveProperty('gap')
    await env.DB.prepare('delete from log where place = (select max(place) from log)').run()
    await fill(LOG_BYTES_MAX)
    expect(idsOf(await list('', {}))).not.toContain(oldest)
    expect(idsOf(await list('', {}))).toContain(newer)
    expect((await client.get(`/events/${oldest}`)).status).toBe(404)
    const late = await openSocket(client, `celestial-bodies/events?lastEventId=${oldest}`)
    expect(JSON.parse((await late.until(1))[0] ?? '')).toMatchObject({ gap: true })
    for (const { socket: opened } of [socket, late]) opened.close()
  })

  it('counts the size of a row as it is stored', async () => {
    await create('Measured')
    await create('Sized')
    const rows = await env.DB.prepare(
      'select bytes_until, octet_length(body) + octet_length(details) as bytes from log order by place desc limit 2',
    ).all<{ bytes_until: number; bytes: number }>()
    const [newest, previous] = rows.results
    expect((newest?.bytes_until ?? 0) - (previous?.bytes_until ?? 0)).toBe(newest?.bytes)
  })

  it('has the same pages for a user whose events are among those of everybody and of others', async () => {
    const stranger = await createAccount(client)
    for (let round = 0; round < 4; round++) {
      await create(`Public ${round}`, round)
      await rename(crypto.randomUUID())
      await client.sendJson('PATCH', '/me', { name: crypto.randomUUID() }, stranger)
      if (round === 1) await env.DB.prepare('update log set created_at = 0').run()
    }
    const all = await list('?limit=100')
    expect(typesOf(all).filter((type) => type === 'user.profile_updated')).toHaveLength(2)
    expect(all.meta.total).toBe(all.data.length)
    const ids = idsOf(all)
    for (const limit of [1, 2, 5]) {
      const pages: string[] = []
      for (let offset = 0; offset < ids.length; offset += limit) {
        const page = await list(`?limit=${limit}&offset=${offset}`)
        expect(page.meta.total).toBe(ids.length)
        pages.push(...idsOf(page))
      }
      expect(pages).toEqual(ids)
    }
    for (const [index, id] of ids.entries()) {
      expect(idsOf(await list(`?limit=3&after=${id}`))).toEqual(ids.slice(index + 1, index + 4))
    }
    expect(idsOf(await list(`?offset=${ids.length}`))).toEqual([])
  })

  it('goes on behind very many rows that the caller may not see', async () => {
    await create('Before')
    const stranger = await createAccount(client)
    await insertRows(PAGE_PLACES_MAX + 100, { userId: stranger.id })
    await create('After')
    const read: string[] = []
    for (let path: string | null = '/events?limit=10'; path !== null; ) {
      const page = await bodyOf(await client.get(path))
      expect(page.data.length).toBeGreaterThan(0)
      expect(page.meta.total).toBe(4)
      read.push(...typesOf(page))
      path = page.meta.next && pathWithin(page.meta.next)
    }
    expect(read).toHaveLength(4)
  })

  it('ends a page early if its events are large', async () => {
    const description = 'x'.repeat(10_000)
    const satellites = Array.from({ length: 20 }, (_, i) => ({ name: `${i}`, description }))
    for (let index = 0; index < 4; index++) await createPlanet(client, account, { name: 'Large', satellites })
    const read: string[] = []
    let pages = 0
    for (let path: string | null = '/events?limit=100'; path !== null; pages++) {
      const response = await client.get(path)
      const text = await response.text()
      expect(text.length).toBeLessThan(1.2 * 1024 * 1024)
      const page = JSON.parse(text)
      read.push(...idsOf(page))
      path = page.meta.next && pathWithin(page.meta.next)
    }
    expect(pages).toBeGreaterThan(2)
    expect(new Set(read).size).toBe(4 * 42)
    expect(read).toHaveLength(4 * 42)
  })
})

describe('GET /events/{eventId}', () => {
  it('returns each event of the list', async () => {
    await create('Each', 2)
    const { data } = await list('', {})
    for (const event of data) expect(await bodyOf(await client.get(`/events/${event.eventId}`))).toEqual(event)
  })

  it('of another user is unknown', async () => {
    await rename(crypto.randomUUID())
    const [id] = idsOf(await list())
    expect((await client.get(`/events/${id}`, authorization(account))).status).toBe(200)
    expect((await client.get(`/events/${id}`)).status).toBe(404)
    expect((await client.get(`/events/${id}`, authorization(await createAccount(client)))).status).toBe(404)
  })

  it('that differs in any part of its id is unknown', async () => {
    await create('Only')
    const known = idsOf(await list('', {}))
    const [id = ''] = known
    const others = [...id].flatMap((digit, at) =>
      digit === '-' ? [] : [`${id.slice(0, at)}${digit === '0' ? '1' : '0'}${id.slice(at + 1)}`],
    )
    for (const other of others.filter((candidate) => !known.includes(candidate)))
      expect((await client.get(`/events/${other}`)).status, other).toBe(404)
  })

  it.each(['1', 'evt_1', '00000000-0000-4000-8000-000000000000'])('%s is unknown', async (id) => {
    expect((await client.get(`/events/${id}`)).status).toBe(404)
  })
})

it('the sweep removes what the log has no more, except the newest row', async () => {
  const session = openSession({ database: openD1(env.DB), hub: undefined }, 'first-primary')
  const count = async () => (await env.DB.prepare('select count(*) as n from log').first<{ n: number }>())?.n
  for (const name of ['One', 'Two', 'Three']) await create(name)
  await trimLog(session, new Date(Date.now() + (LOG_HOURS - 1) * HOUR_MS))
  expect(await count()).toBe(3)
  await trimLog(session, new Date(Date.now() + (LOG_HOURS + 1) * HOUR_MS))
  expect(await count()).toBe(1)
})

it('the sweep reads only the oldest rows of the log, and removes at most 500 at a time', async () => {
  const { database, meter } = meterDatabase(openD1(env.DB))
  const session = openSession({ database, hub: undefined }, 'first-primary')
  const rows = 5000
  await insertRows(rows)
  await trimLog(session, new Date())
  expect(meter.rowsRead).toBeLessThan(rows / 2)
  meter.roundTrips = 0
  await trimLog(session, new Date(Date.now() + (LOG_HOURS + 1) * HOUR_MS))
  expect(meter.roundTrips).toBe(rows / 500)
})
