import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { makeApiKey } from '../../../src/auth/api-key.ts'
import { openD1 } from '../../../src/db/port.ts'
import { handleBatch, handleMessage } from '../../../src/features/callbacks/consumer.ts'
import { D1_ERRORS } from '../../../src/http/errors/database-refusals.ts'
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
import { eachRow } from '../../support/each-row.ts'
import { failingDatabase, fullDatabase } from '../../support/failing-database.ts'
import { oneOfEach } from '../../support/one-of-each.ts'

// If D1 rejects a correct statement, neither the caller nor the service is at fault, and the condition is temporary.

const FULL = ['Exceeded maximum DB size.', 'Exceeded maximum account storage limit.', 'SQLITE_FULL']
const HOUR_SECONDS = 60 * 60

/** The D1_ERRORs listed in Cloudflare's documentation ("Debug D1"), and others that are known. */
const MESSAGES = [
  'D1_ERROR: Exceeded maximum account storage limit.',
  'D1_ERROR: Exceeded maximum DB size.',
  'D1_ERROR: Exceeded maximum DB size',
  'D1_ERROR: database or disk is full: SQLITE_FULL',
  'D1_ERROR: D1 DB reset because its code was updated.',
  'D1_ERROR: Internal error while starting up D1 DB storage caused object to be reset.',
  'D1_ERROR: Network connection lost.',
  'Network connection lost.',
  'D1_ERROR: Internal error in D1 DB storage caused object to be reset.',
  'D1_ERROR: Cannot resolve D1 DB due to transient issue on remote node.',
  "D1_ERROR: Can't read from request stream because client disconnected.",
  'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.',
  'D1_ERROR: D1 DB is overloaded. Requests queued for too long.',
  'D1_ERROR: D1 DB is overloaded. Too many requests queued.',
  "D1_ERROR: D1 DB's isolate exceeded its memory limit and was reset.",
  'D1_ERROR: D1 DB exceeded its CPU time limit and was reset.',
  'D1_ERROR: Currently processing a long-running export.',
  'D1_ERROR: database is locked: SQLITE_BUSY',
  'D1_ERROR: disk I/O error: SQLITE_IOERR',
  // Any other fault of the platform, such as a disk that is full under D1 itself.
  'internal error; reference = 8idbb35q6lt92qeeisiu77ge',
  'D1_ERROR: internal error; reference = 8idbb35q6lt92qeeisiu77ge',
  'internal error',
]

/** What callers are told, whichever message it was. */
const TOLD = /^(?:The database is (?:full|temporarily unavailable)|A part of the service is temporarily unavailable)/

let log: MockInstance

beforeEach(() => {
  log = vi.spyOn(console, 'error').mockImplementation(() => {})
})

afterEach(() => {
  log.mockRestore()
})

it('every row of the table has a test', () => {
  const untested = D1_ERRORS.filter(([text]) => !MESSAGES.some((message) => message.includes(text)))
  expect(untested).toEqual([])
})

/** When a caller may come back after a message. */
const secondsAfter = (message: string) =>
  FULL.some((text) => message.includes(text.replace(/\.$/, ''))) ? HOUR_SECONDS : 5

/** What a message becomes. All with one outcome are told apart nowhere else, so one of each tries all places. */
const MODELS = oneOfEach(MESSAGES, (message) => [secondsAfter(message), message.includes('D1_ERROR')])

it('each message is 503, with the time to come back', () =>
  eachRow(MESSAGES, async (message) => {
    const { status, headers } = await createClient({ database: failingDatabase(message) }).get('/planets')
    expect([status, headers.get('Retry-After')]).toEqual([503, String(secondsAfter(message))])
  }))

describe.each(MODELS)('%s', (message) => {
  const failing = () => createClient({ database: failingDatabase(message) })

  function expectUnavailable({ status, headers }: Response): void {
    expect([status, headers.get('Retry-After')]).toEqual([503, String(secondsAfter(message))])
  }

  it.each(['/planets', '/planets/1', '/celestial-bodies', '/inboxes/6f1b3f0e-8f5c-4f0e-9d0a-3c1f0b6f2a11'])(
    'is 503 for a read of %s, in each format',
    async (path) => {
      for (const accept of ['application/json', 'application/xml']) {
        const response = await failing().get(path, { Accept: accept })
        expectUnavailable(response)
        expect(response.headers.get('Content-Type')).toBe(accept.replace('/', '/problem+'))
        expect(await response.text()).not.toMatch(/D1|SQLITE|storage|8idbb35q6lt92qeeisiu77ge/)
      }
    },
  )

  it('is 503 while a caller is authenticated', async () => {
    const { key } = await makeApiKey()
    expectUnavailable(await failing().get('/me', { 'X-API-Key': key }))
    expectUnavailable(await failing().get('/me', { Authorization: `Basic ${btoa('a@b.example:secret')}` }))
    expectUnavailable(await failing().sendJson('POST', '/auth/token', { email: 'a@b.example', password: 'secret' }))
    expectUnavailable(await failing().sendJson('POST', '/user/signup', { email: 'a@b.example', password: 'secret' }))
  })

  it('is 503 as an OAuth error', async () => {
    const body = 'grant_type=client_credentials&client_id=a&client_secret=b'
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const response = await failing().send('/oauth/token', { method: 'POST', headers, body })
    expectUnavailable(response)
    expect(await bodyOf(response)).toEqual({
      error: 'temporarily_unavailable',
      error_description: expect.stringMatching(TOLD),
    })
  })

  it('is 503 on a page', async () => {
    const response = await failing().get('/oauth/authorize?client_id=a&response_type=code', { Accept: 'text/html' })
    expectUnavailable(response)
    expect(await response.text()).toMatch(
      new RegExp(`^<!doctype html>.*<p class="fault" role="alert">${TOLD.source.slice(1)}`, 's'),
    )
  })

  it('is 503 if an inbox receives a request', async () => {
    expectUnavailable(await failing().sendRaw('/inboxes/6f1b3f0e-8f5c-4f0e-9d0a-3c1f0b6f2a11/x', { method: 'POST' }))
  })

  it('does not affect routes that need no database', async () => {
    expect((await failing().get('/echo')).status).toBe(200)
    expect((await failing().get('/openapi.json')).status).toBe(200)
  })

  it('is logged by the queue and the sweep, which continue', async () => {
    const { services } = failing()
    await sweep(services)
    expect(log.mock.calls.flat().join()).toContain('"event":"sweep-failed"')
    log.mockClear()
    const works: Promise<void>[] = []
    const acknowledged = vi.fn()
    const messages = [
      { body: { delivery: 1 }, ack: acknowledged },
      { body: { event: 1 }, ack: acknowledged },
    ]
    handleBatch(
      { messages } as unknown as MessageBatch,
      (message) => handleMessage(message, services),
      (work) => works.push(work),
    )
    await Promise.all(works)
    expect(acknowledged).toHaveBeenCalledTimes(2)
    expect(log.mock.calls.flat().filter((line) => String(line).includes('"event":"message-failed"'))).toHaveLength(2)
  })
})

describe('a full database', () => {
  let account: Account
  let good: Client
  let full: Client
  let planetId: number

  beforeEach(async () => {
    good = createClient()
    account = await createAccount(good)
    planetId = (await createPlanet(good, account, { name: 'Kept' })).id
    full = createClient({ database: fullDatabase(openD1(env.DB), 'D1_ERROR: database or disk is full: SQLITE_FULL') })
  })

  it('can still be read, anonymously and with a token or a key', async () => {
    const { key } = await bodyOf(await good.sendJson('POST', '/me/api-keys', {}, account))
    expect((await full.get(`/planets/${planetId}`)).status).toBe(200)
    expect((await full.get('/me', authorization(account))).status).toBe(200)
    // The first use of this key would be recorded here. If that fails, the request still succeeds.
    expect((await full.get('/me', { 'X-API-Key': key })).status).toBe(200)
    await vi.waitFor(() => expect(log.mock.calls.flat().join()).toContain('"event":"deferred-work-failed"'))
  })

  it('checks no password, because it cannot count the attempts', async () => {
    const { email, password } = account
    const response = await full.get('/me', { Authorization: `Basic ${btoa(`${email}:${password}`)}` })
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, String(HOUR_SECONDS)])
  })

  it('rejects writes with 503, and a longer Retry-After', async () => {
    const writes = [
      await full.sendJson('POST', '/planets', { name: 'New' }, account),
      await full.sendJson('PUT', `/planets/${planetId}`, { name: 'Changed' }, account),
      await full.send('/inboxes', { method: 'POST' }),
    ]
    for (const response of writes) {
      expect([response.status, response.headers.get('Retry-After')]).toEqual([503, String(HOUR_SECONDS)])
      expect((await bodyOf(response)).detail).toMatch(/^The database is full, so writes fail\. Reads still work\./)
    }
    expect((await bodyOf(await good.get(`/planets/${planetId}`))).name).toBe('Kept')
  })
})

it.each([
  'D1_ERROR: No SQL statements detected.',
  'internal error; reference = 8idbb35q6lt92qeeisiu77ge, and more',
  "D1_TYPE_ERROR: Type 'undefined' not supported for value 'undefined'",
  'D1_ERROR: no such table: planets: SQLITE_ERROR',
  'D1_ERROR: UNIQUE constraint failed: users.email: SQLITE_CONSTRAINT',
])('an error that a retry cannot resolve is 500: %s', async (message) => {
  const response = await createClient({ database: failingDatabase(message) }).get('/planets')
  expect(response.status).toBe(500)
  expect(response.headers.get('Retry-After')).toBeNull()
})
