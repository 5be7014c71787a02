import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bodyOf, createClient, ORIGIN } from '../../support/app.ts'
import {
  type Bench,
  basic,
  bearer,
  type Carried,
  createBench,
  createHolder,
  type Holder,
  keyInCookie,
  keyInHeader,
  keyInQuery,
  NOTHING,
  sendWith,
  storeKey,
  together,
} from '../../support/credentials.ts'
import { oneOfEach, turnOf } from '../../support/one-of-each.ts'
import {
  callOperation,
  expectDone,
  makeTarget,
  SECURED,
  type SecuredOperation,
} from '../../support/secured-operations.ts'
import { emptyDatabase, readDatabase } from '../../support/stored.ts'
import { BASE_HOST, BASE_ORIGIN, EMPTY_VALUES, publishedAt } from '../../support/world.ts'

// A browser sends a key in a cookie from any page. This tests what a page of another origin can do with it.

const EVIL = 'https://evil.test'
const CROSS_SITE = `${ORIGIN}/problems/cross-site-request`

/** The headers that name the origin of a request; clients other than browsers send none. */
interface Origins {
  origin?: string
  site?: string
}

const OWN_PAGES: readonly Origins[] = [
  {},
  { origin: BASE_ORIGIN },
  { origin: BASE_ORIGIN, site: 'same-origin' },
  { site: 'same-origin' },
  // A user who typed the address, or opened a bookmark.
  { site: 'none' },
  // A page of the service, without a referrer.
  { origin: 'null', site: 'same-origin' },
]

const OTHER_PAGES: readonly Origins[] = [
  { origin: EVIL },
  { origin: EVIL, site: 'cross-site' },
  { site: 'cross-site' },
  { site: 'same-site' },
  { origin: `http://other.${BASE_HOST}`, site: 'same-site' },
  // A page in a sandbox, from a file, or after a redirect.
  { origin: 'null' },
  { origin: 'null', site: 'cross-site' },
  { origin: 'null', site: 'same-site' },
  { origin: 'null', site: 'none' },
  // The two headers contradict each other, and the service cannot know which is right.
  { origin: BASE_ORIGIN, site: 'cross-site' },
  { origin: BASE_ORIGIN, site: 'same-site' },
  { origin: EVIL, site: 'same-origin' },
  { origin: EVIL, site: 'none' },
  { origin: `https://${BASE_HOST}` },
  { origin: `${BASE_ORIGIN}:8080` },
  { origin: `${BASE_ORIGIN}:80` },
  { origin: `http://www.${BASE_HOST}` },
  { origin: `${BASE_ORIGIN}.evil.test` },
  { origin: `http://evil${BASE_HOST}` },
  { origin: `${BASE_ORIGIN}/` },
  { origin: `${BASE_ORIGIN}@evil.test` },
  { origin: `http://${BASE_HOST.toUpperCase()}` },
  ...EMPTY_VALUES.map((origin) => ({ origin })),
  { origin: `${BASE_ORIGIN}, ${EVIL}` },
  { origin: `${EVIL} ${BASE_ORIGIN}` },
  { site: '' },
  { site: 'same-origin, cross-site' },
  { site: 'something new' },
]

const UNSAFE = SECURED.filter(({ method, schemes }) => method !== 'GET' && schemes.includes('apiKeyCookie'))

/** What stands for its like, and the first of all of them. */
const MODELS = oneOfEach(UNSAFE, ({ isUpload, isAnonymous }) => [isUpload, isAnonymous])
const [FIRST] = MODELS

/**
 * One function judges where the requests of all operations come from, before their bodies are read. Therefore the first
 * operation is sent from everywhere, each other that stands for its like from one place of each kind, and the others in
 * turn.
 */
function originsFor(operation: SecuredOperation, origins: readonly Origins[]): readonly Origins[] {
  if (operation === FIRST) return origins
  if (!MODELS.includes(operation)) return turnOf(origins, UNSAFE.indexOf(operation))
  return oneOfEach(origins, ({ origin, site }) => [origin === undefined, origin === 'null', site === undefined])
}

let bench: Bench
let holder: Holder
let cookie: Carried

beforeAll(async () => {
  bench = await createBench()
})

beforeEach(async () => {
  await emptyDatabase()
  holder = await createHolder(bench)
  cookie = keyInCookie((await storeKey(bench.client, holder.account.id)).key)
})

function from({ origin, site }: Origins): Carried {
  const headers = {
    ...(origin !== undefined && { Origin: origin }),
    ...(site !== undefined && { 'Sec-Fetch-Site': site }),
  }
  return { headers, query: {} }
}

function create(carried: Carried): Promise<Response> {
  return sendWith(bench, '/planets', carried, {
    method: 'POST',
    body: '{"name":"By cookie"}',
    headers: { 'Content-Type': 'application/json' },
  })
}

it('uploads are tested here too: any page can send a form', () => {
  expect(UNSAFE.filter(({ isUpload }) => isUpload).map(({ id }) => id)).toEqual(['uploadImage'])
})

describe.each(UNSAFE)('$method $path', (operation) => {
  it.each(originsFor(operation, OWN_PAGES))(
    'is accepted from a page of the service, and from clients other than browsers: %o',
    async (origins) => {
      const userId = holder.account.id
      const target = await makeTarget(userId)
      const carried = together(cookie, from(origins))
      const response = await callOperation(bench, operation, { target, carried, holder })
      expect(response.ok, await response.clone().text()).toBe(true)
      await expectDone(operation, { response, userId, target, holder, bench })
    },
  )

  const others = originsFor(operation, OTHER_PAGES)
  if (operation.isAnonymous) {
    it.each(others)('is done for nobody if a page of another origin asks: %o', async (origins) => {
      const target = await makeTarget(holder.account.id)
      const carried = together(cookie, from(origins))
      const response = await callOperation(bench, operation, { target, carried, holder })
      await expectDone(operation, { response, userId: undefined, target, holder, bench })
    })
    return
  }

  it.each(others)('is refused to a page of another origin: %o', async (origins) => {
    const target = await makeTarget(holder.account.id)
    const before = await readDatabase()
    const carried = together(cookie, from(origins))
    const response = await callOperation(bench, operation, { target, carried, holder })
    expect(response.status).toBe(403)
    expect((await bodyOf(response)).type).toBe(CROSS_SITE)
    expect(await readDatabase()).toEqual(before)
  })
})

describe('a request with the cookie from a page of another origin', () => {
  const evil = from({ origin: EVIL, site: 'cross-site' })

  it.each(['GET', 'HEAD'])('is accepted for %s, but the page cannot read the response', async (method) => {
    const response = await sendWith(bench, '/me/api-keys', together(cookie, evil), { method })
    expect(response.status).toBe(200)
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(response.headers.has('Access-Control-Allow-Credentials')).toBe(false)
  })

  it('is rejected as an invalid key if the key is invalid', async () => {
    expect((await create(together(keyInCookie('glx_junk'), evil))).status).toBe(401)
  })

  it('is accepted if the page itself has another valid credential', async () => {
    const key = keyInHeader((await storeKey(bench.client, holder.account.id)).key)
    expect((await create(together(together(cookie, evil), key))).status).toBe(201)
    expect((await create(together(together(cookie, evil), bearer(holder.account.token)))).status).toBe(201)
  })

  it('is rejected because of its origin if the other credential is invalid', async () => {
    const response = await create(together(together(cookie, evil), bearer('junk')))
    expect([response.status, (await bodyOf(response)).type]).toEqual([403, CROSS_SITE])
  })
})

it('is accepted with any other credential, whatever the origin', async () => {
  const { account } = holder
  const { key } = await storeKey(bench.client, account.id)
  const evil = from({ origin: EVIL, site: 'cross-site' })
  for (const credential of [
    bearer(account.token),
    basic(account.email, account.password),
    keyInHeader(key),
    keyInQuery(key),
  ]) {
    expect((await create(together(credential, evil))).status).toBe(201)
  }
})

it('behind a public URL, that URL counts as the own origin, not the one of the request', async () => {
  const publicUrl = 'https://galaxy.example'
  const behind = { client: createClient({ config: { publicUrl } }), provider: bench.provider }
  const statusFrom = async (origin: string) => {
    const carried = together(cookie, from({ origin }))
    const init = { method: 'POST', body: '{"name":"Far"}', headers: { 'Content-Type': 'application/json' } }
    return (await sendWith(behind, '/planets', carried, init)).status
  }
  const { origin: own } = new URL(publishedAt(publicUrl))
  expect(await statusFrom(own)).toBe(201)
  for (const other of [publicUrl, BASE_ORIGIN]) if (other !== own) expect(await statusFrom(other)).toBe(403)
})

describe('the cookie', () => {
  const send = (text: string) => create({ headers: { Cookie: text }, query: {} })
  const keyText = () => (cookie.headers.Cookie ?? '').replace('api_key=', '')

  it.each(['a=b; api_key=KEY; c=d', 'api_key="KEY"', 'a=b;api_key=KEY', ';;api_key=KEY;'])(
    'is found in %s',
    async (text) => {
      expect((await send(text.replace('KEY', keyText()))).status).toBe(201)
    },
  )

  it.each(['API_KEY=KEY', 'xapi_key=KEY', '__Host-api_key=KEY', 'api_key', 'KEY', 'a="api_key=KEY"'])(
    'is not found in %s',
    async (text) => {
      expect((await send(text.replace('KEY', keyText()))).status).toBe(401)
    },
  )
})

it('the origin of a request without the cookie does not matter', async () => {
  expect((await create(together(NOTHING, from({ origin: EVIL })))).status).toBe(401)
})
