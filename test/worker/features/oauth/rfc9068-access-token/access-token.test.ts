import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount, generationOf, ORIGIN } from '../../../../support/app.ts'
import { OWN_KEY, sign } from '../../../../support/forge.ts'
import { makeSigningKeySet } from '../../../../support/keys.ts'
import { getTokens, type Registered, registerClient, requestTokens, type Tokens } from '../../../../support/oauth.ts'
import { bearer, Clock, createProvider } from '../support.ts'

const HEADER = { alg: 'RS256', typ: 'at+jwt', kid: OWN_KEY.kid }
type Claims = Record<string, unknown>

let clock: Clock
let client: Client
let account: Account
let app: Registered
let tokens: Tokens
let claims: Claims

beforeAll(async () => {
  clock = new Clock()
  client = createProvider({ now: clock.now })
  account = await createAccount(client)
  app = await registerClient(client.send)
  tokens = await getTokens(client.send, account, app, 'openid read:account offline_access')
  claims = decodeJwt(tokens.access_token)
})

const readMe = async (token: string) => (await client.get('/me', bearer(token))).status

describe('an access token', () => {
  it('states its type and its signing key', async () => {
    const [key] = (await bodyOf(await client.get('/.well-known/jwks.json'))).keys
    expect(decodeProtectedHeader(tokens.access_token)).toEqual({ alg: 'RS256', typ: 'at+jwt', kid: key.kid })
  })

  it('has every required claim, and nothing about the user beyond the id', () => {
    const issuedAt = Math.floor(clock.ms / 1000)
    expect(claims).toEqual({
      iss: ORIGIN,
      aud: ORIGIN,
      sub: String(account.id),
      client_id: app.id,
      scope: 'read:account openid offline_access',
      iat: issuedAt,
      exp: issuedAt + 3600,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      auth_time: issuedAt,
      grant_id: expect.any(String),
    })
  })

  it('can be verified by anyone with the published keys', async () => {
    const keys = createLocalJWKSet(await bodyOf(await client.get('/.well-known/jwks.json')))
    const rules = { issuer: ORIGIN, audience: ORIGIN, typ: 'at+jwt', algorithms: ['RS256'] }
    const required = { requiredClaims: ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'] }
    await expect(jwtVerify(tokens.access_token, keys, { ...rules, ...required })).resolves.toBeDefined()
  })

  it('has a unique id', async () => {
    const grant = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    const next = await bodyOf(await requestTokens(client.send, app, grant))
    expect(decodeJwt(next.access_token).jti).not.toBe(claims.jti)
  })

  it('of a client itself names the user that it acts as, and no sign-in', async () => {
    const metadata = { grant_types: ['client_credentials'] }
    const own = await registerClient(client.send, metadata, bearer(account.token).Authorization)
    const { access_token } = await bodyOf(await requestTokens(client.send, own, { grant_type: 'client_credentials' }))
    const { auth_time, ...rest } = decodeJwt(access_token)
    expect(rest).toMatchObject({ sub: String(account.id), client_id: own.id })
    expect(auth_time).toBeUndefined()
  })
})

describe('a token that is signed with the service’s key', () => {
  const make = (wrong: Claims, header: Claims = {}, key = OWN_KEY) =>
    sign({ header: { ...HEADER, ...header }, claims: { ...claims, ...wrong }, key })

  it('is accepted if its claims are correct', async () => {
    expect(await readMe(await make({}))).toBe(200)
    expect(await readMe(await make({}, { typ: 'application/at+jwt' }))).toBe(200)
  })

  it.each<[string, Claims, Claims?]>([
    ['is of another type', {}, { typ: 'JWT' }],
    ['has no type', {}, { typ: undefined }],
    ['is of the type of a logout token', {}, { typ: 'logout+jwt' }],
    ['has another audience', { aud: 'https://else.test' }],
    ['has no audience', { aud: undefined }],
    ['has another issuer', { iss: 'https://else.test' }],
    ['has no issuer', { iss: undefined }],
    ['has no subject', { sub: undefined }],
    ['has a subject that is not an id', { sub: '0' }],
    ['has no client', { client_id: undefined }],
    ['has no id', { jti: undefined }],
    ['has a list of scopes', { scope: ['read:account'] }],
    ['has no time', { iat: undefined }],
    ['never expires', { exp: undefined }],
    ['has expired', { exp: 1 }],
    ['is not valid yet', { nbf: 4_000_000_000 }],
    ['has no grant', { grant_id: undefined }],
    ['has an unknown grant', { grant_id: crypto.randomUUID() }],
    ['needs an extension', {}, { crit: ['https://evil.test/extension'], 'https://evil.test/extension': 1 }],
  ])('is rejected if it %s', async (_, wrong, header) => {
    expect(await readMe(await make(wrong, header))).toBe(401)
  })

  // The claim is optional (section 2.2.3).
  it('has no scope if it names none', async () => {
    expect(await readMe(await make({ scope: undefined }))).toBe(403)
  })

  it.each(['logout+jwt', undefined])(
    'is rejected if it has all claims of a user token, and the type %s',
    async (typ) => {
      const userClaims = { password_generation: await generationOf(account.id) }
      expect(await readMe(await make(userClaims, { typ: 'JWT' }))).toBe(200)
      expect(await readMe(await make(userClaims, { typ }))).toBe(401)
    },
  )

  it('is rejected under another key', async () => {
    expect(await readMe(await make({}, {}, await makeSigningKeySet()))).toBe(401)
  })
})
