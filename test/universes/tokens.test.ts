import { createExecutionContext, runInDurableObject } from 'cloudflare:test'
import fc from 'fast-check'
import {
  compactVerify,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  exportSPKI,
  importJWK,
  type JSONWebKeySet,
  jwtVerify,
} from 'jose'
import { describe, expect, it } from 'vitest'
import { describeCompletely } from '../../documents/documents.ts'
import { TOKEN_DEFECTS, type TokenDefect } from '../../src/domain/token-defects.ts'
import { CURRENT_API_VERSION } from '../../src/http/api-versions.ts'
import { eachRow } from '../support/each-row.ts'
import { getTokens, registerClient, requestTokens, type Tokens } from '../support/oauth.ts'
import { SECURED, type SecuredOperation, securedOperationsOf } from '../support/secured-operations.ts'
import { UNIVERSE_HOST } from '../support/world.ts'
import {
  bearer,
  bodyOf,
  COMMON,
  clock,
  configure,
  DAY_MS,
  fromAnywhere,
  HOUR_MS,
  hostUrlOf,
  makeUniverse,
  type OwnWorld,
  readTables,
  universes,
  useWorlds,
  type World,
  worldAt,
} from '../support/worlds.ts'

// The lifetime of tokens in a universe, and tokens with a defect.

useWorlds()

const HOUR_SECONDS = 3600
const REFUSED = TOKEN_DEFECTS.filter((defect) => defect !== 'no-scope')
/** Those that a verifier can refuse without asking the service. */
const OFFLINE: readonly TokenDefect[] = REFUSED.filter((defect) => defect !== 'revoked')

interface Made {
  defect: TokenDefect
  token: string
  expect: { status: number; error: string; description: string | null }
}

async function make(world: OwnWorld, defect: TokenDefect): Promise<Made> {
  const response = await world.own('POST', '/universe/tokens', { defect })
  expect([response.status, response.headers.get('Cache-Control')]).toEqual([201, 'no-store'])
  return await bodyOf(response)
}

async function makeAll(world: OwnWorld): Promise<Made[]> {
  const made: Made[] = []
  for (const defect of TOKEN_DEFECTS) made.push(await make(world, defect))
  return made
}

/** Header and claims of a token, also of one without a signature. */
const read = (token: string) => ({ header: decodeProtectedHeader(token), claims: decodeJwt(token) })

const me = (world: World, token: string) => world.send('/me', { headers: bearer(token) })

/** An access token of client credentials, which is right in all. */
async function controlOf(world: OwnWorld) {
  const metadata = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }
  const client = await registerClient(world.send, metadata, `Bearer ${world.token}`)
  const ask = async (): Promise<Tokens> =>
    await bodyOf(await requestTokens(world.send, client, { grant_type: 'client_credentials', scope: 'read:account' }))
  return { client, ask, ...(await ask()) }
}

async function changeTo(world: OwnWorld, change: object): Promise<Response> {
  return await world.own('PATCH', '/universe', change)
}

describe('a token with a defect', () => {
  it('is an access token of the universe that is right but for one thing', async () => {
    const world = await makeUniverse()
    const now = Math.floor(clock.now().getTime() / 1000)
    const jwks: JSONWebKeySet = await bodyOf(await world.send('/.well-known/jwks.json'))
    const kid = jwks.keys[0]?.kid
    const right = {
      header: { alg: 'RS256', typ: 'at+jwt', kid },
      claims: {
        iss: world.url,
        aud: world.url,
        sub: '1',
        client_id: 'galaxy-laboratory',
        scope: 'read:account write:account read:planets write:planets',
        jti: expect.any(String),
        iat: expect.toSatisfy((iat) => Math.abs(iat - now) <= 5),
        exp: expect.toSatisfy((exp) => Math.abs(exp - now - HOUR_SECONDS) <= 5),
        grant_id: expect.any(String),
      },
    }
    const { scope: _, ...withoutScope } = right.claims
    const at = (hours: number) => expect.toSatisfy((time) => Math.abs(time - now - hours * HOUR_SECONDS) <= 5)
    const expected: Record<TokenDefect, object> = {
      expired: { ...right, claims: { ...right.claims, iat: at(-2), exp: at(-1) } },
      'not-yet-valid': { ...right, claims: { ...right.claims, nbf: at(1), exp: at(2) } },
      revoked: right,
      'no-scope': { ...right, claims: withoutScope },
      'wrong-issuer': { ...right, claims: { ...right.claims, iss: 'https://issuer.invalid' } },
      'wrong-audience': { ...right, claims: { ...right.claims, aud: 'https://audience.invalid' } },
      'wrong-type': { ...right, header: { ...right.header, typ: 'logout+jwt' } },
      'bad-signature': right,
      'unknown-kid': { ...right, header: { ...right.header, kid: expect.not.stringMatching(String(kid)) } },
      'alg-none': { ...right, header: { alg: 'none', typ: 'at+jwt' } },
      hs256: { ...right, header: { ...right.header, alg: 'HS256' } },
    }
    const made = await makeAll(world)
    await eachRow(made, ({ defect, token }) => expect(read(token)).toEqual(expected[defect]))
    expect(new Set(made.map(({ token }) => read(token).claims.jti)).size).toBe(made.length)
  })

  it('is answered as it says, where an own token works', async () => {
    const world = await makeUniverse()
    const { access_token } = await controlOf(world)
    expect((await me(world, access_token)).status).toBe(200)
    await eachRow(await makeAll(world), async ({ token, expect: told }) => {
      const response = await me(world, token)
      const challenge = response.headers.get('WWW-Authenticate') ?? ''
      const { detail } = await bodyOf(response)
      const [, error] = /error="([^"]*)"/.exec(challenge) ?? []
      const [, description = null] = /error_description="([^"]*)"/.exec(challenge) ?? []
      expect({ status: response.status, error, description }).toEqual(told)
      if (told.description !== null) expect(detail).toBe(told.description)
    })
  })

  it('has the sentences of the contract', async () => {
    const world = await makeUniverse()
    const sentences = (await makeAll(world)).map(({ defect, expect: { status, description } }) => [
      defect,
      status,
      description,
    ])
    expect(sentences).toEqual([
      ['expired', 401, 'The token has expired.'],
      ['not-yet-valid', 401, 'The token is not valid yet.'],
      ['revoked', 401, 'The grant of this token was revoked, or the user has a new password.'],
      ['no-scope', 403, null],
      ['wrong-issuer', 401, 'The issuer of the token is not accepted.'],
      ['wrong-audience', 401, 'The token is for another audience.'],
      ['wrong-type', 401, 'The token has the wrong type.'],
      ['bad-signature', 401, 'The signature of the token is not valid.'],
      ['unknown-kid', 401, 'The token is signed with an unknown key.'],
      ['alg-none', 401, 'The algorithm of the token is not accepted.'],
      ['hs256', 401, 'The algorithm of the token is not accepted.'],
    ])
  })

  it('names the address by which it was asked for', async () => {
    configure({ universeHost: UNIVERSE_HOST })
    const world = await makeUniverse()
    const byHost = worldAt(hostUrlOf(world))
    const response = await byHost.sendJson('POST', '/universe/tokens', { defect: 'hs256' }, world.token)
    const { token } = await bodyOf(response)
    expect(read(token).claims).toMatchObject({ iss: hostUrlOf(world), aud: hostUrlOf(world) })
  })

  it('is refused offline by whoever has the keys, unless only the service can know', async () => {
    const world = await makeUniverse()
    const { access_token } = await controlOf(world)
    const made = await makeAll(world)
    const jwks: JSONWebKeySet = await bodyOf(await world.send('/.well-known/jwks.json'))
    const keys = createLocalJWKSet(jwks)
    const rules = { issuer: world.url, audience: world.url, typ: 'at+jwt', algorithms: ['RS256'] }
    const isAccepted = async (token: string) =>
      await jwtVerify(token, keys, rules).then(
        () => true,
        () => false,
      )
    expect(await isAccepted(access_token)).toBe(true)
    const accepted: string[] = []
    for (const { defect, token } of made) if (await isAccepted(token)) accepted.push(defect)
    expect(accepted).toEqual(TOKEN_DEFECTS.filter((defect) => !OFFLINE.includes(defect)))
    // Our key has signed those whose claims or type are wrong, so that a verifier learns of that, and not the others.
    const signed = made.filter(({ defect }) => !['bad-signature', 'unknown-kid', 'alg-none', 'hs256'].includes(defect))
    await eachRow(signed, async ({ token }) => void (await compactVerify(token, keys)))
    const hs256 = made.find(({ defect }) => defect === 'hs256')?.token ?? ''
    const [first] = jwks.keys
    const publicKey = (await importJWK({ ...first, alg: 'RS256' }, 'RS256', { extractable: true })) as CryptoKey
    const pem = new TextEncoder().encode(`${(await exportSPKI(publicKey)).trim()}\n`)
    expect((await compactVerify(hs256, pem)).protectedHeader.alg).toBe('HS256')
    expect(made.find(({ defect }) => defect === 'alg-none')?.token).toMatch(/\.$/)
  })

  it('is signed by a key that no JWK Set has, or by the first of the service', async () => {
    const world = await makeUniverse()
    await make(world, 'bad-signature')
    await make(world, 'unknown-kid')
    configure({ universeHost: UNIVERSE_HOST })
    const places = [world, worldAt(hostUrlOf(world)), COMMON]
    const sets = await Promise.all(places.map(async ({ send }) => await bodyOf(await send('/.well-known/jwks.json'))))
    expect(sets[0]).toEqual(sets[2])
    expect(sets[1]).toEqual(sets[2])
    expect(sets[0].keys).toHaveLength(1)
  })

  it('leaves nothing behind, except the grant of no-scope', async () => {
    const world = await makeUniverse()
    const tables = async () => {
      // Whatever was noted about the requests themselves is left out.
      const { universe_record, ...others } = await readTables(world)
      return others
    }
    const before = await tables()
    for (const defect of REFUSED) await make(world, defect)
    expect(await tables()).toEqual(before)
    const { token } = await make(world, 'no-scope')
    const { grants, clients, ...others } = await tables()
    const { grants: _, clients: clientsBefore, ...othersBefore } = before
    expect(grants).toMatchObject([{ id: read(token).claims.grant_id, client_id: 'galaxy-laboratory', scopes: '[]' }])
    expect(clients).toHaveLength((clientsBefore ?? []).length + 1)
    // A trigger counts the clients without an owner.
    expect({ ...others, stranger_counts: [] }).toEqual({ ...othersBefore, stranger_counts: [] })
  })

  it('is another one for each request, also with an Idempotency-Key', async () => {
    const world = await makeUniverse()
    const ask = async () => {
      const headers = { ...bearer(world.token), 'Content-Type': 'application/json', 'Idempotency-Key': 'same' }
      const body = JSON.stringify({ defect: 'expired' })
      const response = await world.send('/universe/tokens', { method: 'POST', headers, body })
      expect(response.headers.get('Idempotency-Replayed')).toBeNull()
      return (await bodyOf(response)).token
    }
    expect(await ask()).not.toBe(await ask())
  })

  it('needs a defect that there is', async () => {
    const world = await makeUniverse()
    await eachRow([{}, { defect: 'none' }, { defect: null }, { defect: 'expired', more: 1 }], async (body) => {
      expect((await world.own('POST', '/universe/tokens', body)).status).toBe(400)
    })
    const headers = { ...bearer(world.token), 'Content-Type': 'application/xml' }
    const xml = await world.send('/universe/tokens', { method: 'POST', headers, body: '<token/>' })
    expect(xml.status).toBe(415)
  })

  it('is only of universes whose operator has such things', async () => {
    expect((await COMMON.sendJson('POST', '/universe/tokens', { defect: 'expired' })).status).toBe(404)
    configure({ demoControls: false })
    const world = await makeUniverse()
    // No document has this answer.
    const request = new Request(`${world.url}/universe/tokens`, { method: 'POST', headers: bearer(world.token) })
    expect((await universes.fetch(request, createExecutionContext())).status).toBe(404)
    expect((await changeTo(world, { tokenSeconds: 5 })).status).toBe(200)
  })
})

const IN_UNIVERSE = securedOperationsOf(describeCompletely('universe', CURRENT_API_VERSION))

/** Any value of each path parameter: the credential is looked at first. */
const fill = ({ path }: SecuredOperation) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    /^(?:planet|celestialBody|key|webhook|delivery)Id$/.test(name) ? '1' : crypto.randomUUID(),
  )

/** The places in which a request can carry a token, or something that is taken for a credential. */
const PLACES: Readonly<Record<string, (token: string) => { headers?: Record<string, string>; query?: string }>> = {
  bearer: (token) => ({ headers: bearer(token) }),
  user: (token) => ({ headers: { Authorization: `Basic ${btoa(`${token}:`)}` } }),
  password: (token) => ({ headers: { Authorization: `Basic ${btoa(`owner@universe.example:${token}`)}` } }),
  header: (token) => ({ headers: { 'X-API-Key': token } }),
  query: (token) => ({ query: `?api_key=${token}` }),
  cookie: (token) => ({ headers: { Cookie: `api_key=${token}` } }),
}

describe('no secured operation of any world', () => {
  it('takes a token with a defect, in any place', async () => {
    configure({ passwordAttempts: 100_000 })
    const [own, other] = [await makeUniverse(), await makeUniverse()]
    const made = await makeAll(own)
    const worlds = [
      { world: own, operations: IN_UNIVERSE },
      { world: other, operations: IN_UNIVERSE },
      { world: COMMON, operations: SECURED },
    ]
    const cases = worlds.flatMap(({ world, operations }) => operations.map((operation) => ({ world, operation })))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...cases),
        fc.constantFrom(...made),
        // Most in the place where tokens belong.
        fc.oneof({ weight: 2, arbitrary: fc.constant('bearer') }, fc.constantFrom(...Object.keys(PLACES))),
        async ({ world, operation }, { defect, token }, place) => {
          const hasOnlyNoScope = defect === 'no-scope' && place === 'bearer' && world === own
          // An open operation serves a valid credential that lacks the scope as it serves nobody.
          fc.pre(!(hasOnlyNoScope && operation.isAnonymous))
          const { headers = {}, query = '' } = PLACES[place]?.(token) ?? {}
          const { status } = await world.send(fill(operation) + query, {
            method: operation.method,
            headers: { ...operation.headers, ...headers, ...fromAnywhere() },
          })
          expect(status).toBe(hasOnlyNoScope ? 403 : 401)
        },
      ),
      { numRuns: 250 },
    )
  }, 60_000)

  it('not as the access token of a socket either', async () => {
    const world = await makeUniverse()
    await eachRow(await makeAll(world), async ({ defect, token }) => {
      const path = '/ws/v2/users/1/events'
      const response = await world.send(path, {
        headers: { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': `galaxy, bearer.${token}` },
      })
      expect([response.status, response.webSocket]).toEqual([defect === 'no-scope' ? 403 : 401, null])
    })
  })

  it('and introspection says of each that it is not active', async () => {
    const world = await makeUniverse()
    const { client, access_token } = await controlOf(world)
    const ask = async (token: string) =>
      await bodyOf(
        await world.send('/oauth/introspect', {
          method: 'POST',
          headers: { Authorization: `Basic ${btoa(`${client.id}:${client.secret}`)}` },
          body: new URLSearchParams({ token }),
        }),
      )
    expect(await ask(access_token)).toMatchObject({ active: true })
    await eachRow(await makeAll(world), async ({ token }) => expect(await ask(token)).toEqual({ active: false }))
  })

  it('and the client of these tokens can get no other', async () => {
    const world = await makeUniverse()
    await make(world, 'no-scope')
    const client = { id: 'galaxy-laboratory', secret: undefined }
    for (const grant_type of ['client_credentials', 'authorization_code', 'refresh_token']) {
      const response = await requestTokens(world.send, client, { grant_type, code: 'x', refresh_token: 'x' })
      expect([grant_type, response.status >= 400 && response.status < 500]).toEqual([grant_type, true])
    }
    const page = await world.send('/oauth/authorize?client_id=galaxy-laboratory&response_type=code')
    expect(page.status).toBe(400)
  })
})

describe('the grant of no-scope', () => {
  const grantsOf = async (world: OwnWorld) => (await bodyOf(await world.own('GET', '/me/grants'))).data

  it('is listed, and ends with the token', async () => {
    const world = await makeUniverse()
    await changeTo(world, { tokenSeconds: 60 })
    const { token } = await make(world, 'no-scope')
    const { grant_id, exp = 0 } = read(token).claims
    expect(await grantsOf(world)).toMatchObject([
      { id: grant_id, clientId: 'galaxy-laboratory', scopes: [], expiresAt: new Date(exp * 1000).toISOString() },
    ])
    expect((await me(world, token)).status).toBe(403)
    clock.advance(61_000)
    expect((await me(world, token)).status).toBe(401)
    expect(await grantsOf(world)).toEqual([])
  })

  it('ends with DELETE, alone', async () => {
    const world = await makeUniverse()
    const [one, two] = [await make(world, 'no-scope'), await make(world, 'no-scope')]
    expect((await world.own('DELETE', `/me/grants/${read(one.token).claims.grant_id}`)).status).toBe(204)
    expect([(await me(world, one.token)).status, (await me(world, two.token)).status]).toEqual([401, 403])
  })

  it('ends with a reset', async () => {
    const world = await makeUniverse()
    const { token } = await make(world, 'no-scope')
    expect((await world.own('POST', '/universe/reset')).status).toBe(204)
    expect((await me(world, token)).status).toBe(401)
    expect((await make(world, 'no-scope')).token).not.toBe(token)
  })

  it('outlives the process, as the lifetime of tokens does', async () => {
    const world = await makeUniverse()
    await changeTo(world, { tokenSeconds: 1234 })
    const { token } = await make(world, 'no-scope')
    await runInDurableObject(world.stub, (_, context) => context.abort('the process is killed')).catch(() => {})
    expect((await me(world, token)).status).toBe(403)
    expect(await bodyOf(await world.send('/universe'))).toMatchObject({ tokenSeconds: 1234 })
  })
})

describe('PATCH /universe', () => {
  it('takes a lifetime of 5 to 3,600 whole seconds', async () => {
    const world = await makeUniverse()
    expect(await bodyOf(await world.send('/universe'))).toMatchObject({ tokenSeconds: HOUR_SECONDS })
    await eachRow([4, 3601, 60.5, '60', null, true], async (tokenSeconds) => {
      const response = await changeTo(world, { tokenSeconds })
      const { errors } = await bodyOf(response)
      expect([response.status, errors[0].pointer]).toEqual([400, '/tokenSeconds'])
    })
    expect((await changeTo(world, {})).status).toBe(400)
    expect(await bodyOf(await world.send('/universe'))).toMatchObject({ tokenSeconds: HOUR_SECONDS })
    await eachRow([5, 3600, 60], async (tokenSeconds) => {
      const response = await changeTo(world, { tokenSeconds })
      expect([response.status, (await bodyOf(response)).tokenSeconds]).toEqual([200, tokenSeconds])
    })
  })

  it('takes it in XML too', async () => {
    const world = await makeUniverse()
    const headers = { ...bearer(world.token), 'Content-Type': 'application/xml', Accept: 'application/xml' }
    const body = '<universe><tokenSeconds>90</tokenSeconds></universe>'
    const response = await world.send('/universe', { method: 'PATCH', headers, body })
    expect(await response.text()).toContain('<tokenSeconds>90</tokenSeconds>')
  })

  it('does not fix the end with a lifetime alone, and changes both or none', async () => {
    const world = await makeUniverse()
    const endOf = async () => (await bodyOf(await world.send('/universe'))).expiresAt
    await changeTo(world, { tokenSeconds: 30 })
    const before = await endOf()
    clock.advance(HOUR_MS / 3)
    expect(Date.parse(await endOf()) - Date.parse(before)).toBeGreaterThan(HOUR_MS / 4)
    const late = new Date(clock.now().getTime() + 8 * DAY_MS).toISOString()
    expect((await changeTo(world, { expiresAt: late, tokenSeconds: 77 })).status).toBe(400)
    expect(await bodyOf(await world.send('/universe'))).toMatchObject({ tokenSeconds: 30 })
    const end = new Date(clock.now().getTime() + DAY_MS).toISOString()
    await changeTo(world, { expiresAt: end, tokenSeconds: 77 })
    clock.advance(HOUR_MS / 3)
    expect(await bodyOf(await world.send('/universe'))).toMatchObject({ tokenSeconds: 77, expiresAt: end })
  })

  it('decides the lifetime of user tokens and access tokens from then on, and of nothing else', async () => {
    const world = await makeUniverse()
    const scope = 'read:account openid offline_access'
    const client = await registerClient(world.send, { scope }, undefined)
    const { client: own, ask, ...before } = await controlOf(world)
    await changeTo(world, { tokenSeconds: 60 })
    const lifetimeOf = (token = '') => {
      const { iat = 0, exp = 0 } = decodeJwt(token)
      return exp - iat
    }
    const credentials = { email: world.owner.email, password: world.owner.password }
    const { token } = await bodyOf(await world.sendJson('POST', '/auth/token', credentials))
    const tokens = await getTokens(world.send, world.owner, client, scope)
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    const direct = await ask()
    expect([lifetimeOf(token), lifetimeOf(tokens.access_token), lifetimeOf(direct.access_token)]).toEqual([60, 60, 60])
    expect([tokens.expires_in, direct.expires_in]).toEqual([60, 60])
    expect(lifetimeOf(tokens.id_token)).toBe(HOUR_SECONDS)
    const told = await bodyOf(
      await world.send('/oauth/introspect', {
        method: 'POST',
        headers: { Authorization: `Basic ${btoa(`${own.id}:${own.secret}`)}` },
        body: new URLSearchParams({ token: direct.access_token }),
      }),
    )
    expect(told).toMatchObject({ active: true, exp: decodeJwt(direct.access_token).exp })
    expect(lifetimeOf(before.access_token)).toBe(HOUR_SECONDS)
    clock.advance(61_000)
    for (const expired of [token, tokens.access_token, direct.access_token])
      expect((await me(world, expired)).status).toBe(401)
    for (const older of [world.token, before.access_token]) expect((await me(world, older)).status).toBe(200)
    const next: Tokens = await bodyOf(await requestTokens(world.send, client, refresh))
    expect([next.expires_in, lifetimeOf(next.access_token)]).toEqual([60, 60])
  })

  it('makes no token live longer than its client', async () => {
    const world = await makeUniverse()
    const expiresAt = new Date(clock.now().getTime() + 30_000).toISOString()
    const { key } = await bodyOf(await world.own('POST', '/me/api-keys', { expiresAt }))
    const metadata = { grant_types: ['client_credentials'], redirect_uris: [], response_types: [] }
    const registered = await world.send('/oauth/register', {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify(metadata),
    })
    const { client_id: id, client_secret: secret } = await bodyOf(registered)
    await changeTo(world, { tokenSeconds: 60 })
    const parameters = { grant_type: 'client_credentials' }
    const { expires_in } = await bodyOf(await requestTokens(world.send, { id, secret }, parameters))
    expect(expires_in).toBeLessThanOrEqual(30)
  })

  it('is put back by a reset', async () => {
    const world = await makeUniverse()
    await changeTo(world, { tokenSeconds: 60 })
    expect((await world.own('POST', '/universe/reset')).status).toBe(204)
    expect(await bodyOf(await world.send('/universe'))).toMatchObject({ tokenSeconds: HOUR_SECONDS })
    expect((await controlOf(world)).expires_in).toBe(HOUR_SECONDS)
  })
})
