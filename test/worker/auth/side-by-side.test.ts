import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bodyOf, ORIGIN } from '../../support/app.ts'
import {
  type Bench,
  basic,
  bearer,
  type Carried,
  type CredentialKind,
  createBench,
  createHolder,
  type Holder,
  inHeader,
  KINDS,
  keyInCookie,
  keyInHeader,
  keyInQuery,
  NOTHING,
  scopesWithout,
  sendWith,
  storeKey,
  together,
} from '../../support/credentials.ts'
import { emptyDatabase } from '../../support/stored.ts'

// Several credentials in one request. One valid credential suffices. If none is valid, the response reports the most
// relevant error.

/** The order in which credentials are tried. If two are valid, the request is made by the user of the first one. */
const ORDER = ['bearerAuth', 'basicAuth', 'apiKeyQuery', 'apiKeyHeader', 'apiKeyCookie', 'oAuth2', 'openIdConnect']
const SCOPE = 'write:planets'

let bench: Bench
let holder: Holder

beforeAll(async () => {
  bench = await createBench()
})

beforeEach(async () => {
  await emptyDatabase()
  holder = await createHolder(bench)
})

function create(...carried: Carried[]): Promise<Response> {
  return sendWith(bench, '/planets', carried.reduce(together, NOTHING), {
    method: 'POST',
    body: '{"name":"Made"}',
    headers: { 'Content-Type': 'application/json' },
  })
}

/** The problem of an answer, or the id of the user who made the planet that it is. */
async function outcomeOf(response: Response): Promise<string | number> {
  const { type, creator } = await bodyOf(response)
  return type?.replace(`${ORIGIN}/problems/`, '') ?? creator.id
}

const good = ({ make }: CredentialKind, whose = holder) => make(bench, whose, [SCOPE])
const lacking = ({ make }: CredentialKind) => make(bench, holder, scopesWithout(SCOPE))
const bad = async ({ bad }: CredentialKind) => (await bad[0]?.make(bench, holder, [SCOPE])) ?? NOTHING

function suspend(userId: number) {
  return env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(userId).run()
}

const PAIRS = KINDS.flatMap((one) =>
  KINDS.filter(({ place }) => place !== one.place).map((other) => ({
    one,
    other,
    names: `${one.name} + ${other.name}`,
    /** Of a pair and its reverse: what is the same for both is tried with one. */
    isFirst: KINDS.indexOf(one) < KINDS.indexOf(other),
  })),
)

it.each(PAIRS)('$names: which of them counts, and for whom', async ({ one, other, isFirst }) => {
  const outcome = async (...carried: Carried[]) => await outcomeOf(await create(...carried))
  const [byOne, byOther] = [await good(one), await good(other)]
  const badOther = await bad(other)
  const stranger = await createHolder(bench)
  // One that holds suffices.
  expect(await outcome(byOne, badOther)).toBe(one.ownerOf(holder))
  if (isFirst) {
    expect(await outcome(await bad(one), badOther)).toBe('unauthorized')
    // Of two users, the first in the order of the schemes makes the request.
    const goesFirst = ORDER.indexOf(one.scheme) < ORDER.indexOf(other.scheme)
    const expected = goesFirst ? one.ownerOf(holder) : other.ownerOf(stranger)
    expect(await outcome(byOne, await good(other, stranger))).toBe(expected)
  }
  if (one.hasScopes) {
    const narrow = await lacking(one)
    expect(await outcome(narrow, byOther)).toBe(other.ownerOf(holder))
    // Beside one that does not hold, the missing scope is told.
    const response = await create(narrow, badOther)
    expect(response.headers.get('WWW-Authenticate')).toContain(`error="insufficient_scope", scope="${SCOPE}"`)
    expect(await outcomeOf(response)).toBe('insufficient-scope')
  }
  // One of a suspended account counts for nothing beside one that holds, and for 403 beside one that does not.
  const suspended = await good(one, stranger)
  await suspend(one.ownerOf(stranger))
  expect(await outcome(suspended, byOther)).toBe(other.ownerOf(holder))
  expect(await outcome(suspended, badOther)).toBe('account-suspended')
})

describe('all at once', () => {
  const keys = async (make: () => Promise<string>) =>
    [keyInQuery(await make()), keyInHeader(await make()), keyInCookie(await make())] as const

  it('the last that is tried suffices, behind three that do not hold', async () => {
    const junk = await keys(async () => 'glx_junk')
    const [foreign] = KINDS.filter(({ name }) => name === 'openIdConnect, foreign')
    const token = foreign ? await good(foreign) : NOTHING
    expect(await outcomeOf(await create(...junk, token))).toBe(holder.foreign.id)
  })

  it('four that do not hold are 401', async () => {
    expect((await create(...(await keys(async () => 'glx_junk')), bearer('junk'))).status).toBe(401)
  })
})

describe('GET /me, which takes neither a cookie nor a token of another provider', () => {
  it('is answered for the credential beside them that it takes', async () => {
    const stranger = await createHolder(bench)
    const cookie = keyInCookie((await storeKey(bench.client, stranger.account.id)).key)
    const response = await sendWith(bench, '/me', together(cookie, bearer(holder.account.token)))
    expect((await bodyOf(response)).id).toBe(holder.account.id)
  })

  it.each(['junk', undefined])('is refused where beside them there is %s', async (token) => {
    const cookie = keyInCookie((await storeKey(bench.client, holder.account.id)).key)
    const carried = token === undefined ? cookie : together(cookie, bearer(token))
    expect((await sendWith(bench, '/me', carried)).status).toBe(401)
  })
})

it('an Authorization of a scheme that nobody knows does not stand in the way of a key', async () => {
  const { key } = await storeKey(bench.client, holder.account.id)
  expect((await create(keyInHeader(key), inHeader('Authorization', 'Digest x'))).status).toBe(201)
})

describe('a password that may not be tried any more', () => {
  const EXHAUSTED = 'insert into rate_limits (key, attempts, resets_at) values (?, 1000, ?)'

  beforeEach(async () => {
    await env.DB.prepare(EXHAUSTED)
      .bind('password/address/unknown', Date.now() + 60_000)
      .run()
  })

  const wrong = () => basic(holder.account.email, 'wrong horse')

  it('is 429, with a time to come back', async () => {
    const response = await create(wrong())
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0)
  })

  it('does not stand in the way of a key that holds', async () => {
    const { key } = await storeKey(bench.client, holder.account.id)
    expect((await create(wrong(), keyInHeader(key))).status).toBe(201)
  })

  it('is told rather than that a key does not hold, but not rather than that one lacks the scope', async () => {
    expect(await outcomeOf(await create(wrong(), keyInHeader('glx_junk')))).toBe('too-many-requests')
    const { key } = await storeKey(bench.client, holder.account.id, scopesWithout(SCOPE))
    expect(await outcomeOf(await create(wrong(), keyInHeader(key)))).toBe('insufficient-scope')
  })
})

describe('a provider that cannot be asked', () => {
  let lonely: Bench

  beforeEach(async () => {
    lonely = await createBench()
    lonely.provider.answers.set(lonely.provider.discoveryUrl, () => new Response('', { status: 500 }))
  })

  const post = async (carried: Carried) => {
    const token = bearer(await lonely.provider.issue('somebody', [SCOPE]))
    const init = { method: 'POST', body: '{"name":"Made"}', headers: { 'Content-Type': 'application/json' } }
    return (await sendWith(lonely, '/planets', together(token, carried), init)).status
  }

  it('does not stand in the way of a key that holds', async () => {
    expect(await post(keyInHeader((await storeKey(lonely.client, holder.account.id)).key))).toBe(201)
  })

  it('is told, rather than that a key does not hold', async () => {
    expect(await post(keyInHeader('glx_junk'))).toBe(503)
  })
})

describe('a credential that is there twice', () => {
  const ask = (path: string, headers: [string, string][] = []) =>
    bench.client.send(path, { headers: new Headers(headers) })

  it.each(['K&api_key=K', 'K&api_key=', '&api_key=K', 'K&api_key=other', 'other&api_key=K', 'K&API_KEY=K&api_key=K'])(
    'in the query is refused, whichever is right: ?api_key=%s',
    async (query) => {
      const { key } = await storeKey(bench.client, holder.account.id)
      expect((await ask(`/me?api_key=${query.replaceAll('K', key)}`)).status).toBe(401)
    },
  )

  it('in the query does not stand in the way of another credential', async () => {
    const { key } = await storeKey(bench.client, holder.account.id)
    const authorization: [string, string] = ['Authorization', `Bearer ${holder.account.token}`]
    expect((await ask(`/me?api_key=${key}&api_key=${key}`, [authorization])).status).toBe(200)
  })

  it.each(['X-API-Key', 'Authorization'])('in the header %s is refused', async (name) => {
    const { key } = await storeKey(bench.client, holder.account.id)
    const value = name === 'X-API-Key' ? key : `Bearer ${holder.account.token}`
    expect((await ask('/me', [[name, value]])).status).toBe(200)
    expect(
      (
        await ask('/me', [
          [name, value],
          [name, value],
        ])
      ).status,
    ).toBe(401)
  })

  it('is one where the other has another name', async () => {
    const { key } = await storeKey(bench.client, holder.account.id)
    expect((await ask(`/me?api_key=${key}&API_KEY=junk&api_keys=junk`)).status).toBe(200)
    expect((await ask(`/me?API_KEY=${key}`)).status).toBe(401)
  })
})

describe('a key in the query', () => {
  it('is in no link and no other part of an answer, and no cache keeps it', async () => {
    const { key } = await storeKey(bench.client, holder.account.id)
    await storeKey(bench.client, holder.account.id)
    const init = { method: 'POST', body: '{"name":"Made"}', headers: { 'Content-Type': 'application/json' } }
    const answers = [
      await sendWith(bench, '/me/api-keys?limit=1', keyInQuery(key)),
      await sendWith(bench, '/planets', keyInQuery(key), init),
      await sendWith(bench, '/planets/999999', keyInQuery(key), { method: 'DELETE' }),
      await sendWith(bench, '/planets?limit=1', keyInQuery(key)),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 404, 200])
    for (const response of answers) {
      expect(JSON.stringify([...response.headers]) + (await response.text())).not.toContain(key)
      expect(response.headers.get('Referrer-Policy')).toBe('no-referrer')
    }
    for (const response of answers.slice(0, 3)) expect(response.headers.get('Cache-Control')).toContain('no-store')
  })

  it('that is refused is not repeated either', async () => {
    const response = await sendWith(bench, '/me', keyInQuery('glx_not-to-be-told'))
    expect(response.status).toBe(401)
    expect(JSON.stringify([...response.headers]) + (await response.text())).not.toContain('not-to-be-told')
  })
})

describe('POST /user/signup, which needs no credential but takes none that does not hold', () => {
  const signUp = (carried: Carried) =>
    sendWith(bench, '/user/signup', carried, {
      method: 'POST',
      body: JSON.stringify({ email: `new-${crypto.randomUUID()}@galaxy.test`, password: 'correct horse' }),
      headers: { 'Content-Type': 'application/json' },
    })
  const countUsers = () => env.DB.prepare('select count(*) as users from users').first<{ users: number }>()

  it.each(KINDS)('makes an account beside $name that holds, and none beside one that does not', async (kind) => {
    expect((await signUp(await kind.make(bench, holder, []))).status).toBe(201)
    const carried = await bad(kind)
    const before = await countUsers()
    expect((await signUp(carried)).status).toBe(401)
    expect(await countUsers()).toEqual(before)
  })
})
