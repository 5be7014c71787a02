import { beforeEach, describe, expect, it } from 'vitest'
import type { Era } from '../../../src/domain/universe.ts'
import type { Route } from '../../../src/http/pipeline/route.ts'
import { isRead } from '../../../src/http/pipeline/route-facts.ts'
import { type Account, authorization, type Client, createAccount, createClient, ROUTES } from '../../support/app.ts'
import { type GoodRequest, makeGoodRequest, sendGood } from '../../support/good-requests.ts'

// A reset gives a world a new era. No validator from before it may match, although ids, versions and even content are
// the same. Here, two clients serve the same database: one as before the reset, the other one as after it.

/** What a reset cannot replace by something else: images, which are never named again, and documents of the service. */
const LASTING = [
  'getImage',
  'getOpenApiJson',
  'getOpenApiYaml',
  'getNewerOpenApiJson',
  'getNewerOpenApiYaml',
  'getOpenApiOfFirstEdition',
  'getAsyncApiJson',
  'getArazzoJson',
  'getArazzoYaml',
  'getNewerArazzoJson',
  'getNewerArazzoYaml',
  'getAsyncApiYaml',
  'getLabCases',
  'getLabOpenApiJson',
  'getLabOpenApiYaml',
  'getLabOlderOpenApiJson',
  'getLabNewerOpenApiJson',
  'getLabNewerOpenApiYaml',
  'getLabTryOpenApiJson',
  'getLabTryOpenApiYaml',
  'getLabTryOlderOpenApiJson',
  'getLabTryNewerOpenApiJson',
  'getLabTryNewerOpenApiYaml',
  'getLabRunOpenApiJson',
  'getLabRunOpenApiYaml',
  'getLabRunOlderOpenApiJson',
  'getLabRunNewerOpenApiJson',
  'getLabRunNewerOpenApiYaml',
]

const CONDITIONAL = ROUTES.filter(({ problems }) => problems?.includes('precondition-failed'))
const lasts = ({ operationId }: Route) => LASTING.includes(operationId)
const READS = CONDITIONAL.filter(({ method }) => isRead(method))
const WRITES = CONDITIONAL.filter(({ method }) => !isRead(method))

interface Seen {
  etag: string
  /** Empty if the resource has no date. */
  modified: string
}

let before: Client
let after: Client
let account: Account

beforeEach(async () => {
  before = createClient()
  account = await createAccount(before)
})

/** Puts the client `after` in an era that begins now: often in the same second in which the test has read something. */
function reset(): Era {
  const era = { tag: 'second', startedAt: new Date() }
  after = createClient({ era })
  return era
}

function seenIn({ headers }: Response): Seen {
  return { etag: headers.get('ETag') ?? '', modified: headers.get('Last-Modified') ?? '' }
}

/** The resource that an operation changes. */
function resourceOf({ path }: GoodRequest): string {
  const [resource] = /^\/(?:me|planets\/\d+)/.exec(path) ?? []
  if (resource === undefined) throw new Error(`a test does not know how to read the resource of ${path}`)
  return resource
}

async function read(client: Client, path: string): Promise<Seen> {
  return seenIn(await client.get(path, authorization(account)))
}

it('the resources with validators are those that this test expects', () => {
  expect(READS.length).toBeGreaterThan(LASTING.length)
  expect(WRITES.length).toBeGreaterThan(3)
  expect(READS.filter(lasts).length).toBe(LASTING.length)
})

describe.each(READS.filter((route) => !lasts(route)))('$method $path after a reset', (route) => {
  let request: GoodRequest
  let old: Seen

  beforeEach(async () => {
    request = await makeGoodRequest(before, route, account)
    old = seenIn(await sendGood(before, request))
    reset()
  })

  const statusOf = async (headers: Record<string, string>) => (await sendGood(after, request, headers)).status

  it('is not the version that was read before', async () => {
    expect(old.etag).toMatch(/^"[^"]+"$/)
    expect(await statusOf({ 'If-None-Match': old.etag })).toBe(200)
    expect(await statusOf({ 'If-None-Match': `W/${old.etag}` })).toBe(200)
    expect(await statusOf({ 'If-Match': old.etag })).toBe(412)
    expect(await statusOf({ 'If-Match': '*' })).toBe(200)
  })

  it('is newer than any date that was read before, even in the same second', async () => {
    const date = old.modified || new Date().toUTCString()
    expect(await statusOf({ 'If-Modified-Since': date })).toBe(200)
    // Without a date, the condition is ignored (RFC 9110, section 13.1.4).
    expect(await statusOf({ 'If-Unmodified-Since': date })).toBe(old.modified ? 412 : 200)
  })

  it('has new validators that match, with another tag in each era', async () => {
    const { etag } = seenIn(await sendGood(after, request))
    expect(etag).toMatch(/^"[^"]+"$/)
    expect(etag).not.toBe(old.etag)
    expect(await statusOf({ 'If-None-Match': etag })).toBe(304)
    expect(await statusOf({ 'If-Match': etag })).toBe(200)
    after = createClient({ era: { tag: 'third', startedAt: new Date() } })
    expect(await statusOf({ 'If-None-Match': etag })).toBe(200)
  })

  it('shows no date in the future, and a second later one that matches', async () => {
    const { startedAt } = reset()
    const { headers } = await sendGood(after, request)
    const shown = Date.parse(headers.get('Last-Modified') ?? '')
    expect(shown > Date.now()).toBe(false)
    const second = new Date((Math.floor(startedAt.getTime() / 1000) + 1) * 1000)
    after = createClient({ era: { tag: 'second', startedAt }, now: () => second })
    if (!old.modified) return
    expect((await sendGood(after, request)).headers.get('Last-Modified')).toBe(second.toUTCString())
    expect(await statusOf({ 'If-Modified-Since': second.toUTCString() })).toBe(304)
    expect(await statusOf({ 'If-Unmodified-Since': second.toUTCString() })).toBe(200)
  })
})

describe.each(READS.filter(lasts))('$method $path, which a reset does not change,', (route) => {
  it('has the same validators after it', async () => {
    const request = await makeGoodRequest(before, route, account)
    const old = seenIn(await sendGood(before, request))
    reset()
    expect(seenIn(await sendGood(after, request))).toEqual(old)
    expect((await sendGood(after, request, { 'If-None-Match': old.etag })).status).toBe(304)
  })
})

describe.each(WRITES)('$method $path ($operationId) after a reset', (route) => {
  it('is refused with a validator from before, and not with a new one', async () => {
    const request = await makeGoodRequest(before, route, account)
    const old = await read(before, resourceOf(request))
    reset()
    const statusOf = async (headers: Record<string, string>) => (await sendGood(after, request, headers)).status
    expect(await statusOf({ 'If-Match': old.etag })).toBe(412)
    expect(await statusOf({ 'If-Match': `"other", ${old.etag}` })).toBe(412)
    expect(await statusOf({ 'If-Unmodified-Since': old.modified })).toBe(412)
    const { etag } = await read(after, resourceOf(request))
    expect(await statusOf({ 'If-None-Match': etag })).toBe(412)
    expect(await statusOf({ 'If-Match': etag })).toBe(request.status)
  })
})

it('without an era, a planet has the tag of its version', async () => {
  const { headers } = await before.sendJson('POST', '/planets', { name: 'First' }, account)
  expect(headers.get('ETag')).toBe('"1-json"')
  reset()
  const created = await after.sendJson('POST', '/planets', { name: 'Second' }, account)
  expect(created.headers.get('ETag')).toBe('"1-json-second"')
})
