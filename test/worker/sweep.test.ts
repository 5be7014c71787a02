import { createExecutionContext, createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import worker from '../../src/index.ts'
import { insertImage } from '../../src/stores/images.ts'
import { sweep } from '../../src/sweep.ts'
import { type Account, bodyOf, type Client, createAccount, createClient, createPlanet } from '../support/app.ts'
import { commitIn } from '../support/changes.ts'
import {
  authorizationPath,
  getTokens,
  type Registered,
  registerClient,
  requestTokens,
  UserAgent,
} from '../support/oauth.ts'
import { makePicture } from '../support/pictures.ts'

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

let client: Client
let account: Account
let planetId: number

beforeEach(async () => {
  client = clientAt(0)
  account = await createAccount(client)
  planetId = (await createPlanet(client, account, { name: 'Swept' })).id
})

/** The service at another time. */
function clientAt(ms: number): Client {
  return createClient({ now: () => new Date(Date.now() + ms), config: { signupsPerHour: 1000 } })
}

const sweepIn = (ms: number) => sweep({ ...client.services, now: () => new Date(Date.now() + ms) })
const countImages = async () => (await env.DB.prepare('select count(*) as n from images').first<{ n: number }>())?.n

async function isThere(table: string, column: string, value: string | number): Promise<boolean> {
  return (await env.DB.prepare(`select 1 from ${table} where ${column} = ?`).bind(value).first()) !== null
}

async function uploadPicture(): Promise<string> {
  const { imageUrl } = await bodyOf(await client.upload(`/planets/${planetId}/image`, makePicture(), account))
  return imageUrl.split('/').at(-1)
}

describe('the sweep', () => {
  it('removes replies for retries after 24 hours', async () => {
    const headers = {
      'Content-Type': 'application/json',
      'Idempotency-Key': 'swept',
      Authorization: `Bearer ${account.token}`,
    }
    expect((await client.send('/planets', { method: 'POST', body: '{"name":"Once"}', headers })).status).toBe(201)
    await sweepIn(DAY_MS - 60_000)
    expect(await isThere('kept_replies', 'key', 'swept')).toBe(true)
    await sweepIn(DAY_MS)
    expect(await isThere('kept_replies', 'key', 'swept')).toBe(false)
  })

  it('keeps images that a planet shows', async () => {
    const key = await uploadPicture()
    const before = await countImages()
    await sweepIn(1000 * HOUR_MS)
    expect(await countImages()).toBe(before)
    expect(await env.IMAGES.head(key)).not.toBeNull()
  })

  it('removes the rows of deleted images, an hour later', async () => {
    const before = (await countImages()) ?? 0
    await uploadPicture()
    await uploadPicture()
    expect(await countImages()).toBe(before + 2)
    await sweepIn(HOUR_MS / 2)
    expect(await countImages()).toBe(before + 2)
    await sweepIn(2 * HOUR_MS)
    expect(await countImages()).toBe(before + 1)
  })

  it('removes a hundred orphans at a time, and the rest the next time', async () => {
    const before = (await countImages()) ?? 0
    await env.DB.prepare(`
      with recursive n(i) as (values (1) union all select i + 1 from n where i < 101)
      insert into images (key, mime_type, file_size, uploaded_at, orphaned_at, url)
      select 'orphan-' || i, 'image/png', 0, 0, 1, '' from n`).run()
    await sweepIn(0)
    expect(await countImages()).toBe(before + 1)
    await sweepIn(0)
    expect(await countImages()).toBe(before)
  })

  it('removes an object whose removal failed at first', async () => {
    const failing = new Proxy(env.IMAGES, {
      get: (bucket, name) =>
        name === 'delete' ? () => Promise.reject(new Error('R2 is away')) : bucket[name as 'put'].bind(bucket),
    })
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const key = await uploadPicture()
    client = createClient({ bucket: failing })
    const response = await client.sendJson('DELETE', `/planets/${planetId}`, '', account)
    expect(response.status).toBe(204)
    expect(warn).toHaveBeenCalledOnce()
    warn.mockRestore()
    expect(await env.IMAGES.head(key)).not.toBeNull()
    client = createClient()
    await sweepIn(2 * HOUR_MS)
    expect(await env.IMAGES.head(key)).toBeNull()
  })

  it('removes the object of an upload that failed before the planet was written', async () => {
    const image = { key: 'half.png', mimeType: 'image/png', bytes: makePicture(), url: '' }
    await commitIn(client, { statements: [insertImage(image, new Date())] })
    await env.IMAGES.put(image.key, image.bytes)
    expect(await env.IMAGES.head('half.png')).not.toBeNull()
    await sweepIn(2 * HOUR_MS)
    expect(await env.IMAGES.head('half.png')).toBeNull()
  })

  it('does each job even if another fails, and logs which', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    await env.DB.prepare("insert into rate_limits values ('old', 1, 0)").run()
    await uploadPicture()
    await uploadPicture()
    const bucket = new Proxy(env.IMAGES, {
      get: () => () => Promise.reject(new Error('R2 is away')),
    })
    await sweep({ ...client.services, bucket, now: () => new Date(Date.now() + 2 * HOUR_MS) })
    expect(error.mock.calls.flat()).toEqual([expect.stringContaining('R2 is away')])
    error.mockRestore()
    expect(await env.DB.prepare("select * from rate_limits where key = 'old'").first()).toBeNull()
  })

  it('runs on the schedule', async () => {
    await env.DB.prepare("insert into rate_limits values ('scheduled', 1, 0)").run()
    await worker.scheduled?.(createScheduledController(), env, createExecutionContext())
    expect(await env.DB.prepare("select * from rate_limits where key = 'scheduled'").first()).toBeNull()
  })
})

describe('of the credentials, the sweep', () => {
  const soon = () => new Date(Date.now() + HOUR_MS).toISOString()

  async function createKey(input: object): Promise<{ id: number; key: string }> {
    return await bodyOf(await client.sendJson('POST', '/me/api-keys', input, account))
  }

  async function refresh(at: number, registered: Registered, refreshToken: string | undefined): Promise<Response> {
    return await requestTokens(clientAt(at).send, registered, {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
    })
  }

  async function grantsOf({ id }: Registered): Promise<number> {
    const row = await env.DB.prepare('select count(*) as n from grants where client_id = ?')
      .bind(id)
      .first<{ n: number }>()
    return row?.n ?? 0
  }

  async function codesOf({ id }: Registered): Promise<number> {
    const query = 'select count(*) as n from codes join grants on grants.id = grant_id where client_id = ?'
    return (await env.DB.prepare(query).bind(id).first<{ n: number }>())?.n ?? 0
  }

  it('keeps an API key until a month after its expiry, so that its owner can see that it has expired', async () => {
    const { id } = await createKey({ expiresAt: soon() })
    await sweepIn(30 * DAY_MS)
    expect(await isThere('api_keys', 'id', id)).toBe(true)
    await sweepIn(30 * DAY_MS + 2 * HOUR_MS)
    expect(await isThere('api_keys', 'id', id)).toBe(false)
  })

  it('keeps an API key that does not expire', async () => {
    const { key } = await createKey({})
    await sweepIn(1000 * DAY_MS)
    expect((await clientAt(1000 * DAY_MS).get('/me', { 'X-API-Key': key })).status).toBe(200)
  })

  it('keeps a grant as long as its access token is valid, and removes it then', async () => {
    const registered = await registerClient(client.send)
    const { access_token } = await getTokens(client.send, account, registered)
    const late = 59 * 60 * 1000
    await sweepIn(late)
    expect((await clientAt(late).get('/me', { Authorization: `Bearer ${access_token}` })).status).toBe(200)
    expect([await grantsOf(registered), await codesOf(registered)]).toEqual([1, 1])
    await sweepIn(HOUR_MS + 60_000)
    expect([await grantsOf(registered), await codesOf(registered)]).toEqual([0, 0])
  })

  it('removes expired refresh tokens, and keeps their successors', async () => {
    const registered = await registerClient(client.send)
    const first = await getTokens(client.send, account, registered, 'read:account offline_access')
    const second = await bodyOf(await refresh(20 * DAY_MS, registered, first.refresh_token))
    const counted = 'select count(*) as n from refresh_tokens join grants on grants.id = grant_id where client_id = ?'
    const count = async () => (await env.DB.prepare(counted).bind(registered.id).first<{ n: number }>())?.n
    await sweepIn(29 * DAY_MS)
    expect(await count()).toBe(2)
    await sweepIn(31 * DAY_MS)
    expect(await count()).toBe(1)
    expect((await refresh(40 * DAY_MS, registered, second.refresh_token)).status).toBe(200)
    await sweepIn(71 * DAY_MS)
    expect([await count(), await grantsOf(registered)]).toEqual([0, 0])
  })

  it('keeps a browser signed in for twelve hours, and removes the sign-in then', async () => {
    const { id } = await registerClient(client.send)
    const browser = new UserAgent(client.send)
    await browser.open(authorizationPath(id))
    await browser.submit({ email: account.email, password: account.password })
    await sweepIn(12 * HOUR_MS - 60_000)
    expect(await isThere('sign_ins', 'user_id', account.id)).toBe(true)
    await sweepIn(12 * HOUR_MS + 60_000)
    expect(await isThere('sign_ins', 'user_id', account.id)).toBe(false)
  })

  it('removes used client assertions that have expired by now', async () => {
    const expiry = Date.now() + HOUR_MS
    await env.DB.prepare("insert into used_assertions values ('used', ?)").bind(expiry).run()
    await sweepIn(HOUR_MS / 2)
    expect(await isThere('used_assertions', 'hash', 'used')).toBe(true)
    await sweepIn(2 * HOUR_MS)
    expect(await isThere('used_assertions', 'hash', 'used')).toBe(false)
  })

  it('removes clients without an owner that nobody has allowed anything for 90 days, and no others', async () => {
    const idle = await registerClient(client.send)
    const owned = await registerClient(client.send, {}, `Bearer ${account.token}`)
    const used = await registerClient(client.send)
    await getTokens(clientAt(89 * DAY_MS).send, account, used, 'read:account offline_access')
    const left = async () =>
      await Promise.all([idle.id, owned.id, used.id, 'galaxy-reference'].map((id) => isThere('clients', 'id', id)))
    await sweepIn(89 * DAY_MS)
    expect(await left()).toEqual([true, true, true, true])
    await sweepIn(91 * DAY_MS)
    expect(await left()).toEqual([false, true, true, true])
    await sweepIn(1000 * DAY_MS)
    await sweepIn(1000 * DAY_MS)
    expect(await left()).toEqual([false, true, false, true])
  })
})
