import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { IdStocks } from '../../../src/changes/ids.ts'
import { openD1 } from '../../../src/db/port.ts'
import { BROWSER_FILES } from '../../../src/design/browser-files.ts'
import { openHub } from '../../../src/events/hub-access.ts'
import { D1_ERRORS } from '../../../src/http/errors/database-refusals.ts'
import { R2_CODES } from '../../../src/http/errors/image-store-refusals.ts'
import { boundBucket } from '../../../src/lib/bounded-bucket.ts'
import { HOUR_MS } from '../../../src/lib/time.ts'
import { SuffixList } from '../../../src/stores/suffix-list.ts'
import { sweep } from '../../../src/sweep.ts'
import {
  type Account,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  primaryOf,
} from '../../support/app.ts'
import { drain, FakeNetwork, HeldQueue } from '../../support/callbacks.ts'
import { type Fault, faultyAssets, faultyBucket, faultyDatabase } from '../../support/faults.ts'
import { readLog } from '../../support/log-lines.ts'
import { makePicture } from '../../support/pictures.ts'
import { askForSocket } from '../../support/sockets.ts'

// What fails outside of the service: what the client sees, and what is stored afterwards. That every message of D1 is
// 503 on every kind of route is in http/database-refusals.test.ts. A queue that refuses is in callbacks/sweep.test.ts.
// A client that disconnects in mid-body is in http/cut-off-bodies.test.ts.

const log = readLog()

const RECEIVER = 'https://receiver.example/planets'
const TOLD = { name: 'Told', successCallbackUrl: RECEIVER, satellites: [{ name: 'Moon' }] }

let good: Client
let account: Account
let ids: IdStocks
let queue: HeldQueue
let network: FakeNetwork

beforeAll(async () => {
  good = createClient()
  account = await createAccount(good)
  ids = good.services.ids
})

beforeEach(async () => {
  // So that taking ids is not the write that fails.
  ;(await ids.take(primaryOf(good), { planets: 1, bodies: 1, api_keys: 1 })).giveBack()
  queue = new HeldQueue()
  network = new FakeNetwork()
})

/** The service with a fault. */
const faulty = (fault: Partial<Client['services']>) =>
  createClient({ callbackQueue: queue, fetch: network.fetch, ids, ...fault })

async function countRows(): Promise<Record<string, number>> {
  const tables = ['planets', 'bodies', 'events', 'deliveries', 'log', 'images', 'api_keys']
  const columns = tables.map((table) => `(select count(*) from ${table}) as ${table}`)
  return (await env.DB.prepare(`select ${columns.join(', ')}`).first<Record<string, number>>()) ?? {}
}

const listObjects = async () => (await env.IMAGES.list()).objects.map(({ key }) => key)

/** What the sweep leaves after everything that was under way has had its time. */
const sweepLater = () => sweep({ ...good.services, now: () => new Date(Date.now() + 2 * HOUR_MS) })

function expectUnavailable({ status, headers }: Response): void {
  expect(status).toBe(503)
  expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
}

describe.each(D1_ERRORS.map(([text]) => `D1_ERROR: ${text}`))('a write that fails: %s', (message) => {
  it('is 503, and leaves nothing behind', async () => {
    const before = await countRows()
    const client = faulty({
      database: faultyDatabase(openD1(env.DB), { write: 1, when: 'before', error: new Error(message) }),
    })
    expectUnavailable(await client.sendJson('POST', '/planets', TOLD, account))
    expect(await countRows()).toEqual(before)
    expect(queue.held).toEqual([])
  })

  it('after it was stored is 503, and it is stored once, with everything that belongs to it', async () => {
    const before = await countRows()
    const client = faulty({
      database: faultyDatabase(openD1(env.DB), { write: 1, when: 'after', error: new Error(message) }),
    })
    expectUnavailable(await client.sendJson('POST', '/planets', TOLD, account))
    const after = await countRows()
    expect(after.planets).toBe((before.planets ?? 0) + 1)
    expect(after.bodies).toBe((before.bodies ?? 0) + 1)
    expect(after.deliveries).toBe((before.deliveries ?? 0) + 1)
    expect(after.log).toBe((before.log ?? 0) + 1)
    // Nobody has queued the delivery. The sweep does.
    expect(queue.held).toEqual([])
    await sweep(client.services)
    await drain(client)
    expect(network.to(RECEIVER)).toHaveLength(1)
  })
})

describe('a slow database', () => {
  it('delays a request, and stores what it writes once', async () => {
    const before = await countRows()
    const client = faulty({ database: faultyDatabase(openD1(env.DB), { delayMs: 150 }) })
    const response = await client.sendJson('POST', '/planets', TOLD, account)
    expect(response.status).toBe(201)
    expect(Number(response.headers.get('X-Processing-Time'))).toBeGreaterThanOrEqual(145)
    expect((await countRows()).planets).toBe((before.planets ?? 0) + 1)
  })
})

describe('an upload', () => {
  let planetId: number
  let shown: string

  beforeEach(async () => {
    planetId = (await createPlanet(good, account, { name: 'Pictured' })).id
    shown = (await bodyOf(await good.upload(`/planets/${planetId}/image`, makePicture(), account))).imageUrl
  })

  const readImage = async () => (await bodyOf(await good.get(`/planets/${planetId}`))).image
  const R2_BUSY = new Error('put: We encountered an internal error. Please try again. (10001)')
  const D1_LOST = new Error('D1_ERROR: Network connection lost.')

  const STEPS: readonly (readonly [step: string, fault: () => Partial<Client['services']>, shows: 'old' | 'new'])[] = [
    ['the row of the new image is not stored', () => ({ database: failingWrite(1, 'before') }), 'old'],
    ['the row is stored, but the answer is lost', () => ({ database: failingWrite(1, 'after') }), 'old'],
    ['the object is not stored', () => ({ bucket: failingPut('before') }), 'old'],
    ['the object is stored, but the answer is lost', () => ({ bucket: failingPut('after') }), 'old'],
    ['the planet is not written', () => ({ database: failingWrite(2, 'before') }), 'old'],
    ['the planet is written, but the answer is lost', () => ({ database: failingWrite(2, 'after') }), 'new'],
  ]

  const failingWrite = (write: number, when: Fault['when']) =>
    faultyDatabase(openD1(env.DB), { write, when, error: D1_LOST })
  const failingPut = (when: Fault['when']) => faultyBucket(env.IMAGES, { method: 'put', when, error: R2_BUSY })

  it.each(STEPS)('is 503 if %s, and after the sweep there is no orphan', async (_, fault, shows) => {
    expectUnavailable(await faulty(fault()).upload(`/planets/${planetId}/image`, makePicture(), account))
    const image = await readImage()
    expect(image === shown).toBe(shows === 'old')
    // Whatever the planet shows can be read.
    expect((await good.get(image)).status).toBe(200)
    await sweepLater()
    expect(await readImage()).toBe(image)
    expect((await good.get(image)).status).toBe(200)
    await expectNoOrphans()
  })

  it('succeeds if the previous object cannot be deleted, which the sweep does later', async () => {
    const error = new Error('delete: Service temporarily unavailable. (10043)')
    const bucket = faultyBucket(env.IMAGES, { method: 'delete', when: 'before', error })
    const response = await faulty({ bucket }).upload(`/planets/${planetId}/image`, makePicture(), account)
    expect(response.status).toBe(200)
    expect(await readImage()).toBe((await bodyOf(response)).imageUrl)
    await sweepLater()
    expect((await good.get(shown)).status).toBe(404)
    await expectNoOrphans()
  })

  it.each(Object.keys(R2_CODES))(
    'is 503 with Retry-After for the code %s of R2, and so is reading an image',
    async (code) => {
      const error = new Error(`head: Something is wrong for now. (${code})`)
      for (const method of ['put', 'head'] as const) {
        const client = faulty({ bucket: faultyBucket(env.IMAGES, { method, when: 'before', error }) })
        const response =
          method === 'put'
            ? await client.upload(`/planets/${planetId}/image`, makePicture(), account)
            : await client.get(shown)
        expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5'])
        expect((await bodyOf(response)).detail).toBe(
          'The store of images is temporarily unavailable. Try again shortly.',
        )
      }
    },
  )

  it('is 503 if the store never answers, after ten seconds, and stores nothing that is seen', async () => {
    const waits: number[] = []
    const wait = async (milliseconds: number) => void waits.push(milliseconds)
    const silent = { ...env.IMAGES, put: () => new Promise(() => {}) } as unknown as R2Bucket
    const response = await faulty({ bucket: boundBucket(silent, { wait }) }).upload(
      `/planets/${planetId}/image`,
      makePicture(),
      account,
    )
    expectUnavailable(response)
    expect(waits).toEqual([10_000])
    expect(await readImage()).toBe(shown)
    await sweepLater()
    await expectNoOrphans()
  })

  it.each(['put', 'head', 'get'] as const)('is 503 if the platform fails under its store: %s', async (method) => {
    const error = new Error(`${method}: internal error; reference = 8idbb35q6lt92qeeisiu77ge`)
    const client = faulty({ bucket: faultyBucket(env.IMAGES, { method, when: 'before', error }) })
    expectUnavailable(
      method === 'put'
        ? await client.upload(`/planets/${planetId}/image`, makePicture(), account)
        : await client.get(shown),
    )
  })

  it.each(['put: Your metadata headers exceed the maximum allowed metadata size. (10012)', 'R2 is away (10001) today'])(
    'is 500 for any other error of R2: %s',
    async (message) => {
      const bucket = faultyBucket(env.IMAGES, { method: 'put', when: 'before', error: new Error(message) })
      const response = await faulty({ bucket }).upload(`/planets/${planetId}/image`, makePicture(), account)
      expect(response.status).toBe(500)
      expect(await readImage()).toBe(shown)
    },
  )

  /** Every object has a row, and every row is that of an image that a planet shows. */
  async function expectNoOrphans(): Promise<void> {
    const { results } = await env.DB.prepare('select key from images').all<{ key: string }>()
    const used = await env.DB.prepare('select image_key as key from planets where image_key is not null').all<{
      key: string
    }>()
    const keys = results.map(({ key }) => key).sort()
    expect(used.results.map(({ key }) => key).sort()).toEqual(keys)
    expect((await listObjects()).sort()).toEqual(keys)
  }
})

describe.each([
  ['an error', new Error('Network connection lost.')],
  ['status 500', 500],
  ['status 599', 599],
] as const)('a file of the Worker that cannot be read: %s', (_, fault) => {
  /** The service in a new isolate, whose first reads of files fail. */
  const isolate = (failures: number) => {
    const assets = faultyAssets(env.ASSETS, failures, fault)
    return faulty({ assets, suffixes: new SuffixList(assets) })
  }

  it('is read again, so that one failure does not affect the first callback to a name', async () => {
    expect((await isolate(1).sendJson('POST', '/planets', TOLD, account)).status).toBe(201)
  })

  it('is 503 if it fails again, nothing is stored, and the failure is not remembered', async () => {
    const before = await countRows()
    const client = isolate(2)
    expectUnavailable(await client.sendJson('POST', '/planets', TOLD, account))
    expect(await countRows()).toEqual(before)
    expect(queue.held).toEqual([])
    expect((await client.sendJson('POST', '/planets', TOLD, account)).status).toBe(201)
  })

  it('is 503 for a page that loads it, and not a 404 that says that there is none', async () => {
    const client = isolate(2)
    expectUnavailable(await client.get(BROWSER_FILES.stylesheet))
    expect((await client.get(BROWSER_FILES.stylesheet)).status).toBe(200)
  })
})

it('a file of the Worker that is missing is a fault of the service: 500, and not asked for again', async () => {
  const assets = faultyAssets(env.ASSETS, 1, 404)
  const client = faulty({ assets, suffixes: new SuffixList(assets) })
  expect((await client.sendJson('POST', '/planets', TOLD, account)).status).toBe(500)
  expect((await client.sendJson('POST', '/planets', TOLD, account)).status).toBe(201)
})

describe('a hub that cannot be reached', () => {
  const gone = () => Promise.reject(new Error('Durable Object reset because its code was updated.'))
  const objects = { idFromName: () => ({}), get: () => ({ fetch: gone, notify: gone }) }
  const hub = openHub(objects as unknown as Parameters<typeof openHub>[0], {
    defer: () => {},
    logFailure: () => {},
    now: () => new Date(),
    wait: () => Promise.resolve(),
  })
  const client = () => faulty({ hub, database: openD1(env.DB) })

  it('is 503 for those who want to listen', async () => {
    expectUnavailable(await askForSocket(client(), 'system/events'))
    expectUnavailable(await client().get('/planets/events'))
    expect(log.of('hub-failed')).toHaveLength(2)
  })

  it('does not affect a write, whose events are in the log', async () => {
    const before = await countRows()
    expect((await client().sendJson('POST', '/planets', { name: 'Unheard' }, account)).status).toBe(201)
    expect((await countRows()).log).toBe((before.log ?? 0) + 1)
  })
})

describe('a clock that jumps', () => {
  const clientAt = (aheadMs: number) => faulty({ now: () => new Date(Date.now() + aheadMs) })

  it.each([-HOUR_MS, -1000, HOUR_MS])(
    'by %i ms: versions still follow one another, and dates never go back',
    async (jump) => {
      const created = await createPlanet(good, account, { name: 'Timed' })
      const path = `/planets/${created.id}`
      const { key } = await bodyOf(await good.sendJson('POST', '/me/api-keys', {}, account))
      const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
      const first = await good.get(path)
      const change = await clientAt(jump).send(path, { method: 'PUT', body: '{"name":"Later"}', headers })
      expect(change.status).toBe(200)
      const second = await good.get(path)
      expect(second.headers.get('ETag')).not.toBe(first.headers.get('ETag'))
      const { lastUpdated } = await bodyOf(second)
      expect(Date.parse(lastUpdated)).toBeGreaterThanOrEqual(Date.parse(created.lastUpdated))
      const { results } = await env.DB.prepare('select kind from log where planet_id = ? order by place')
        .bind(created.id)
        .all()
      expect(results).toEqual([{ kind: 'planet_created' }, { kind: 'planet_updated' }])
    },
  )

  it('during a call: the call is repeated after the lease, and the delivery ends as delivered', async () => {
    const clock = { ms: Date.now() }
    const client = faulty({ now: () => new Date(clock.ms) })
    await client.sendJson('POST', '/planets', TOLD, account)
    network.answer = () => {
      clock.ms += 10 * HOUR_MS
      return new Response('Thank you')
    }
    await drain(client)
    expect(network.to(RECEIVER)).toHaveLength(1)
    const row = await env.DB.prepare('select status from deliveries order by id desc limit 1').first('status')
    expect(row).toBe('delivered')
  })

  it('back, between a creation and its call: the callback is late, and not lost', async () => {
    const clock = { ms: Date.now() }
    const client = faulty({ now: () => new Date(clock.ms) })
    const own = 'https://late.example/planets'
    await client.sendJson('POST', '/planets', { ...TOLD, successCallbackUrl: own }, account)
    clock.ms -= HOUR_MS
    await drain(client)
    expect(network.to(own)).toHaveLength(0)
    clock.ms += HOUR_MS + 1000
    await sweep(client.services)
    await drain(client)
    expect(network.to(own)).toHaveLength(1)
  })
})
