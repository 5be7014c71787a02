import { env } from 'cloudflare:workers'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ForeignIssuers } from '../../../src/auth/foreign-issuers.ts'
import { bodyOf, createAccount, createClient, ORIGIN } from '../../support/app.ts'
import { type Bench, bearer, createBench, sendWith } from '../../support/credentials.ts'
import { eachRow } from '../../support/each-row.ts'
import { ForeignProvider } from '../../support/foreign-provider.ts'
import { ATTACKS, FOREIGN_TOKEN_ATTACKS, secondsFromNow, sign } from '../../support/forge.ts'
import { makeSigningKeySet } from '../../support/keys.ts'
import { oneOfEach } from '../../support/one-of-each.ts'
import { emptyDatabase, readDatabase } from '../../support/stored.ts'

// Tokens of providers that the operator trusts: what the service requests from a provider, how often, and which tokens
// it accepts.

const BEGIN = Date.parse('2026-01-15T12:00:00Z')
const MINUTE_MS = 60_000
const SCOPES = ['read:account', 'write:planets']

let bench: Bench
let provider: ForeignProvider

beforeEach(async () => {
  // The library that caches the keys uses the real clock only.
  vi.setSystemTime(BEGIN)
  vi.spyOn(console, 'error').mockImplementation(() => {})
  await emptyDatabase()
  bench = await createBench()
  provider = bench.provider
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function pass(milliseconds: number): void {
  vi.setSystemTime(Date.now() + milliseconds)
}

const list = (token: string, at = bench) => sendWith(at, '/me/api-keys', bearer(token))
const statusOf = async (token: string, at = bench) => (await list(token, at)).status
const issue = (subject = 'ada') => provider.issue(subject, SCOPES)

function create(token: string, at = bench): Promise<Response> {
  const init = { method: 'POST', body: '{"name":"Foreign"}', headers: { 'Content-Type': 'application/json' } }
  return sendWith(at, '/planets', bearer(token), init)
}

/** The requests to the provider since the last call. */
function takeCalls(): string[] {
  return provider.calls.splice(0)
}

/** A token with a signature that the provider does not know. */
const junk = async (kid: string) => provider.issue('ada', SCOPES, { header: { kid }, key: await strangersKey() })

let strangers: ReturnType<typeof makeSigningKeySet> | undefined
function strangersKey() {
  strangers ??= makeSigningKeySet()
  return strangers
}

describe('the service requests from a provider', () => {
  it('its discovery document once and its keys once, however many tokens come', async () => {
    for (const subject of ['ada', 'bob', 'ada', 'eve']) expect(await statusOf(await issue(subject))).toBe(200)
    expect(await statusOf(await junk(provider.key.kid))).toBe(401)
    expect(takeCalls()).toEqual([provider.discoveryUrl, provider.keysUrl])
  })

  it('its keys again after ten minutes, and its discovery document after an hour', async () => {
    await statusOf(await issue())
    takeCalls()
    const asked: string[][] = []
    for (const wait of [10 * MINUTE_MS - 1, 1, 49 * MINUTE_MS, MINUTE_MS - 1, 1]) {
      pass(wait)
      expect(await statusOf(await issue())).toBe(200)
      asked.push(takeCalls())
    }
    const { keysUrl, discoveryUrl } = provider
    expect(asked).toEqual([[], [keysUrl], [keysUrl], [], [discoveryUrl]])
  })

  it('its keys if a token names a new one, but not twice within half a minute', async () => {
    await statusOf(await issue())
    takeCalls()
    provider.key = await makeSigningKeySet()
    const rotated = await issue()
    pass(29_999)
    expect([await statusOf(rotated), takeCalls()]).toEqual([401, []])
    pass(1)
    expect([await statusOf(rotated), takeCalls()]).toEqual([200, [provider.keysUrl]])
    expect([await statusOf(await junk('unknown')), takeCalls()]).toEqual([401, []])
    pass(29_999)
    expect([await statusOf(await junk('unknown too')), takeCalls()]).toEqual([401, []])
    pass(1)
    expect([await statusOf(await junk('unknown too')), takeCalls()]).toEqual([401, [provider.keysUrl]])
    expect(await statusOf(rotated)).toBe(200)
  })

  it('nothing for tokens of other or unknown issuers', async () => {
    const tokens = [
      await provider.issue('ada', SCOPES, { claims: { iss: 'https://stranger.example' } }),
      await provider.issue('ada', SCOPES, { claims: { iss: undefined } }),
      await provider.issue('ada', SCOPES, { claims: { iss: `${provider.issuer}.evil.test` } }),
      await provider.issue('ada', SCOPES, { claims: { iss: 'https://id.example:443' } }),
      await provider.issue('ada', SCOPES, { claims: { iss: ORIGIN } }),
    ]
    for (const token of tokens) expect(await statusOf(token)).toBe(401)
    expect(takeCalls()).toEqual([])
  })

  it('nothing for the service’s own tokens', async () => {
    const account = await createAccount(bench.client)
    expect(await statusOf(account.token)).toBe(200)
    expect(takeCalls()).toEqual([])
  })

  it.each([
    ['https://id.example/', 'https://id.example/.well-known/openid-configuration'],
    ['https://id.example/realms/galaxy', 'https://id.example/realms/galaxy/.well-known/openid-configuration'],
    ['https://id.example:8443', 'https://id.example:8443/.well-known/openid-configuration'],
  ])('its discovery document at the URL that follows from its name: %s', async (issuer, url) => {
    const other = await ForeignProvider.create(issuer)
    const at = { provider: other, client: createClient({ foreignIssuers: other.issuers() }) }
    expect(await statusOf(await other.issue('ada', SCOPES), at)).toBe(200)
    expect(other.calls).toEqual([url, other.keysUrl])
  })

  it('without following redirects, and with a timeout', async () => {
    const inits: (RequestInit | undefined)[] = []
    const issuers = new ForeignIssuers([provider.trusted], (input, init) => {
      inits.push(init as RequestInit | undefined)
      return provider.fetch(input, init)
    })
    const at = { provider, client: createClient({ foreignIssuers: issuers }) }
    expect(await statusOf(await issue(), at)).toBe(200)
    expect(inits).toHaveLength(2)
    for (const init of inits) {
      expect(init?.redirect).toBe('manual')
      expect(init?.signal).toBeInstanceOf(AbortSignal)
    }
  })
})

type Failure = () => Response | Promise<Response>
const fail =
  (error: Error): Failure =>
  () =>
    Promise.reject(error)

/** Responses that any address can give. */
const FAILURES: readonly [string, Failure][] = [
  ['500', () => new Response('', { status: 500 })],
  ['404', () => new Response('{}', { status: 404 })],
  ['a redirect', () => new Response(null, { status: 302, headers: { Location: 'https://evil.test' } })],
  ['a page', () => new Response('<!doctype html>', { headers: { 'Content-Type': 'text/html' } })],
  ['nothing', () => new Response('')],
  ['an empty object', () => Response.json({})],
  ['null', () => Response.json(null)],
  ['a list', () => Response.json([])],
  // With the error messages of the runtime.
  ['no connection', fail(new Error('Network connection lost.'))],
  ['no such host', fail(new Error('internal error; reference = 0123456789abcdefghijklmn'))],
  ['no fetch', fail(new TypeError('Fetch API cannot load'))],
  ['no response in time', fail(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))],
  [
    'a response that breaks off',
    () => new Response(new ReadableStream({ pull: (stream) => stream.error(new Error('Network connection lost.')) })),
  ],
]

const ISSUER = 'https://id.example'
const KEYS = `${ISSUER}/keys`

/** Responses that only discovery can give. */
const DISCOVERIES: readonly [string, Failure][] = [
  ['another issuer', () => Response.json({ issuer: 'https://evil.test', jwks_uri: KEYS })],
  ['its issuer with a slash', () => Response.json({ issuer: `${ISSUER}/`, jwks_uri: KEYS })],
  ['no issuer', () => Response.json({ jwks_uri: KEYS })],
  ['no key URL', () => Response.json({ issuer: ISSUER })],
  ['the key URL does not use TLS', () => Response.json({ issuer: ISSUER, jwks_uri: 'http://id.example/keys' })],
  ['keys in a file', () => Response.json({ issuer: ISSUER, jwks_uri: 'file:///etc/keys' })],
  ['keys in itself', () => Response.json({ issuer: ISSUER, jwks_uri: 'data:application/json,{"keys":[]}' })],
  ['keys at a relative URL', () => Response.json({ issuer: ISSUER, jwks_uri: '/keys' })],
  ['a list of key URLs', () => Response.json({ issuer: ISSUER, jwks_uri: [KEYS] })],
]

const KEY_SETS: readonly [string, Failure][] = [
  ['keys that are not a list', () => Response.json({ keys: 'none' })],
  ['keys that are not keys', () => Response.json({ keys: [5] })],
]

const CASES = [
  ...[...FAILURES, ...DISCOVERIES].map(([what, answer]) => ({ what, answer, of: 'discovery' as const })),
  ...[...FAILURES, ...KEY_SETS].map(([what, answer]) => ({ what, answer, of: 'keys' as const })),
]

/**
 * One note keeps a provider from being asked again, whatever it answered: one case of each tries it with many requests.
 */
const MODELS = oneOfEach(CASES, ({ of }) => of)

describe.each(CASES)('where its $of answers $what', (failing) => {
  const { of, answer } = failing
  const requests = MODELS.includes(failing) ? 20 : 2
  const url = () => (of === 'discovery' ? provider.discoveryUrl : provider.keysUrl)

  beforeEach(() => {
    provider.answers.set(url(), answer)
  })

  it('the token is not judged, and it is not asked again for ten seconds; then it may have recovered', async () => {
    const response = await list(await issue())
    expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '10'])
    expect((await bodyOf(response)).type).toBe(`${ORIGIN}/problems/service-unavailable`)
    // Nothing else is affected.
    expect(await statusOf((await createAccount(bench.client)).token)).toBe(200)
    takeCalls()
    provider.answers.delete(url())
    for (let user = 0; user < requests; user++) expect(await statusOf(await issue(`user-${user}`))).toBe(503)
    pass(9_999)
    expect([await statusOf(await junk('x')), takeCalls()]).toEqual([503, []])
    pass(1)
    expect(await statusOf(await issue())).toBe(200)
    // Discovery is requested again too, whichever failed: the keys may have moved.
    expect(takeCalls()).toEqual([provider.discoveryUrl, provider.keysUrl])
  })
})

it('a provider without TLS, as on a developer’s machine, can have keys without TLS', async () => {
  const local = await ForeignProvider.create('http://localhost:9000')
  const at = { provider: local, client: createClient({ foreignIssuers: local.issuers() }) }
  expect(await statusOf(await local.issue('ada', SCOPES), at)).toBe(200)
})

describe('a provider that worked before and now fails', () => {
  const failing = () => new Response('', { status: 500 })

  it('does not affect tokens that are signed with a known key, whatever keys other tokens name', async () => {
    expect(await statusOf(await issue())).toBe(200)
    provider.answers.set(provider.keysUrl, failing)
    pass(30_000)
    takeCalls()
    // Anybody can send this one: it needs only the name of the provider.
    expect([await statusOf(await junk('unknown')), takeCalls()]).toEqual([503, [provider.keysUrl]])
    expect([await statusOf(await issue()), takeCalls()]).toEqual([200, []])
    expect([await statusOf(await junk('unknown too')), takeCalls()]).toEqual([503, []])
    expect(await statusOf(await issue())).toBe(200)
    // After the pause, discovery is due. It works and names the same key URL, which still fails.
    pass(10_000)
    expect([await statusOf(await issue()), takeCalls()]).toEqual([200, [provider.discoveryUrl]])
  })

  it('is not missed if only its discovery fails: its keys stay where they were', async () => {
    expect(await statusOf(await issue())).toBe(200)
    provider.answers.set(provider.discoveryUrl, failing)
    pass(60 * MINUTE_MS)
    takeCalls()
    expect([await statusOf(await issue()), takeCalls()]).toEqual([200, [provider.discoveryUrl, provider.keysUrl]])
    expect([await statusOf(await issue()), takeCalls()]).toEqual([200, []])
    pass(10_000)
    expect([await statusOf(await issue()), takeCalls()]).toEqual([200, [provider.discoveryUrl]])
  })
})

it('one failing provider does not affect another', async () => {
  const other = await ForeignProvider.create('https://other.example')
  const fetcher: typeof fetch = (input, init) =>
    (String(input).startsWith(other.issuer) ? other : provider).fetch(input, init)
  const foreignIssuers = new ForeignIssuers([provider.trusted, other.trusted], fetcher)
  const at = { provider, client: createClient({ foreignIssuers }) }
  provider.answers.set(provider.discoveryUrl, () => new Response('', { status: 500 }))
  expect(await statusOf(await issue(), at)).toBe(503)
  expect(await statusOf(await other.issue('ada', SCOPES), at)).toBe(200)
})

describe('a token of a trusted provider', () => {
  it('is accepted unchanged, as the base of all forgeries', async () => {
    const token = await sign(provider.tokenOf('ada', SCOPES))
    expect([await statusOf(token), (await create(token)).status]).toEqual([200, 201])
  })

  it('is rejected if it is forged', async () => {
    expect(await statusOf(await issue('known'))).toBe(200)
    const before = await readDatabase()
    await eachRow([...ATTACKS, ...FOREIGN_TOKEN_ATTACKS], async ({ forge }) => {
      const forged = await forge(provider.tokenOf('ada', SCOPES))
      const response = await list(forged)
      expect(response.status).toBe(401)
      expect(response.headers.get('WWW-Authenticate')).toContain('error="invalid_token"')
      // An invalid token does not count against the provider.
      expect(await statusOf(await issue('known'))).toBe(200)
    })
    expect(await readDatabase()).toEqual(before)
    // Only the provider was asked.
    expect(takeCalls()).toEqual([provider.discoveryUrl, provider.keysUrl])
  })

  const types = [
    ['at+jwt', 200],
    ['AT+JWT', 200],
    ['application/at+jwt', 200],
    ['JWT', 200],
    ['jwt', 200],
    ['application/jwt', 200],
    ['JWS', 401],
    ['at+jwt ', 401],
    ['application/application/at+jwt', 401],
    ['text/at+jwt', 401],
    ['dpop+jwt', 401],
    ['secevent+jwt', 401],
    ['', 401],
    [undefined, 401],
    [null, 401],
    [['at+jwt'], 401],
  ] as const
  it('has one of two types', () =>
    eachRow(types, async ([typ, status]) => {
      expect(await statusOf(await provider.issue('ada', SCOPES, { header: { typ } }))).toBe(status)
    }))

  const audiences = [
    ['https://galaxy.test/api', 200],
    [['https://galaxy.test/api'], 200],
    [['https://else.test', 'https://galaxy.test/api'], 200],
    ['https://else.test', 401],
    [ORIGIN, 401],
    [[], 401],
    ['https://galaxy.test/api/', 401],
    ['https://galaxy.test/ap', 401],
  ] as const
  it('is for this service', () =>
    eachRow(audiences, async ([aud, status]) => {
      expect(await statusOf(await provider.issue('ada', SCOPES, { claims: { aud } }))).toBe(status)
    }))

  it('can be for any audience that is listed with its issuer, and for none that is listed with another', async () => {
    const other = await ForeignProvider.create('https://other.example')
    const listed = [
      provider.trusted,
      { issuer: provider.issuer, audience: 'second' },
      { issuer: other.issuer, audience: 'third' },
    ]
    const at = { provider, client: createClient({ foreignIssuers: new ForeignIssuers(listed, provider.fetch) }) }
    const statuses = await Promise.all(
      [provider.audience, 'second', 'third'].map(async (aud) =>
        statusOf(await provider.issue('ada', SCOPES, { claims: { aud } }), at),
      ),
    )
    expect(statuses).toEqual([200, 200, 401])
  })

  it.each([
    ['exp', [-29, -30, -31], [200, 401, 401]],
    ['nbf', [29, 30, 31], [200, 200, 401]],
  ] as const)('can exceed its %s by half a minute, because clocks differ', async (claim, seconds, expected) => {
    const statuses = await Promise.all(
      seconds.map(async (at) =>
        statusOf(await provider.issue('ada', SCOPES, { claims: { [claim]: secondsFromNow(at) } })),
      ),
    )
    expect(statuses).toEqual(expected)
  })

  it.each([
    ['read:account', 200, 403],
    ['write:planets', 403, 201],
    ['read:account write:planets', 200, 201],
    ['openid profile read:account admin planets.write', 200, 403],
    ['admin WRITE:PLANETS write:planet write:planets,read:account', 403, 403],
    ['', 403, 403],
    [undefined, 403, 403],
    [['read:account', 'write:planets'], 403, 403],
    [{ 'read:account': true }, 403, 403],
  ])('is limited to the scopes that the service knows: %j', async (scope, read, write) => {
    const token = await provider.issue('ada', [], { claims: { scope, scp: SCOPES, scopes: SCOPES, roles: SCOPES } })
    expect([await statusOf(token), (await create(token)).status]).toEqual([read, write])
  })

  it('can be signed with any asymmetric algorithm', async () => {
    for (const alg of ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']) {
      const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
      const other = await ForeignProvider.create()
      other.answers.set(other.keysUrl, async () =>
        Response.json({ keys: [{ ...(await exportJWK(publicKey)), kid: alg, alg }] }),
      )
      const at = { provider: other, client: createClient({ foreignIssuers: other.issuers() }) }
      const { claims } = other.tokenOf('ada', SCOPES)
      const token = await new SignJWT(claims).setProtectedHeader({ alg, typ: 'at+jwt', kid: alg }).sign(privateKey)
      expect([alg, await statusOf(token, at)]).toEqual([alg, 200])
    }
  })

  it('is rejected if its provider has published a secret key for it (HS256)', async () => {
    const k = new TextEncoder()
      .encode('a secret that everybody can read here')
      .toBase64({ alphabet: 'base64url', omitPadding: true })
    provider.answers.set(provider.keysUrl, () => Response.json({ keys: [{ kty: 'oct', k, kid: 'x', alg: 'HS256' }] }))
    const { claims } = provider.tokenOf('ada', SCOPES)
    const header = { alg: 'HS256', typ: 'at+jwt', kid: 'x' }
    const token = await new SignJWT(claims)
      .setProtectedHeader(header)
      .sign(new TextEncoder().encode('a secret that everybody can read here'))
    expect(await statusOf(token)).toBe(401)
  })

  it('that names the service as issuer must be signed by the service', async () => {
    const account = await createAccount(bench.client)
    const claims = { iss: ORIGIN, aud: ORIGIN, sub: String(account.id) }
    for (const typ of ['JWT', 'at+jwt']) {
      expect(await statusOf(await provider.issue('ada', SCOPES, { claims, header: { typ } }))).toBe(401)
    }
  })
})

describe('the user of a foreign token', () => {
  const users = async () =>
    (await env.DB.prepare('select id, issuer, subject, name, email, password_hash from users').all<{ id: number }>())
      .results

  it('is created once, even if ten first requests come at the same time', async () => {
    const token = await issue('ten at once')
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(token)))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201))
    const creators = await Promise.all(answers.map(async (response) => (await bodyOf(response)).creator.id))
    const [user, ...others] = await users()
    expect(others).toEqual([])
    expect(user).toMatchObject({ issuer: provider.issuer, subject: 'ten at once', email: null, password_hash: null })
    expect(new Set(creators)).toEqual(new Set([user?.id]))
  })

  it('is the same the next time, with another token', async () => {
    const ids = [await bodyOf(await create(await issue())), await bodyOf(await create(await issue()))]
    expect(ids[0].creator).toEqual(ids[1].creator)
    expect(await users()).toHaveLength(1)
  })

  it.each([
    ['Ada', 'ada'],
    ['ada', 'ada '],
    ['ada', 'a\u0064a\u0301'],
    ['1', '01'],
  ])('is identified by the exact subject: %j is not %j', async (one, other) => {
    for (const subject of [one, other]) expect(await statusOf(await issue(subject))).toBe(200)
    expect(await users()).toHaveLength(2)
  })

  it('is different with another provider, even with the same subject', async () => {
    const other = await ForeignProvider.create('https://other.example')
    const client = createClient({ foreignIssuers: other.issuers() })
    expect(await statusOf(await issue('ada'))).toBe(200)
    expect(await statusOf(await other.issue('ada', SCOPES), { provider: other, client })).toBe(200)
    expect(await users()).toHaveLength(2)
  })

  it('is never an existing local user, even if the subject is that user’s id or e-mail', async () => {
    const account = await createAccount(bench.client)
    for (const subject of [String(account.id), account.email]) {
      const { creator } = await bodyOf(
        await create(await provider.issue(subject, SCOPES, { claims: { email: account.email } })),
      )
      expect(creator.id).not.toBe(account.id)
    }
  })

  it('can have a subject of 255 characters', async () => {
    expect(await statusOf(await issue('x'.repeat(255)))).toBe(200)
  })

  it('can create keys, which then do not need the provider', async () => {
    const token = await provider.issue('ada', ['write:account', 'read:account'])
    const init = { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } }
    const { key, scopes } = await bodyOf(await sendWith(bench, '/me/api-keys', bearer(token), init))
    expect(scopes).toEqual(['read:account', 'write:account'])
    provider.answers.set(provider.discoveryUrl, () => new Response('', { status: 500 }))
    pass(2 * 60 * MINUTE_MS)
    expect((await bench.client.get('/me', { 'X-API-Key': key })).status).toBe(200)
  })

  it('is not created by a token that is rejected', async () => {
    for (const claims of [{ aud: 'https://else.test' }, { exp: secondsFromNow(-60) }]) {
      expect(await statusOf(await provider.issue('nobody', SCOPES, { claims }))).toBe(401)
    }
    expect((await sendWith(bench, '/me', bearer(await issue('nobody')))).status).toBe(401)
    expect(await users()).toEqual([])
  })
})
