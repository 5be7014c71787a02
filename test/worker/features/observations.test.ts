import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { commit } from '../../../src/changes/commit.ts'
import { handleMessage } from '../../../src/features/callbacks/consumer.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { completeBatch, leaseBatch } from '../../../src/stores/observations.ts'
import { sweep } from '../../../src/sweep.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  ORIGIN,
  type Overrides,
  primaryOf,
} from '../../support/app.ts'
import { drain, HeldQueue, rowOf } from '../../support/callbacks.ts'
import { batchOf, imagePart, META, MIXED, metaPart, type Part, writeMixed } from '../../support/mixed.ts'
import { bytesOf, makePicture } from '../../support/pictures.ts'

const MEBIBYTE = 1024 * 1024
const UNFINISHED_MAX = 5
const BATCHES_MAX = 100
const LEASE_MS = 10_000
const GRACE_MS = 10_000
const UNKNOWN = '8f47c132-9d1f-4f83-b5a4-91db5ee757ab'

let now: number
let queue: HeldQueue
let client: Client
let account: Account
let planetId: number

const clientWith = (overrides: Overrides = {}) =>
  createClient({ callbackQueue: queue, now: () => new Date(now), config: { signupsPerHour: 1000 }, ...overrides })

beforeEach(async () => {
  await env.DB.prepare('delete from observation_batches').run()
  now = Date.now()
  queue = new HeldQueue()
  client = clientWith()
  account = await createAccount(client)
  // Of somebody else: anybody may observe any planet.
  planetId = (await createPlanet(client, await createAccount(client), { name: 'Observed' })).id
})

interface Sent {
  by?: Account
  via?: Client
  headers?: HeadersInit
  planet?: number
  boundary?: string
}

function post(
  parts: readonly Part[],
  { by = account, via = client, headers = {}, planet = planetId, boundary = 'b' }: Sent = {},
) {
  return via.send(`/planets/${planet}/observations`, {
    method: 'POST',
    body: writeMixed(parts, boundary),
    headers: {
      ...authorization(by),
      ...MIXED,
      'Content-Type': `multipart/mixed; boundary=${boundary}`,
      ...Object.fromEntries(new Headers(headers)),
    },
  })
}

async function accept(parts: readonly Part[] = batchOf(1), sent: Sent = {}): Promise<string> {
  const response = await post(parts, sent)
  expect(response.status).toBe(202)
  return (await bodyOf(response)).batchId
}

const pathOf = (batchId: string, planet = planetId) => `/planets/${planet}/observations/${batchId}`
const read = (batchId: string, by = account, via = client) => via.get(pathOf(batchId), authorization(by))
const remove = (batchId: string, by = account) =>
  client.send(pathOf(batchId), { method: 'DELETE', headers: authorization(by) })
const statusOf = async (batchId: string) => (await bodyOf(await read(batchId))).status
const list = async (query = '', by = account) =>
  await bodyOf(await client.get(`/planets/${planetId}/observations${query}`, authorization(by)))
const countOf = async (where = 'true') =>
  (await rowOf<{ n: number }>(`select count(*) as n from observation_batches where ${where}`))?.n
const countOwn = () => countOf(`user_id = ${account.id}`)

async function pointersOf(response: Response): Promise<string[]> {
  expect(response.status).toBe(400)
  return (await bodyOf(response)).errors.map(({ pointer }: { pointer: string }) => pointer)
}

/** Stores completed batches, as if they had been accepted one after the other, in milliseconds before now. */
async function storeCompleted(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => crypto.randomUUID())
  const statement = env.DB.prepare(
    `insert into observation_batches (id, user_id, planet_id, observer, accepted, observations, created_at, completed_at)
     values (?1, ?2, ?3, 'Own', 0, '[]', ?4, ?4)`,
  )
  await env.DB.batch(ids.map((id, index) => statement.bind(id, account.id, planetId, now - count + index)))
  return ids
}

describe('a batch', () => {
  it('is accepted at once, completed by the queue, listed and deleted', async () => {
    const [png, gif] = [makePicture('image/png', 321), makePicture('image/gif', 123)]
    const response = await post([
      metaPart({ ...META, observedAt: '2024-01-15T14:30:00+02:00', count: 2 }),
      imagePart('image/png', png),
      imagePart('image/gif', gif),
    ])
    expect(response.status).toBe(202)
    const { batchId, ...receipt } = await bodyOf(response)
    expect(receipt).toEqual({ accepted: 2 })
    expect(response.headers.get('Location')).toBe(ORIGIN + pathOf(batchId))
    expect(response.headers.get('Retry-After')).toBe('1')
    expect(response.headers.get('Preference-Applied')).toBeNull()

    const first = await read(batchId)
    expect(first.headers.get('Retry-After')).toBe('1')
    const accepted = {
      batchId,
      planetId,
      observer: META.observer,
      observedAt: '2024-01-15T14:30:00+02:00',
      status: 'accepted',
      accepted: 2,
      observations: [],
      createdAt: new Date(now).toISOString(),
    }
    expect(await bodyOf(first)).toEqual(accepted)

    now += 500
    await drain(client)
    const completed = await read(batchId)
    expect(completed.headers.get('Retry-After')).toBeNull()
    const hash = async (bytes: Uint8Array<ArrayBuffer>) =>
      new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).toHex()
    const batch = {
      ...accepted,
      status: 'completed',
      observations: [
        { position: 1, declaredType: 'image/png', mediaType: 'image/png', fileSize: 321, sha256: await hash(png) },
        { position: 2, declaredType: 'image/gif', mediaType: 'image/gif', fileSize: 123, sha256: await hash(gif) },
      ],
      completedAt: new Date(now).toISOString(),
    }
    expect(await bodyOf(completed)).toEqual(batch)
    expect(await list()).toEqual({ data: [batch], meta: { limit: 10, offset: 0, total: 1, next: null } })

    expect((await remove(batchId)).status).toBe(204)
    expect((await read(batchId)).status).toBe(404)
    expect((await remove(batchId)).status).toBe(404)
  })

  it('names what is wrong with an image', async () => {
    const batchId = await accept([
      metaPart(),
      imagePart('image/jpeg', makePicture('image/png')),
      imagePart('image/png', bytesOf('<svg/>')),
      imagePart('image/webp'),
    ])
    await drain(client)
    const { observations } = await bodyOf(await read(batchId))
    expect(observations.map(({ mediaType, fault }: Record<string, string>) => [mediaType, fault])).toEqual([
      ['image/png', 'The content is image/png, and not image/jpeg as declared.'],
      [undefined, 'The content is no supported image.'],
      ['image/webp', undefined],
    ])
  })

  it('can have no images', async () => {
    const batchId = await accept([metaPart({ ...META, count: 0 })])
    await drain(client)
    expect(await bodyOf(await read(batchId))).toMatchObject({ status: 'completed', accepted: 0, observations: [] })
  })

  it('is XML for callers that prefer it', async () => {
    const headers = { ...authorization(account), Accept: 'application/xml' }
    const response = await post(batchOf(2), { headers: { Accept: 'application/xml' } })
    const receipt = await response.text()
    expect(receipt).toMatch(
      /<observationReceipt[^>]*><accepted>2<\/accepted><batchId>[-0-9a-f]{36}<\/batchId><\/observationReceipt>$/,
    )
    const [, batchId = ''] = /<batchId>(.*)<\/batchId>/.exec(receipt) ?? []
    await drain(client)
    const batch = await (await client.get(pathOf(batchId), headers)).text()
    expect(batch).toMatch(/<observationBatch\b/)
    expect(batch.match(/<observations>/g)).toHaveLength(2)
    expect(await (await client.get(`/planets/${planetId}/observations`, headers)).text()).toMatch(
      /<observationBatches[^>]*><data>/,
    )
  })

  it('does not change the planet', async () => {
    const etag = async () => (await client.get(`/planets/${planetId}`)).headers.get('ETag')
    const before = await etag()
    const events = (await rowOf<{ n: number }>('select count(*) as n from log'))?.n
    await accept()
    await drain(client)
    expect(await etag()).toBe(before)
    expect((await rowOf<{ n: number }>('select count(*) as n from log'))?.n).toBe(events)
  })

  it('keeps none of its bytes', async () => {
    const batchId = await accept([metaPart(), imagePart('image/png', makePicture('image/png', 100_000))])
    await drain(client)
    const [row] = (await env.DB.prepare('select * from observation_batches where id = ?').bind(batchId).all()).results
    expect(JSON.stringify(row).length).toBeLessThan(1000)
    expect(row?.images).toBeNull()
    expect((await env.IMAGES.list()).objects.filter(({ size }) => size === 100_000)).toEqual([])
  })

  it('is only there for its maker, at its planet', async () => {
    const batchId = await accept()
    const other = await createAccount(client)
    expect((await read(batchId, other)).status).toBe(404)
    expect((await remove(batchId, other)).status).toBe(404)
    expect((await list('', other)).meta.total).toBe(0)
    const { id } = await createPlanet(client, account, { name: 'Elsewhere' })
    for (const path of [pathOf(batchId, id), pathOf(UNKNOWN), pathOf('no-uuid')]) {
      expect((await client.get(path, authorization(account))).status).toBe(404)
      expect((await client.send(path, { method: 'DELETE', headers: authorization(account) })).status).toBe(404)
    }
    expect((await client.get(`/planets/${id}/observations`, authorization(account))).status).toBe(200)
    expect((await read(batchId)).status).toBe(200)
  })

  it('needs a planet', async () => {
    const unknown = 999_999_999
    expect((await post(batchOf(1), { planet: unknown })).status).toBe(404)
    expect((await client.get(`/planets/${unknown}/observations`, authorization(account))).status).toBe(404)
    // Every route refuses an invalid body before it looks at the planet.
    expect((await post([], { planet: unknown })).status).toBe(400)
    expect(await countOwn()).toBe(0)
  })

  it('is listed in pages, oldest first', async () => {
    const ids = []
    for (let index = 0; index < 3; index++) {
      now++
      ids.push(await accept())
    }
    const idsOf = ({ data }: { data: { batchId: string }[] }) => data.map(({ batchId }) => batchId)
    const page = await list('?limit=2')
    expect(idsOf(page)).toEqual(ids.slice(0, 2))
    expect(page.meta.total).toBe(3)
    expect(idsOf(await bodyOf(await client.get(page.meta.next, authorization(account))))).toEqual(ids.slice(2))
  })
})

describe('what is refused', () => {
  it('a body of another type, of none, and one in another coding: 415', async () => {
    const send = (headers: HeadersInit) =>
      client.send(`/planets/${planetId}/observations`, {
        method: 'POST',
        body: writeMixed(batchOf(1)),
        headers: [...Object.entries(authorization(account)), ...new Headers(headers)],
      })
    for (const type of ['application/json', 'multipart/form-data; boundary=b', 'multipart/related; boundary=b']) {
      const response = await send({ 'Content-Type': type })
      expect([type, response.status, response.headers.get('Accept')]).toEqual([type, 415, 'multipart/mixed'])
    }
    expect((await send({})).status).toBe(415)
    const coded = await send({ ...MIXED, 'Content-Encoding': 'br' })
    expect([coded.status, coded.headers.get('Accept-Encoding')]).toEqual([415, 'gzip, deflate'])
    expect((await send({ 'Content-Type': 'Multipart/Mixed; Boundary="b"' })).status).toBe(202)
  })

  it.each([
    ['', false],
    ['a', true],
    ['🪐'.repeat(200), true],
    ['🪐'.repeat(201), false],
    [undefined, false],
    [null, false],
  ])('an observer like %s: %s', async (observer, isAccepted) => {
    const response = await post([metaPart({ observer })])
    if (isAccepted) expect(response.status).toBe(202)
    else expect(await pointersOf(response)).toEqual(['/0/observer'])
  })

  it.each([
    ['2024-01-15T14:30:00Z', true],
    ['2016-12-31T23:59:60Z', true],
    ['2024-01-15', false],
    ['', false],
  ])('a time like %s: %s', async (observedAt, isAccepted) => {
    const response = await post([metaPart({ ...META, observedAt })])
    if (isAccepted) expect(response.status).toBe(202)
    else expect(await pointersOf(response)).toEqual(['/0/observedAt'])
  })

  it.each([0, 1, 3, -1, 1.5, '2', null])('the count %s for two images', async (count) => {
    expect(await pointersOf(await post(batchOf(2, { ...META, count })))).toEqual(['/0/count'])
  })

  it('all faults are named at once', async () => {
    const parts = [metaPart({ observer: '', spied: 1, count: 5 }), imagePart(), imagePart('text/plain')]
    expect((await pointersOf(await post(parts))).toSorted()).toEqual(['/0/count', '/0/observer', '/0/spied', '/2'])
  })

  it('more than 50 images', async () => {
    expect(await accept(batchOf(50, { ...META, count: 50 }))).toBeTypeOf('string')
    expect(await pointersOf(await post(batchOf(51)))).toEqual(['/51'])
  })

  it('an image of more than 5 MiB, and images of more than 25 MiB together: 413', async () => {
    const sized = (size: number) => imagePart('image/png', makePicture('image/png', size))
    const largest = Array.from({ length: 5 }, () => sized(5 * MEBIBYTE))
    expect(await accept([metaPart(), ...largest])).toBeTypeOf('string')
    expect((await post([metaPart(), ...largest, sized(100)])).status).toBe(413)
    expect((await post([metaPart(), sized(5 * MEBIBYTE + 1)])).status).toBe(413)
    expect(await countOwn()).toBe(1)
  })

  it('a body that is longer than any can be, before it is read', async () => {
    const response = await client.send(`/planets/${planetId}/observations`, {
      method: 'POST',
      body: new Uint8Array(26 * MEBIBYTE + 1),
      headers: { ...authorization(account), ...MIXED },
    })
    expect(response.status).toBe(413)
  })
})

describe('Prefer', () => {
  /** A client for which the queue delivers while a request waits. */
  const prompt = () => {
    const waits: number[] = []
    const via = clientWith({
      async wait(milliseconds) {
        waits.push(milliseconds)
        now += milliseconds
        if (isDelivering) await drain(client)
      },
    })
    return { via, waits }
  }
  let isDelivering = true

  beforeEach(() => {
    isDelivering = true
  })

  const appliedBy = (response: Response) => response.headers.get('Preference-Applied')

  it('wait: the batch, if it is completed by then', async () => {
    const { via, waits } = prompt()
    const response = await post(batchOf(2), { via, headers: { Prefer: 'wait=5' } })
    expect([response.status, appliedBy(response)]).toEqual([200, 'wait=5'])
    expect(response.headers.get('Location')).toBeNull()
    const batch = await bodyOf(response)
    expect(batch).toMatchObject({ status: 'completed', accepted: 2 })
    expect(batch.observations).toHaveLength(2)
    expect(await bodyOf(await read(batch.batchId))).toEqual(batch)
    expect(waits).toHaveLength(1)
  })

  it.each([
    ['wait=2', 2000, 'wait=2'],
    ['wait=10', 10_000, 'wait=10'],
    ['wait=11', 10_000, 'wait=10'],
    ['wait=99999999999', 10_000, 'wait=10'],
    ['wait=0', 0, 'wait=0'],
    ['respond-async', 0, 'respond-async'],
    ['respond-async, wait=1', 1000, 'respond-async, wait=1'],
    ['wait="1"; foo', 1000, 'wait=1'],
    ['wait=-1', 0, null],
    ['wait=1.5', 0, null],
    ['wait=soon', 0, null],
    ['wait', 0, null],
    ['respond-async=no', 0, null],
  ])('%s: a receipt after %s ms if it is not completed by then', async (preference, milliseconds, applied) => {
    isDelivering = false
    const { via, waits } = prompt()
    const response = await post(batchOf(1), { via, headers: { Prefer: preference } })
    expect([response.status, appliedBy(response)]).toEqual([202, applied])
    expect(response.headers.get('Location')).not.toBeNull()
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(milliseconds)
    // D1 allows few queries in an invocation.
    expect(waits.length).toBeLessThan(20)
  })

  it('goes with the preferences of every operation', async () => {
    const { via } = prompt()
    const response = await post(batchOf(1), { via, headers: { Prefer: 'wait=1, delay=1' } })
    expect([response.status, appliedBy(response)]).toEqual([200, 'wait=1, delay=1'])
  })

  it('works if the preferences that test clients are switched off', async () => {
    const via = clientWith({ config: { demoControls: false, signupsPerHour: 1000 } })
    expect(appliedBy(await post(batchOf(1), { via, headers: { Prefer: 'respond-async' } }))).toBe('respond-async')
  })

  it('waits no longer if the batch is deleted meanwhile', async () => {
    let waits = 0
    const via = clientWith({
      async wait() {
        waits++
        await env.DB.prepare('delete from observation_batches where user_id = ?').bind(account.id).run()
      },
    })
    expect((await post(batchOf(1), { via, headers: { Prefer: 'wait=5' } })).status).toBe(202)
    expect(waits).toBe(1)
  })
})

describe('limits', () => {
  it(`more than ${UNFINISHED_MAX} unfinished batches: 429, until one is completed`, async () => {
    const ids = await Promise.all(Array.from({ length: UNFINISHED_MAX }, () => accept()))
    const refused = await post(batchOf(1))
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '1'])
    expect((await post(batchOf(1), { by: await createAccount(client) })).status).toBe(202)
    await drain(client)
    expect(await Promise.all(ids.map(statusOf))).toEqual(ids.map(() => 'completed'))
    await accept()
  })

  it('several at the same moment are counted exactly', async () => {
    const statuses = await Promise.all(
      Array.from({ length: UNFINISHED_MAX + 4 }, async () => (await post(batchOf(1))).status),
    )
    expect(statuses.filter((status) => status === 202)).toHaveLength(UNFINISHED_MAX)
    expect(statuses.filter((status) => status === 429)).toHaveLength(4)
    expect(await countOwn()).toBe(UNFINISHED_MAX)
  })

  it(`${BATCHES_MAX} are kept: the oldest completed ones give way`, async () => {
    const stored = await storeCompleted(BATCHES_MAX - 1)
    const first = await accept()
    expect(await countOwn()).toBe(BATCHES_MAX)
    expect((await read(stored[0] ?? '')).status).toBe(200)
    await accept()
    await accept()
    expect(await countOwn()).toBe(BATCHES_MAX)
    expect(await Promise.all(stored.slice(0, 3).map(async (id) => (await read(id)).status))).toEqual([404, 404, 200])
    expect(await statusOf(first)).toBe('accepted')
    await drain(client)
    await accept()
    expect(await countOwn()).toBe(BATCHES_MAX)
    expect((await list()).meta.total).toBe(BATCHES_MAX)
  })

  it('those of others stay', async () => {
    const other = await createAccount(client)
    const batchId = await accept(batchOf(1), { by: other })
    await drain(client)
    await storeCompleted(BATCHES_MAX)
    await accept()
    expect((await read(batchId, other)).status).toBe(200)
  })
})

describe('the work', () => {
  it('is done once if a message comes twice, at the same time or later', async () => {
    const batchId = await accept()
    const [message] = queue.held.map((held) => held.message)
    if (!message) throw new Error('nothing was queued')
    await Promise.all([1, 2, 3].map(() => handleMessage(message, client.services)))
    const batch = await bodyOf(await read(batchId))
    expect(batch.status).toBe('completed')
    now += LEASE_MS
    await handleMessage(message, client.services)
    expect(await bodyOf(await read(batchId))).toEqual(batch)
  })

  it('of a worker that has died is begun again after its lease', async () => {
    const batchId = await accept()
    await leaseBatch(primaryOf(client), batchId, new Date(now), LEASE_MS)
    const response = await read(batchId)
    expect([(await bodyOf(response)).status, response.headers.get('Retry-After')]).toEqual(['processing', '1'])
    await drain(client)
    expect(await statusOf(batchId)).toBe('processing')
    now += LEASE_MS
    await handleMessage({ observations: batchId }, client.services)
    expect(await statusOf(batchId)).toBe('completed')
  })

  it('of a worker whose lease has passed to another one changes nothing', async () => {
    const batchId = await accept()
    const slow = await leaseBatch(primaryOf(client), batchId, new Date(now), LEASE_MS)
    if (!slow) throw new Error('no lease')
    now += LEASE_MS
    await leaseBatch(primaryOf(client), batchId, new Date(now), LEASE_MS)
    const writer = { session: primaryOf(client), services: client.services, now: new Date(now) }
    await commit(writer, { statements: [completeBatch(slow, [], new Date(now))] })
    expect(await statusOf(batchId)).toBe('processing')
  })

  it.each([
    ['the batch', (batchId: string) => remove(batchId)],
    ['its planet', () => env.DB.prepare('delete from planets where id = ?').bind(planetId).run()],
  ])('leaves nothing if %s is deleted while it runs', async (_, deleteIt) => {
    const batchId = await accept()
    const leased = await leaseBatch(primaryOf(client), batchId, new Date(now), LEASE_MS)
    await deleteIt(batchId)
    if (!leased) throw new Error('no lease')
    const writer = { session: primaryOf(client), services: client.services, now: new Date(now) }
    await commit(writer, { statements: [completeBatch(leased, [], new Date(now))] })
    await drain(client)
    expect(await countOwn()).toBe(0)
  })

  it('whose message was lost is found by the sweep', async () => {
    const batchId = await accept()
    queue.held.length = 0
    now += GRACE_MS - 1
    await sweep(client.services)
    // Its message is probably still in the queue.
    expect(queue.held).toEqual([])
    now += 1
    await sweep(client.services)
    expect(queue.held.map(({ message }) => message)).toEqual([{ observations: batchId }])
    await drain(client)
    expect(await statusOf(batchId)).toBe('completed')
    now += GRACE_MS
    await sweep(client.services)
    expect(queue.held).toEqual([])
  })

  it('is done by the sweep itself if the queue accepts nothing', async () => {
    const broken = Object.assign(new HeldQueue(), {
      async sendBatch(): Promise<never> {
        throw new Error('Queue is overloaded. Please back off.')
      },
    })
    const via = clientWith({ callbackQueue: broken })
    const batchId = await accept(batchOf(1), { via })
    now += GRACE_MS
    await sweep(via.services)
    expect(await statusOf(batchId)).toBe('completed')
  })

  it('on one batch that fails does not keep the sweep from the others', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const broken = Object.assign(new HeldQueue(), {
      async sendBatch(): Promise<never> {
        throw new Error('Queue is overloaded. Please back off.')
      },
    })
    const via = clientWith({ callbackQueue: broken })
    const failing = await accept(batchOf(1), { via })
    now++
    const others = [await accept(batchOf(1), { via }), await accept(batchOf(1), { via })]
    await env.DB.prepare(`update observation_batches set images = '{}' where id = ?`).bind(failing).run()
    now += GRACE_MS
    await sweep(via.services)
    expect(await Promise.all(others.map(statusOf))).toEqual(['completed', 'completed'])
    expect(log.mock.calls.map(([line]) => JSON.parse(line).event)).toEqual(['message-failed'])
    log.mockRestore()
    await env.DB.prepare(`update observation_batches set images = '[]' where id = ?`).bind(failing).run()
    now += LEASE_MS
    await sweep(via.services)
    expect(await statusOf(failing)).toBe('completed')
  })

  it('of a message about nothing is nothing', async () => {
    await handleMessage({ observations: UNKNOWN }, client.services)
  })
})

describe('a batch is gone', () => {
  it('24 hours after it was completed, and not before', async () => {
    const batchId = await accept()
    now += 5000
    await drain(client)
    now += DAY_MS - 1
    await sweep(client.services)
    // The token of the account has ended, so the database is asked.
    expect(await countOwn()).toBe(1)
    now += 1
    await sweep(client.services)
    expect(await countOf(`id = '${batchId}'`)).toBe(0)
  })

  it('from this time on, although no sweep has come', async () => {
    const batchId = await accept()
    await drain(client)
    const basic = { Authorization: `Basic ${btoa(`${account.email}:${account.password}`)}` }
    const statusAt = async (ms: number) => {
      const via = clientWith({ now: () => new Date(now + ms) })
      return (await via.get(pathOf(batchId), basic)).status
    }
    expect([await statusAt(DAY_MS - 1), await statusAt(DAY_MS)]).toEqual([200, 404])
  })

  it('unless it was never completed', async () => {
    await accept()
    queue.held.length = 0
    now += 2 * DAY_MS
    await sweep(client.services)
    expect(await countOwn()).toBe(1)
  })

  it('with its planet', async () => {
    const { id } = await createPlanet(client, account, { name: 'Short-lived' })
    await accept(batchOf(1), { planet: id })
    await drain(client)
    expect((await client.send(`/planets/${id}`, { method: 'DELETE', headers: authorization(account) })).status).toBe(
      204,
    )
    expect(await countOwn()).toBe(0)
  })

  it('with the account of its maker', async () => {
    await accept()
    await drain(client)
    await accept()
    const headers = authorization(account)
    expect((await client.send('/me', { method: 'DELETE', headers })).status).toBe(204)
    expect(await countOwn()).toBe(0)
  })
})

describe('a retry with an Idempotency-Key', () => {
  it('may have another boundary, and gets the first response', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const first = await post(batchOf(2), { headers, boundary: 'first' })
    const second = await post(batchOf(2), { headers: { ...headers, Prefer: 'wait=1' }, boundary: 'second' })
    expect([first.status, second.status, second.headers.get('Idempotency-Replayed')]).toEqual([202, 202, 'true'])
    expect(await bodyOf(second)).toEqual(await bodyOf(first))
    expect(second.headers.get('Location')).toBe(first.headers.get('Location'))
    expect(await countOwn()).toBe(1)
  })

  it('gets the receipt, also if the first request has waited for the batch', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID(), Prefer: 'wait=5' }
    const via = clientWith({ wait: () => drain(client) })
    const first = await post(batchOf(1), { via, headers })
    const second = await post(batchOf(1), { via, headers })
    expect([first.status, second.status]).toEqual([200, 202])
    const { batchId } = await bodyOf(first)
    expect(await bodyOf(second)).toEqual({ accepted: 1, batchId })
    expect(second.headers.get('Location')).toBe(ORIGIN + pathOf(batchId))
  })

  it('must be the same batch of the same planet', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    await accept(batchOf(2), { headers })
    expect((await post(batchOf(1), { headers })).status).toBe(422)
    expect((await post(batchOf(2, { observer: 'Other' }), { headers })).status).toBe(422)
    const { id } = await createPlanet(client, account, { name: 'Other' })
    expect((await post(batchOf(2), { headers, planet: id })).status).toBe(422)
    expect(await countOwn()).toBe(1)
  })

  it('of a refused batch does the work', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    for (let index = 0; index < UNFINISHED_MAX; index++) await accept()
    expect((await post(batchOf(2), { headers })).status).toBe(429)
    await drain(client)
    expect((await post(batchOf(2), { headers })).status).toBe(202)
  })
})
