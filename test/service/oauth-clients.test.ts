import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import * as oauth4webapi from 'oauth4webapi'
import * as openid from 'openid-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { allowDevice, DEVICE_GRANT, openDevice, UserAgent } from '../support/oauth.ts'
import { bodyOf } from './galaxy.ts'
import { shareGalaxy } from './prepared-state.ts'

const REDIRECT_URI = 'http://127.0.0.1:5555/callback'
const LOGOUT_URI = 'http://127.0.0.1:5555/bye'
const KEY_ID = 'key-1'
const PROFILE = 'openid profile email'
const ALL_GRANTS = ['authorization_code', 'refresh_token', 'client_credentials']
const SECRET_METHODS = ['client_secret_basic', 'client_secret_post'] as const
const CONFIDENTIAL = [...SECRET_METHODS, 'private_key_jwt'] as const

type Method = 'none' | (typeof CONFIDENTIAL)[number]
type Parameters = Record<string, string>

/** Tokens as a library returns them, after all its checks. */
interface Granted {
  tokens: oauth4webapi.TokenEndpointResponse
  /** The claims of the ID token, whose signature was checked too. */
  claims: oauth4webapi.IDToken | undefined
}

/** A client that has sent its user away. */
interface Pending {
  url: URL
  nonce: string
  /** Handles the redirect with which the user came back. */
  finish(redirect: URL): Promise<Granted>
}

/** A client on a device, which has shown its user a code. */
interface PendingDevice {
  codes: oauth4webapi.DeviceAuthorizationResponse
  /** Polls until the user has decided. */
  finish(): Promise<Granted>
}

/** What an application that uses one of the libraries can do. */
interface Client {
  metadata: oauth4webapi.OmitSymbolProperties<oauth4webapi.Client>
  begin(parameters: Parameters): Promise<Pending>
  beginOnDevice(parameters: Parameters): Promise<PendingDevice>
  refresh(refreshToken: string): Promise<Granted>
  actForItself(parameters: Parameters): Promise<Granted>
  call(accessToken: string, path: string): Promise<Response>
  userInfo(accessToken: string, subject: string): Promise<oauth4webapi.UserInfoResponse>
  introspect(token: string): Promise<oauth4webapi.IntrospectionResponse>
  revoke(token: string): Promise<void>
  logoutUrl(parameters: Parameters): URL
}

interface Library {
  register(metadata: object, initialAccessToken?: string, keys?: oauth4webapi.CryptoKeyPair): Promise<Client>
  /** The same client, but with this secret. */
  withSecret(client: Client, secret: string): Promise<Client>
}

/** Both libraries, used as their documentation says. They must be told to allow http, which local machines use. */
const LIBRARIES: Record<string, (issuer: URL) => Library> = {
  'openid-client': (issuer) => ({
    async register(metadata, initialAccessToken, keys) {
      const { token_endpoint_auth_method: method } = metadata as { token_endpoint_auth_method: Method }
      const options = {
        execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
        ...(initialAccessToken !== undefined && { initialAccessToken }),
      }
      const authentication = chooseAuthentication(method, keys)
      return wrapConfiguration(await openid.dynamicClientRegistration(issuer, metadata, authentication, options))
    },
    async withSecret({ metadata }, secret) {
      const options = { execute: [openid.allowInsecureRequests] }
      const authentication = chooseAuthentication(metadata.token_endpoint_auth_method as Method)
      return wrapConfiguration(await openid.discovery(issuer, metadata.client_id, secret, authentication, options))
    },
  }),

  oauth4webapi: (issuer) => ({
    async register(metadata, initialAccessToken, keys) {
      const as = await discover(issuer, 'oidc')
      const response = await oauth4webapi.dynamicClientRegistrationRequest(as, metadata, {
        ...INSECURE,
        ...(initialAccessToken !== undefined && { initialAccessToken }),
      })
      const client = await oauth4webapi.processDynamicClientRegistrationResponse(response)
      const { token_endpoint_auth_method: method, client_secret: secret = '' } = client
      return wrapServer(as, client, authenticationOf(method as Method, String(secret), keys))
    },
    async withSecret({ metadata }, secret) {
      const as = await discover(issuer, 'oidc')
      return wrapServer(as, metadata, authenticationOf(metadata.token_endpoint_auth_method as Method, secret))
    },
  }),
}

/** How openid-client is told the authentication method, if it would not choose this method by itself. */
function chooseAuthentication(method: Method, keys?: oauth4webapi.CryptoKeyPair): openid.ClientAuth | undefined {
  if (method === 'client_secret_basic') return openid.ClientSecretBasic()
  return keys && openid.PrivateKeyJwt({ key: keys.privateKey, kid: KEY_ID })
}

function wrapConfiguration(configuration: openid.Configuration): Client {
  const grant = async (granting: ReturnType<typeof openid.refreshTokenGrant>): Promise<Granted> => {
    const tokens = await granting
    return { tokens, claims: tokens.claims() }
  }
  return {
    metadata: configuration.clientMetadata(),
    async begin(parameters) {
      const verifier = openid.randomPKCECodeVerifier()
      const [state, nonce] = [openid.randomState(), openid.randomNonce()]
      const url = openid.buildAuthorizationUrl(configuration, {
        redirect_uri: REDIRECT_URI,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...parameters,
      })
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true }
      return {
        url,
        nonce,
        finish: (redirect) => grant(openid.authorizationCodeGrant(configuration, redirect, checks)),
      }
    },
    async beginOnDevice(parameters) {
      const codes = await openid.initiateDeviceAuthorization(configuration, parameters)
      return { codes, finish: () => grant(openid.pollDeviceAuthorizationGrant(configuration, codes)) }
    },
    refresh: (refreshToken) => grant(openid.refreshTokenGrant(configuration, refreshToken)),
    actForItself: (parameters) => grant(openid.clientCredentialsGrant(configuration, parameters)),
    call: (accessToken, path) => {
      const url = new URL(path, configuration.serverMetadata().issuer)
      return openid.fetchProtectedResource(configuration, accessToken, url, 'GET')
    },
    userInfo: (accessToken, subject) => openid.fetchUserInfo(configuration, accessToken, subject),
    introspect: (token) => openid.tokenIntrospection(configuration, token),
    revoke: (token) => openid.tokenRevocation(configuration, token),
    logoutUrl: (parameters) => openid.buildEndSessionUrl(configuration, parameters),
  }
}

const INSECURE = { [oauth4webapi.allowInsecureRequests]: true }

async function discover(issuer: URL, algorithm: 'oidc' | 'oauth2'): Promise<oauth4webapi.AuthorizationServer> {
  const response = await oauth4webapi.discoveryRequest(issuer, { algorithm, ...INSECURE })
  return await oauth4webapi.processDiscoveryResponse(issuer, response)
}

function authenticationOf(method: Method, secret: string, keys?: oauth4webapi.CryptoKeyPair): oauth4webapi.ClientAuth {
  if (method === 'client_secret_basic') return oauth4webapi.ClientSecretBasic(secret)
  if (method === 'client_secret_post') return oauth4webapi.ClientSecretPost(secret)
  return keys ? oauth4webapi.PrivateKeyJwt({ key: keys.privateKey, kid: KEY_ID }) : oauth4webapi.None()
}

function wrapServer(
  as: oauth4webapi.AuthorizationServer,
  client: oauth4webapi.Client,
  authentication: oauth4webapi.ClientAuth,
): Client {
  const judge = async (response: Response, tokens: oauth4webapi.TokenEndpointResponse): Promise<Granted> => {
    const claims = oauth4webapi.getValidatedIdTokenClaims(tokens)
    if (claims) await oauth4webapi.validateApplicationLevelSignature(as, response, INSECURE)
    return { tokens, claims }
  }
  return {
    metadata: client,
    async begin(parameters) {
      const verifier = oauth4webapi.generateRandomCodeVerifier()
      const [state, nonce] = [oauth4webapi.generateRandomState(), oauth4webapi.generateRandomNonce()]
      const url = new URL(as.authorization_endpoint ?? '')
      const request = {
        response_type: 'code',
        client_id: client.client_id,
        redirect_uri: REDIRECT_URI,
        code_challenge: await oauth4webapi.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
        nonce,
        ...parameters,
      }
      url.search = String(new URLSearchParams(request))
      return {
        url,
        nonce,
        async finish(redirect) {
          const answer = oauth4webapi.validateAuthResponse(as, client, redirect, state)
          const response = await oauth4webapi.authorizationCodeGrantRequest(
            as,
            client,
            authentication,
            answer,
            REDIRECT_URI,
            verifier,
            INSECURE,
          )
          const checks = { expectedNonce: nonce, requireIdToken: true }
          return await judge(
            response,
            await oauth4webapi.processAuthorizationCodeResponse(as, client, response, checks),
          )
        },
      }
    },
    async beginOnDevice(parameters) {
      const begun = await oauth4webapi.deviceAuthorizationRequest(as, client, authentication, parameters, INSECURE)
      const codes = await oauth4webapi.processDeviceAuthorizationResponse(as, client, begun)
      const poll = async () => {
        const { device_code } = codes
        const response = await oauth4webapi.deviceCodeGrantRequest(as, client, authentication, device_code, INSECURE)
        return await judge(response, await oauth4webapi.processDeviceCodeResponse(as, client, response))
      }
      return { codes, finish: () => pollUntilDecided(poll, codes.interval ?? 5) }
    },
    async refresh(refreshToken) {
      const response = await oauth4webapi.refreshTokenGrantRequest(as, client, authentication, refreshToken, INSECURE)
      return await judge(response, await oauth4webapi.processRefreshTokenResponse(as, client, response))
    },
    async actForItself(parameters) {
      const response = await oauth4webapi.clientCredentialsGrantRequest(
        as,
        client,
        authentication,
        parameters,
        INSECURE,
      )
      return await judge(response, await oauth4webapi.processClientCredentialsResponse(as, client, response))
    },
    call: (accessToken, path) => {
      const url = new URL(path, as.issuer)
      return oauth4webapi.protectedResourceRequest(accessToken, 'GET', url, undefined, undefined, INSECURE)
    },
    async userInfo(accessToken, subject) {
      const response = await oauth4webapi.userInfoRequest(as, client, accessToken, INSECURE)
      return await oauth4webapi.processUserInfoResponse(as, client, subject, response)
    },
    async introspect(token) {
      const response = await oauth4webapi.introspectionRequest(as, client, authentication, token, INSECURE)
      return await oauth4webapi.processIntrospectionResponse(as, client, response)
    },
    async revoke(token) {
      const response = await oauth4webapi.revocationRequest(as, client, authentication, token, INSECURE)
      await oauth4webapi.processRevocationResponse(response)
    },
    logoutUrl(parameters) {
      const url = new URL(as.end_session_endpoint ?? '')
      url.search = String(new URLSearchParams({ client_id: client.client_id, ...parameters }))
      return url
    },
  }
}

/** RFC 8628, section 3.5. oauth4webapi leaves this to its users. */
async function pollUntilDecided(poll: () => Promise<Granted>, intervalSeconds: number): Promise<Granted> {
  await setTimeout(intervalSeconds * 1000)
  try {
    return await poll()
  } catch (error) {
    const code = error instanceof oauth4webapi.ResponseBodyError ? error.error : undefined
    if (code === 'authorization_pending') return await pollUntilDecided(poll, intervalSeconds)
    if (code === 'slow_down') return await pollUntilDecided(poll, intervalSeconds + 5)
    throw error
  }
}

const galaxy = shareGalaxy()
const issuer = new URL(galaxy.url)
const account = { name: 'Ada', email: 'ada@galaxy.test', password: 'i-love-planets' }
let userId = ''
/** A token of POST /auth/token, with which a user can register a client that belongs to them. */
let initialAccessToken = ''

beforeAll(async () => {
  userId = String((await bodyOf(await postJson('/user/signup', account))).id)
  initialAccessToken = (await bodyOf(await postJson('/auth/token', account))).token
})

const send = (path: string, init?: RequestInit): Promise<Response> => fetch(new URL(path, galaxy.url), init)

function postJson(path: string, body: object): Promise<Response> {
  return send(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
}

const makeKeys = () => oauth4webapi.generateKeyPair('ES256')

/** A user signs in on the real page and decides. @returns The redirect to the client */
async function decide({ url }: Pending, decision: 'allow' | 'deny', browser = new UserAgent(send)): Promise<URL> {
  await browser.open(url.pathname + url.search)
  // A user who has allowed it before is not asked again.
  const { email, password } = account
  const redirect = (await browser.submit({ email, password })) ?? (await browser.submit({ decision }))
  if (!redirect) throw new Error(`the user was led nowhere: ${browser.page}`)
  return redirect
}

/** The error that a library throws. */
async function failureOf(attempt: Promise<unknown>): Promise<unknown> {
  return await attempt.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  )
}

/** The OAuth error in a response of which the library reports only the WWW-Authenticate challenge. */
async function challengedWith(failure: unknown): Promise<{ status: number; error: string }> {
  expect(failure).toBeInstanceOf(oauth4webapi.WWWAuthenticateChallengeError)
  const { status, response } = failure as oauth4webapi.WWWAuthenticateChallengeError
  return { status, error: (await bodyOf(response)).error }
}

describe.each(Object.keys(LIBRARIES))('with %s', (name) => {
  let library: Library
  beforeAll(() => {
    const make = LIBRARIES[name]
    if (make) library = make(issuer)
  })

  const registerPublic = () =>
    library.register({ client_name: 'Atlas', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' })

  async function registerConfidential(method: Method, more: object = {}): Promise<Client> {
    const keys = method === 'private_key_jwt' ? await makeKeys() : undefined
    const jwk = keys && { ...(await crypto.subtle.exportKey('jwk', keys.publicKey)), kid: KEY_ID }
    const metadata = {
      client_name: 'Atlas',
      redirect_uris: [REDIRECT_URI],
      post_logout_redirect_uris: [LOGOUT_URI],
      grant_types: ALL_GRANTS,
      token_endpoint_auth_method: method,
      ...(jwk && { jwks: { keys: [jwk] } }),
      ...more,
    }
    return await library.register(metadata, initialAccessToken, keys)
  }

  async function grantTo(client: Client, scope = `${PROFILE} read:account offline_access`): Promise<Granted> {
    const pending = await client.begin({ scope })
    return await pending.finish(await decide(pending, 'allow'))
  }

  it('a public client is registered without a user, and has no secret', async () => {
    const { metadata } = await registerPublic()
    expect(metadata).toMatchObject({ client_id: expect.any(String), token_endpoint_auth_method: 'none' })
    expect(metadata).not.toHaveProperty('client_secret')
  })

  it('a confidential client is registered with the token of its user, and refused without', async () => {
    const { metadata } = await registerConfidential('client_secret_basic')
    expect(metadata).toMatchObject({ client_secret: expect.any(String), client_secret_expires_at: 0 })
    const anonymous = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'client_secret_post' }
    expect(await failureOf(library.register(anonymous))).toMatchObject({
      status: 400,
      error: 'invalid_client_metadata',
    })
    const stranger = await failureOf(library.register(anonymous, 'no-token'))
    expect(await challengedWith(stranger)).toEqual({ status: 401, error: 'invalid_token' })
  })

  it('an invalid redirect URI is refused with the error for it', async () => {
    const metadata = { redirect_uris: ['javascript:alert(1)'], token_endpoint_auth_method: 'none' }
    expect(await failureOf(library.register(metadata))).toMatchObject({ status: 400, error: 'invalid_redirect_uri' })
  })

  describe.each<Method>(['none', ...CONFIDENTIAL])('as a client with %s', (method) => {
    let client: Client
    let granted: Granted
    let pending: Pending
    beforeAll(async () => {
      client = method === 'none' ? await registerPublic() : await registerConfidential(method)
      pending = await client.begin({ scope: `${PROFILE} read:account offline_access` })
      granted = await pending.finish(await decide(pending, 'allow'))
    })

    it('a user signs in and allows, and the ID token says who it is', () => {
      const { claims, tokens } = granted
      expect(claims).toMatchObject({
        iss: galaxy.url,
        aud: client.metadata.client_id,
        sub: userId,
        nonce: pending.nonce,
        auth_time: expect.any(Number),
        at_hash: leftHalfOfHash(tokens.access_token),
      })
      expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 3600, refresh_token: expect.any(String) })
      expect(tokens.scope?.split(' ').toSorted()).toEqual(
        ['email', 'offline_access', 'openid', 'profile', 'read:account'].toSorted(),
      )
    })

    it('a refresh token gives new tokens and works only once; if it is used again, its whole grant is revoked', async () => {
      const first = await grantTo(client)
      const used = first.tokens.refresh_token ?? ''
      const { tokens, claims } = await client.refresh(used)
      expect(tokens.refresh_token).not.toBe(used)
      expect(claims?.sub).toBe(userId)
      expect((await client.call(tokens.access_token, '/me')).status).toBe(200)
      expect(await failureOf(client.refresh(used))).toMatchObject({ status: 400, error: 'invalid_grant' })
      const after = await failureOf(client.refresh(tokens.refresh_token ?? ''))
      expect(after).toMatchObject({ status: 400, error: 'invalid_grant' })
      expect(await failureOf(client.call(tokens.access_token, '/me'))).toMatchObject({
        status: 401,
        cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }],
      })
    })

    it('a revoked access token is refused from then on, and so is its refresh token', async () => {
      const { tokens } = await grantTo(client)
      await client.revoke(tokens.access_token)
      expect(await failureOf(client.call(tokens.access_token, '/me'))).toMatchObject({
        status: 401,
        cause: [{ scheme: 'bearer', parameters: { error: 'invalid_token' } }],
      })
      const refreshed = await failureOf(client.refresh(tokens.refresh_token ?? ''))
      expect(refreshed).toMatchObject({ status: 400, error: 'invalid_grant' })
    })
  })

  describe('on a device', () => {
    const metadata = { client_name: 'Television', grant_types: [DEVICE_GRANT, 'refresh_token'], redirect_uris: [] }

    it('a user who takes some time types the code, signs in and allows', async () => {
      const client = await library.register({ ...metadata, token_endpoint_auth_method: 'none' })
      const device = await client.beginOnDevice({ scope: `${PROFILE} read:account offline_access` })
      expect(device.codes).toMatchObject({ verification_uri: `${galaxy.url}/device`, expires_in: 600, interval: 5 })
      const finished = device.finish()
      // Until then, the device has polled once.
      await setTimeout(6000)
      await allowDevice(send, account, device.codes.user_code)
      const { tokens, claims } = await finished
      expect(claims).toMatchObject({ iss: galaxy.url, sub: userId, auth_time: expect.any(Number) })
      expect(claims).not.toHaveProperty('nonce')
      expect(await bodyOf(await client.call(tokens.access_token, '/me'))).toMatchObject({ id: Number(userId) })
      const refreshed = await client.refresh(tokens.refresh_token ?? '')
      expect((await client.call(refreshed.tokens.access_token, '/me')).status).toBe(200)
    })

    it.each(CONFIDENTIAL)('a confidential client gets its tokens too, with %s', async (method) => {
      const client = await registerConfidential(method, metadata)
      const device = await client.beginOnDevice({ scope: 'read:account' })
      await allowDevice(send, account, device.codes.user_code)
      expect((await device.finish()).tokens).toMatchObject({ scope: 'read:account', expires_in: 3600 })
    })

    it('a user who denies leads to access_denied', async () => {
      const client = await library.register({ ...metadata, token_endpoint_auth_method: 'none' })
      const device = await client.beginOnDevice({ scope: 'openid' })
      await (await openDevice(send, account, device.codes.user_code)).submit({ decision: 'deny' })
      expect(await failureOf(device.finish())).toMatchObject({ status: 400, error: 'access_denied' })
    })
  })

  // What comes next does not depend on how a client authenticates.

  it('the access token opens /me and the user info', async () => {
    const client = await registerPublic()
    const { access_token } = (await grantTo(client)).tokens
    expect(await bodyOf(await client.call(access_token, '/me'))).toMatchObject({ id: Number(userId), name: 'Ada' })
    expect(await client.userInfo(access_token, userId)).toEqual({
      sub: userId,
      name: 'Ada',
      email: account.email,
      email_verified: false,
    })
  })

  it('a code works only once; if it is used again, its tokens are revoked', async () => {
    const client = await registerPublic()
    const twice = await client.begin({ scope: `${PROFILE} read:account` })
    const redirect = await decide(twice, 'allow')
    const { tokens } = await twice.finish(redirect)
    expect(await failureOf(twice.finish(redirect))).toMatchObject({ status: 400, error: 'invalid_grant' })
    expect(await failureOf(client.call(tokens.access_token, '/me'))).toMatchObject({ status: 401 })
  })

  it('a user who denies leads to access_denied', async () => {
    const client = await registerPublic()
    const denied = await client.begin({ scope: 'openid', prompt: 'consent' })
    const failure = await failureOf(denied.finish(await decide(denied, 'deny')))
    expect(failure).toBeInstanceOf(oauth4webapi.AuthorizationResponseError)
    expect(failure).toMatchObject({ error: 'access_denied' })
  })

  it('a code is refused with another verifier', async () => {
    const client = await registerPublic()
    const [stolen, own] = [await client.begin({ scope: 'openid' }), await client.begin({ scope: 'openid' })]
    const redirect = await decide(stolen, 'allow')
    redirect.searchParams.set('state', own.url.searchParams.get('state') ?? '')
    expect(await failureOf(own.finish(redirect))).toMatchObject({ status: 400, error: 'invalid_grant' })
  })

  it('a request for a scope that the client is not registered for leads to invalid_scope', async () => {
    const client = await registerConfidential('client_secret_basic', { scope: 'openid read:account' })
    const pending = await client.begin({ scope: 'openid write:account' })
    const redirect = await new UserAgent(send).open(pending.url.pathname + pending.url.search)
    const failure = await failureOf(pending.finish(redirect ?? issuer))
    expect(failure).toMatchObject({ error: 'invalid_scope' })
  })

  it('a token without the scope of a call is told which one it needs', async () => {
    const client = await registerPublic()
    const { tokens } = await grantTo(client, 'openid')
    expect(await failureOf(client.call(tokens.access_token, '/me'))).toMatchObject({
      status: 403,
      cause: [{ scheme: 'bearer', parameters: { error: 'insufficient_scope', scope: 'read:account' } }],
    })
  })

  describe.each(CONFIDENTIAL)('as a confidential client with %s', (method) => {
    let client: Client
    beforeAll(async () => {
      client = await registerConfidential(method)
    })

    it('the client acts as the user who registered it, until it revokes its token', async () => {
      const { tokens } = await client.actForItself({ scope: 'read:account' })
      expect(tokens.scope).toBe('read:account')
      expect(tokens).not.toHaveProperty('refresh_token')
      expect(await bodyOf(await client.call(tokens.access_token, '/me'))).toMatchObject({ id: Number(userId) })
      await client.revoke(tokens.access_token)
      expect(await failureOf(client.call(tokens.access_token, '/me'))).toMatchObject({ status: 401 })
    })

    it('the client learns whether its tokens are active, and nothing about the tokens of other clients', async () => {
      const { tokens } = await grantTo(client)
      expect(await client.introspect(tokens.access_token)).toMatchObject({
        active: true,
        iss: galaxy.url,
        aud: galaxy.url,
        sub: userId,
        client_id: client.metadata.client_id,
        scope: tokens.scope,
        token_type: 'Bearer',
        exp: expect.any(Number),
      })
      expect(await client.introspect(tokens.refresh_token ?? '')).toMatchObject({ active: true, sub: userId })
      const other = await (await registerConfidential(method)).actForItself({ scope: 'read:account' })
      expect(await client.introspect(other.tokens.access_token)).toEqual({ active: false })
      expect(await client.introspect('no token')).toEqual({ active: false })
      await client.revoke(tokens.refresh_token ?? '')
      expect(await client.introspect(tokens.access_token)).toEqual({ active: false })
    })
  })

  it.each(SECRET_METHODS)('a wrong secret, with %s, is invalid_client', async (method) => {
    const client = await library.withSecret(await registerConfidential(method), 'wrong')
    const wrong = await failureOf(client.actForItself({ scope: 'read:account' }))
    expect(await challengedWith(wrong)).toEqual({ status: 401, error: 'invalid_client' })
    const asked = await failureOf(client.introspect('no token'))
    expect(await challengedWith(asked)).toEqual({ status: 401, error: 'invalid_client' })
  })

  it('the key of another client is invalid_client', async () => {
    const [own, foreign] = [await makeKeys(), await makeKeys()]
    const jwk = { ...(await crypto.subtle.exportKey('jwk', own.publicKey)), kid: KEY_ID }
    const metadata = {
      redirect_uris: [REDIRECT_URI],
      grant_types: ALL_GRANTS,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [jwk] },
    }
    const client = await library.register(metadata, initialAccessToken, foreign)
    const wrong = await failureOf(client.actForItself({ scope: 'read:account' }))
    expect(await challengedWith(wrong)).toEqual({ status: 401, error: 'invalid_client' })
  })

  it('the logout URL signs the user out of the page and leads back to the client', async () => {
    const client = await registerConfidential('client_secret_basic')
    const browser = new UserAgent(send)
    const pending = await client.begin({ scope: 'openid' })
    const { tokens } = await pending.finish(await decide(pending, 'allow', browser))
    await browser.open(pending.url.pathname + pending.url.search)
    expect(browser.page).toContain(account.email)
    const url = client.logoutUrl({
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: LOGOUT_URI,
      state: 'bye',
    })
    expect((await browser.open(url.pathname + url.search))?.href).toBe(`${LOGOUT_URI}?state=bye`)
    await browser.open(pending.url.pathname + pending.url.search)
    expect(browser.page).not.toContain(account.email)
    expect(browser.page).toContain('type="password"')
  })
})

describe('what a library can find out by itself', () => {
  it.each(['oidc', 'oauth2'] as const)('oauth4webapi discovers the provider by %s', async (algorithm) => {
    const as = await discover(issuer, algorithm)
    expect(as).toMatchObject({ issuer: galaxy.url, code_challenge_methods_supported: ['S256'] })
    expect(as).toEqual(await discover(issuer, algorithm === 'oidc' ? 'oauth2' : 'oidc'))
  })

  it.each(['oidc', 'oauth2'] as const)('openid-client discovers the provider by %s', async (algorithm) => {
    const options = { algorithm, execute: [openid.allowInsecureRequests] }
    const metadata = (await openid.discovery(issuer, 'anyone', undefined, undefined, options)).serverMetadata()
    expect(metadata.issuer).toBe(galaxy.url)
    expect(metadata.supportsPKCE()).toBe(true)
  })

  it('a refused call leads oauth4webapi to the resource, and from there to the provider', async () => {
    const url = new URL('/me', issuer)
    const failure = await failureOf(
      oauth4webapi.protectedResourceRequest('no-token', 'GET', url, undefined, undefined, INSECURE),
    )
    const metadataUrl = new URL('/.well-known/oauth-protected-resource', issuer).href
    expect(failure).toMatchObject({ status: 401, cause: [{ parameters: { resource_metadata: metadataUrl } }] })
    const response = await oauth4webapi.resourceDiscoveryRequest(issuer, INSECURE)
    expect(response.url).toBe(metadataUrl)
    const resource = await oauth4webapi.processResourceDiscoveryResponse(issuer, response)
    expect(resource.authorization_servers).toEqual([galaxy.url])
    const as = await discover(new URL(resource.authorization_servers?.[0] ?? ''), 'oauth2')
    expect(as.protected_resources).toEqual([resource.resource])
  })

  it('oauth4webapi accepts an access token as one of RFC 9068', async () => {
    const library = LIBRARIES.oauth4webapi?.(issuer)
    const metadata = { grant_types: ['client_credentials'], token_endpoint_auth_method: 'client_secret_basic' }
    const client = await library?.register(metadata, initialAccessToken)
    const { tokens } = (await client?.actForItself({ scope: 'read:account' })) ?? {}
    const request = new Request(galaxy.url, { headers: { Authorization: `Bearer ${tokens?.access_token}` } })
    const as = await discover(issuer, 'oauth2')
    const claims = await oauth4webapi.validateJwtAccessToken(as, request, galaxy.url, INSECURE)
    expect(claims).toMatchObject({ sub: userId, client_id: client?.metadata.client_id, scope: 'read:account' })
  })
})

/** The hash of the access token that an ID token carries (OpenID Connect Core 1.0, section 3.1.3.6). */
function leftHalfOfHash(token: string): string {
  return createHash('sha256').update(token, 'ascii').digest().subarray(0, 16).toString('base64url')
}
