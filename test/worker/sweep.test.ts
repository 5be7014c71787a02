import { createExecutionContext, createMessageBatch, createScheduledController, getQueueResult } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { openSession } from '../../src/db/client.ts'
import worker from '../../src/index.ts'
import { attachImage } from '../../src/stores/images.ts'
import { sweep } from '../../src/sweep.ts'
import { type Account, bodyOf, type Client, createAccount, createClient, createPlanet } from '../support/app.ts'
import { makePicture } from '../support/pictures.ts'

const HOUR_MS = 60 * 60 * 1000

let client: Client
let account: Account
let planetId: number

beforeEach(async () => {
  client = createClient()
  account = await createAccount(client)
  planetId = (await createPlanet(client, account, { name: 'Swept' })).id
})

const sweepIn = (ms: number) => sweep({ ...client.services, now: () => new Date(Date.now() + ms) })
const countImages = async () => (await env.DB.prepare('select count(*) as n from images').first<{ n: number }>())?.n

async function uploadPicture(): Promise<string> {
  const { imageUrl } = await bodyOf(await client.upload(`/planets/${planetId}/image`, makePicture(), account))
  return imageUrl.split('/').at(-1)
}

describe('the sweep', () => {
  it('leaves images that a planet shows', async () => {
    const key = await uploadPicture()
    const before = await countImages()
    await sweepIn(1000 * HOUR_MS)
    expect(await countImages()).toBe(before)
    expect(await env.IMAGES.head(key)).not.toBeNull()
  })

  it('forgets images that are gone, an hour later', async () => {
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
      insert into images select 'orphan-' || i, 'image/png', 0, 0, 1 from n`).run()
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

  it('removes what an upload left that failed between the object and the planet', async () => {
    const { db } = openSession(env.DB, 'first-primary')
    const image = { key: 'half.png', mimeType: 'image/png', bytes: makePicture() }
    const gone = await attachImage(db, env.IMAGES, { id: 999_999_999, expected: undefined }, image, new Date())
    expect(gone).toBe('gone')
    expect(await env.IMAGES.head('half.png')).not.toBeNull()
    await sweepIn(2 * HOUR_MS)
    expect(await env.IMAGES.head('half.png')).toBeNull()
  })

  it('does each job though another fails, and says which', async () => {
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

  it('runs by the schedule', async () => {
    await env.DB.prepare("insert into rate_limits values ('scheduled', 1, 0)").run()
    await worker.scheduled?.(createScheduledController(), env, createExecutionContext())
    expect(await env.DB.prepare("select * from rate_limits where key = 'scheduled'").first()).toBeNull()
  })
})

describe('the queue', () => {
  const batch = (queue: string) =>
    createMessageBatch(queue, [{ id: 'm1', timestamp: new Date(), attempts: 1, body: {} }])

  it('retries a message that this version does not know, so that it is not lost', async () => {
    const messages = batch('galaxy-callbacks')
    const context = createExecutionContext()
    await worker.queue?.(messages, env, context)
    expect(await getQueueResult(messages, context)).toMatchObject({ retryBatch: { retry: true }, ackAll: false })
  })

  it('records a dead letter and is done with it', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    const messages = batch('galaxy-callbacks-dead')
    const context = createExecutionContext()
    await worker.queue?.(messages, env, context)
    expect(await getQueueResult(messages, context)).toMatchObject({ explicitAcks: ['m1'] })
    expect(error.mock.calls.flat()).toEqual([expect.stringContaining('"messageId":"m1"')])
    error.mockRestore()
  })
})
