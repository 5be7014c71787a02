import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { openD1, openSession } from '../../../src/db/port.ts'
import { eventsOf } from '../../../src/events/events-of.ts'
import { WrittenEvent } from '../../../src/hub/frames.ts'
import { removeOldItems } from '../../../src/stores/visitor-retention.ts'
import { sweep } from '../../../src/sweep.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
} from '../../support/app.ts'
import { HeldQueue, rowOf } from '../../support/callbacks.ts'
import { basic } from '../../support/credentials.ts'
import { logOf } from '../../support/live-log.ts'
import { meterDatabase } from '../../support/metered-database.ts'
import { batchOf, MIXED, writeMixed } from '../../support/mixed.ts'
import { getTokens, registerClient, signIn } from '../../support/oauth.ts'
import { makePicture } from '../../support/pictures.ts'
import { letRivalWriteFirst } from '../../support/rival-writers.ts'
import { loadShippedPlanets, SHIPPED } from '../../support/shipped.ts'

// What the sweep removes if VISITOR_RETENTION_HOURS is set, and when.

const HOURS = 24
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const AGE_MS = HOURS * HOUR_MS

const RETENTION = { visitorRetentionHours: HOURS, signupsPerHour: 1000, passwordAttempts: 1000 }

/** The time of the test. It moves only if the test moves it. */
let now: number
let client: Client
let account: Account

const timed = (config: object = RETENTION) => createClient({ now: () => new Date(now), config })

beforeEach(async () => {
  await env.DB.batch(
    ['planets', 'bodies', 'users where id > 1', 'retention_positions'].map((rows) =>
      env.DB.prepare(`delete from ${rows}`),
    ),
  )
  now = Date.now()
  client = timed()
  account = await createAccount(client)
})

const runSweep = (by = client) => sweep({ ...by.services, callbackQueue: new HeldQueue() })
const sweepAt = async (time: number) => {
  now = time
  await runSweep()
}
const count = async (query: string, ...values: (string | number)[]) =>
  (await rowOf<{ n: number }>(`select count(*) as n from ${query}`, ...values))?.n
const statusOf = async (path: string) => (await client.get(path)).status
const isAccount = async ({ id }: Account) => (await count('users where id = ?', id)) === 1

async function uploadTo(planetId: number): Promise<string> {
  return (await bodyOf(await client.upload(`/planets/${planetId}/image`, makePicture(), account))).imageUrl
}

const upload = async (planetId: number) => (await uploadTo(planetId)).split('/').at(-1) ?? ''

const NUMBERS = 'with recursive n(i) as (values (1) union all select i + 1 from n where i <= ?)'

/** Stores planets of the account. */
async function storePlanets(planets: number, lastUpdated: number): Promise<void> {
  await env.DB.prepare(
    `${NUMBERS} insert into planets (creator_id, last_updated, properties, lists_satellites)
     select ?, ?, '{"name":"One of many"}', 0 from n where i <= ?1`,
  )
    .bind(planets, account.id, lastUpdated)
    .run()
  await env.DB.prepare('update users set bodies_used = bodies_used + ? where id = ?').bind(planets, account.id).run()
}

/** Stores accounts that cannot sign in. */
async function storeAccounts(accounts: number, createdAt: number): Promise<void> {
  const query = `${NUMBERS} insert into users (created_at) select ? from n where i <= ?1`
  await env.DB.prepare(query).bind(accounts, createdAt).run()
}

describe('at its age, the sweep removes', () => {
  it('a planet with its satellites and its image, and not a millisecond earlier', async () => {
    const planet = await createPlanet(client, account, { name: 'Visit', satellites: [{ name: 'Moon' }] })
    const key = await upload(planet.id)
    const made = now
    const paths = [`/planets/${planet.id}`, `/celestial-bodies/${planet.satellites[0].id}`, `/images/${key}`]
    await sweepAt(made + AGE_MS - 1)
    for (const path of paths) expect([path, await statusOf(path)]).toEqual([path, 200])
    await sweepAt(made + AGE_MS)
    for (const path of paths) expect([path, await statusOf(path)]).toEqual([path, 404])
    expect(await env.IMAGES.head(key)).toBeNull()
    expect(await count('images where key = ?', key)).toBe(0)
  })

  it.each([
    {
      change: 'a PUT',
      make: (id: number) => client.sendJson('PUT', `/planets/${id}`, { name: 'Changed' }, account),
    },
    {
      change: 'a new satellite',
      make: (id: number) =>
        client.sendJson(
          'POST',
          '/celestial-bodies',
          { name: 'Moon', type: 'moon', orbit: { planet: { id } } },
          account,
        ),
    },
    { change: 'an upload', make: (id: number) => client.upload(`/planets/${id}/image`, makePicture(), account) },
  ])('a planet by its last change: $change', async ({ make }) => {
    const { id } = await createPlanet(client, account, { name: 'Changing' })
    now += HOUR_MS
    account = { ...account, ...(await freshToken()) }
    expect((await make(id)).ok).toBe(true)
    const changed = now
    await sweepAt(changed + AGE_MS - 1)
    expect(await statusOf(`/planets/${id}`)).toBe(200)
    await sweepAt(changed + AGE_MS)
    expect(await statusOf(`/planets/${id}`)).toBe(404)
  })

  it('a planet, and tells why, with the planet and its picture as they last were', async () => {
    const { id } = await createPlanet(client, account, { name: 'Visit', satellites: [{ name: 'Moon' }] })
    const imageUrl = await uploadTo(id)
    const planet = await bodyOf(await client.get(`/planets/${id}`))
    expect(planet.image).toBe(imageUrl)
    const { rows, events } = await logOf(() => sweepAt(Date.now() + AGE_MS))
    expect(events).toMatchObject([
      {
        eventType: 'planet.deleted',
        planetId: id,
        planetName: 'Visit',
        reason: 'This service keeps planets only for a limited time.',
        metadata: { source: 'rest-api' },
      },
    ])
    const items = rows.flatMap((row) => eventsOf(row).map((event) => new WrittenEvent(row, event).frameIn('item').text))
    expect(items.map((item) => JSON.parse(item))).toMatchObject([{ event: 'deleted', planet }])
  })

  it('stars with their satellites, and satellites that belong to nothing', async () => {
    const post = async (body: object) => await bodyOf(await client.sendJson('POST', '/celestial-bodies', body, account))
    const star = await post({ name: 'Sun', type: 'star', satellites: [{ name: 'Dust' }] })
    const free = await post({ name: 'Free', type: 'asteroid' })
    const ids = [star.id, star.satellites[0].id, free.id]
    const statuses = () => Promise.all(ids.map((id) => statusOf(`/celestial-bodies/${id}`)))
    const made = now
    await sweepAt(made + AGE_MS - 1)
    expect(await statuses()).toEqual([200, 200, 200])
    await sweepAt(made + AGE_MS)
    expect(await statuses()).toEqual([404, 404, 404])
  })

  it('an account that only signed up, with everything that is its own', async () => {
    const credentials = { email: 'visitor@galaxy.test', password: 'correct horse' }
    const { id } = await bodyOf(await client.sendJson('POST', '/user/signup', credentials))
    const made = now
    await sweepAt(made + AGE_MS - 1)
    expect(await count('users where id = ?', id)).toBe(1)
    await sweepAt(made + AGE_MS)
    expect(await count('users where id = ?', id)).toBe(0)
    expect((await client.sendJson('POST', '/user/signup', credentials)).status).toBe(201)
  })

  it('its planets first, and the account in the same sweep', async () => {
    await createPlanet(client, account, { name: 'Last' })
    await sweepAt(now + AGE_MS)
    expect(await isAccount(account)).toBe(false)
  })
})

/** A token of the account that is valid at the time of the test. */
async function freshToken(): Promise<{ token: string }> {
  return await bodyOf(await client.sendJson('POST', '/auth/token', account))
}

describe('the sweep keeps', () => {
  it('everything, if no age is set', async () => {
    const { id } = await createPlanet(client, account, { name: 'Kept' })
    const key = await upload(id)
    client = timed({})
    await sweepAt(now + 10_000 * AGE_MS)
    expect([await statusOf(`/planets/${id}`), await statusOf(`/images/${key}`)]).toEqual([200, 200])
    expect(await isAccount(account)).toBe(true)
    expect(await count('retention_positions')).toBe(0)
  })

  it('the shipped planets, and the user who owns them, for ever', async () => {
    await loadShippedPlanets()
    const bodies = await count('bodies')
    await sweepAt(now + 10_000 * AGE_MS)
    expect(await count('planets where creator_id = 1')).toBe(SHIPPED)
    expect(await count('bodies')).toBe(bodies)
    expect(await count('users where id = 1 and deleted_at is null')).toBe(1)
  })

  const keys = () => client.sendJson('POST', '/me/api-keys', {}, account)
  const USES: { use: string; lateMs?: number; make: () => Promise<unknown> }[] = [
    { use: 'a token with its password', make: freshToken },
    { use: 'Basic', make: () => client.get('/me', basic(account.email, account.password).headers) },
    { use: 'a new API key', make: keys },
    // The time of a name is that of the next second.
    { use: 'a new name', lateMs: 1000, make: () => client.sendJson('PATCH', '/me', { name: 'New' }, account) },
    {
      use: 'a subscription',
      make: () => client.sendJson('POST', '/webhooks', { url: 'https://a.example/', events: ['newPlanet'] }, account),
    },
    {
      use: 'a batch of observations',
      async make() {
        const planet = `insert into planets (creator_id, last_updated, properties, lists_satellites) values (1, 0, '{"name":"Seen"}', 0) returning id`
        const id = await env.DB.prepare(planet).first('id')
        const headers = { ...authorization(account), ...MIXED }
        return await client.send(`/planets/${id}/observations`, {
          method: 'POST',
          body: writeMixed(batchOf(0)),
          headers,
        })
      },
    },
  ]

  it.each(USES)('an account as long as that time since its last use: $use', async ({ make, lateMs = 0 }) => {
    now += HOUR_MS - MINUTE_MS
    expect(await make()).toBeDefined()
    const used = now
    await sweepAt(used + AGE_MS - 1)
    expect(await isAccount(account)).toBe(true)
    await sweepAt(used + AGE_MS + lateMs)
    expect(await isAccount(account)).toBe(false)
  })

  it('an account as long as that time since the last use of an API key', async () => {
    const { key } = await bodyOf(await keys())
    now += 20 * HOUR_MS
    expect((await client.get('/me', { 'X-API-Key': key })).status).toBe(200)
    const used = now
    await vi.waitFor(async () => expect(await count('api_keys where last_used_at = ?', used)).toBe(1))
    await sweepAt(used + AGE_MS - 1)
    expect(await isAccount(account)).toBe(true)
    await sweepAt(used + AGE_MS)
    expect(await isAccount(account)).toBe(false)
  })

  it('an account as long as it has a planet', async () => {
    now += 59 * MINUTE_MS
    await createPlanet(client, account, { name: 'Last' })
    const made = now
    await sweepAt(made + AGE_MS - 1)
    expect(await isAccount(account)).toBe(true)
  })

  it('an account while a browser is signed in', async () => {
    client = timed({ ...RETENTION, visitorRetentionHours: 1 })
    const app = await registerClient(client.send)
    await signIn(client.send, account, app.id)
    const signedIn = now
    await sweepAt(signedIn + 12 * HOUR_MS - 1)
    expect(await isAccount(account)).toBe(true)
    await sweepAt(signedIn + 12 * HOUR_MS)
    expect(await isAccount(account)).toBe(false)
  })

  it('an account while an application has access to it', async () => {
    const app = await registerClient(client.send)
    await getTokens(client.send, account, app, 'read:account offline_access')
    const granted = now
    await sweepAt(granted + 30 * AGE_MS - HOUR_MS)
    expect(await isAccount(account)).toBe(true)
    await sweepAt(granted + 30 * AGE_MS + HOUR_MS)
    expect(await isAccount(account)).toBe(false)
  })

  it('an account while others use an application of it, which is recorded to the day', async () => {
    const other = await createAccount(client)
    const app = await registerClient(client.send, {}, `Bearer ${account.token}`)
    now += 20 * HOUR_MS
    await getTokens(client.send, other, app)
    const used = now
    await sweepAt(used + AGE_MS + 24 * HOUR_MS - 1)
    expect(await isAccount(account)).toBe(true)
    await sweepAt(used + AGE_MS + 24 * HOUR_MS)
    expect(await isAccount(account)).toBe(false)
  })

  it('a suspended account, so that it stays suspended, but not its planets', async () => {
    const { id } = await createPlanet(client, account, { name: 'Spam' })
    await env.DB.prepare('update users set suspended_at = ? where id = ?').bind(now, account.id).run()
    await sweepAt(now + 100 * AGE_MS)
    expect(await statusOf(`/planets/${id}`)).toBe(404)
    expect(await isAccount(account)).toBe(true)
  })

  it('a planet that changes while the sweep runs', async () => {
    const { id } = await createPlanet(client, account, { name: 'Racing' })
    const changed = now + AGE_MS
    const { database, attempts } = letRivalWriteFirst(openD1(env.DB), /delete from "planets"/, async () => {
      await env.DB.prepare('update planets set version = version + 1, last_updated = ? where id = ?')
        .bind(changed, id)
        .run()
    })
    now = changed
    await runSweep(createClient({ ...client.services, database, config: RETENTION }))
    expect(attempts()).toBe(1)
    expect(await statusOf(`/planets/${id}`)).toBe(200)
  })
})

/** Only this job, with its cost. */
async function measure(): Promise<{ roundTrips: number; rowsRead: number; rowsWritten: number }> {
  const { database, meter } = meterDatabase(openD1(env.DB))
  const session = openSession({ database, hub: undefined }, 'first-primary')
  await removeOldItems(session, env.IMAGES, new Date(now - AGE_MS), new Date(now))
  return meter
}

describe('a sweep is bounded', () => {
  const ofAccount = () => count('planets where creator_id = ?', account.id)

  it('it removes 2,000 planets, and the next ones the rest', async () => {
    await storePlanets(2100, now - AGE_MS)
    const { roundTrips } = await measure()
    expect(await ofAccount()).toBe(100)
    // The positions and one to store; 20 steps of planets, each of which reads and removes; a step each of bodies and
    // accounts.
    expect(roundTrips).toBeLessThanOrEqual(45)
    await measure()
    expect(await ofAccount()).toBe(0)
  })

  it('it reads no more rows if there are more planets that are young, and comes to the old one after them', async () => {
    await storePlanets(4500, now)
    const { rowsRead } = await measure()
    await storePlanets(4000, now)
    await storePlanets(1, now - AGE_MS)
    expect((await measure()).rowsRead).toBeLessThanOrEqual(rowsRead + 100)
    expect(rowsRead).toBeLessThanOrEqual(15_000)
    for (let sweeps = 0; sweeps < 4 && (await ofAccount()) === 8501; sweeps++) await measure()
    expect(await ofAccount()).toBe(8500)
  })

  it('it begins again at the end', async () => {
    await storePlanets(150, now)
    await measure()
    await env.DB.prepare('update planets set last_updated = 0 where creator_id = ?').bind(account.id).run()
    await measure()
    expect(await ofAccount()).toBe(0)
  })

  it('it removes ten to nineteen accounts, and looks at 500', async () => {
    await storeAccounts(600, now + 1)
    await storeAccounts(30, now - AGE_MS)
    const old = () => count('users where created_at = ?', now - AGE_MS)
    const { roundTrips } = await measure()
    expect(await old()).toBe(30)
    expect(roundTrips).toBeLessThanOrEqual(55)
    await measure()
    expect(await old()).toBeGreaterThanOrEqual(30 - 19)
    expect(await old()).toBeLessThanOrEqual(30 - 10)
    await measure()
    await measure()
    expect(await old()).toBe(0)
    expect(await count('users where created_at > ?', now)).toBe(600)
  })
})

describe('a sweep that ends in the middle', () => {
  it('because R2 is away: the planet is gone, and its image goes with the orphans', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { id } = await createPlanet(client, account, { name: 'Half' })
    const key = await upload(id)
    const bucket = new Proxy(env.IMAGES, { get: () => () => Promise.reject(new Error('R2 is away')) })
    now += AGE_MS
    await runSweep(createClient({ ...client.services, bucket, config: RETENTION }))
    warn.mockRestore()
    expect(await statusOf(`/planets/${id}`)).toBe(404)
    expect(await env.IMAGES.head(key)).not.toBeNull()
    await sweepAt(now + 2 * HOUR_MS)
    expect(await env.IMAGES.head(key)).toBeNull()
    expect(await count('images where key = ?', key)).toBe(0)
  })

  it.each([
    { before: 'the bodies', kind: /delete from "bodies"/ },
    { before: 'the accounts', kind: /update "users"/ },
    { before: 'what belongs to an account', kind: /delete from "refused_callbacks"/ },
    { before: 'its position', kind: /insert into "retention_positions"/, planets: 2100 },
  ])('before $before: the next one does the rest', async ({ kind, planets = 120 }) => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    await storePlanets(planets, now)
    await bodyOf(await client.sendJson('POST', '/celestial-bodies', { name: 'Sun', type: 'star' }, account))
    now += AGE_MS
    const die = () => Promise.reject(new Error('the machine died'))
    const { database, attempts } = letRivalWriteFirst(openD1(env.DB), kind, die)
    await runSweep(createClient({ ...client.services, database, config: RETENTION }))
    expect(attempts()).toBeGreaterThan(0)
    error.mockRestore()
    await runSweep()
    expect(await count('planets where creator_id = ?', account.id)).toBe(0)
    expect(await count('bodies where creator_id = ?', account.id)).toBe(0)
    expect(await isAccount(account)).toBe(false)
  })
})

it('a request of an account that was just removed is refused', async () => {
  const token = account.token
  now += 30 * MINUTE_MS
  await env.DB.prepare('update users set created_at = ? where id = ?')
    .bind(now - AGE_MS, account.id)
    .run()
  await runSweep()
  expect((await client.get('/me', { Authorization: `Bearer ${token}` })).status).toBe(401)
  expect((await client.send('/planets', { method: 'POST', headers: authorization(account) })).status).toBe(401)
})
