import { createLocalJWKSet, jwtVerify } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount, ORIGIN } from '../../../../support/app.ts'
import {
  authorizationPath,
  DEVICE_GRANT,
  getTokens,
  registerClient,
  requestTokens,
  sendForm,
} from '../../../../support/oauth.ts'
import { ADDRESSES, OTHER_URL, publishedAt, wellKnownUrl } from '../../../../support/world.ts'
import { bearer, createProvider, registerOwned } from '../support.ts'

const OPENID = '/.well-known/openid-configuration'
const OAUTH = '/.well-known/oauth-authorization-server'
const RESOURCE = '/.well-known/oauth-protected-resource'

let client: Client
let account: Account
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
let metadata: any

beforeAll(async () => {
  client = createProvider()
  account = await createAccount(client)
  metadata = await bodyOf(await client.get(OAUTH))
})

const read = async (url: string, by = client) => await bodyOf(await by.get(url))

describe('the metadata of the provider', () => {
  it('is the same for OAuth and for OpenID Connect', async () => {
    expect(await read(OPENID)).toEqual(metadata)
  })

  it.each(ADDRESSES)('has the origin of the request as issuer: %s', async (baseUrl) => {
    for (const url of [baseUrl + OPENID, baseUrl + OAUTH, wellKnownUrl('oauth-authorization-server', baseUrl)]) {
      const found = await read(url)
      expect(found.issuer).toBe(baseUrl)
      const urls = Object.values(found).filter((value) => typeof value === 'string')
      for (const url of urls) expect(url).toMatch(new RegExp(`^${RegExp.escape(baseUrl)}(/|$)`))
    }
  })

  it('has the origin that the operator has set, whatever the request', async () => {
    const publicUrl = 'https://galaxy.test'
    const published = createProvider({ config: { publicUrl } })
    const issuer = publishedAt(publicUrl, OTHER_URL)
    expect(await read(OTHER_URL + OAUTH, published)).toMatchObject({ issuer })
    expect(await read(RESOURCE, published)).toMatchObject({ resource: publishedAt(publicUrl) })
  })

  it.each([OPENID, OAUTH, RESOURCE])(
    'is JSON that any page can read, and requires no credentials: %s',
    async (path) => {
      const response = await client.get(path, { Authorization: 'Bearer wrong' })
      expect(response.status).toBe(200)
      expect(response.headers.get('Content-Type')).toBe('application/json')
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    },
  )

  it('lists endpoints that exist', async () => {
    const endpoints = Object.entries<string>(metadata).filter(([name]) => /_endpoint$|_uri$|^service_doc/.test(name))
    expect(endpoints).toHaveLength(10)
    for (const [name, url] of endpoints) {
      const allowed = (await client.send(url, { method: 'OPTIONS' })).headers.get('Allow')
      const method = /^authorization|end_session|userinfo|jwks|documentation/.test(name) ? 'GET' : 'POST'
      expect(allowed?.split(', '), name).toContain(method)
    }
  })

  it('lists keys that verify issued tokens', async () => {
    const keys = createLocalJWKSet(await read(metadata.jwks_uri))
    const app = await registerClient(client.send)
    const tokens = await getTokens(client.send, account, app, 'openid read:account')
    for (const token of [tokens.access_token, tokens.id_token ?? '']) {
      const { protectedHeader } = await jwtVerify(token, keys, { issuer: metadata.issuer })
      expect(metadata.id_token_signing_alg_values_supported).toContain(protectedHeader.alg)
    }
  })

  it('contains no private key', async () => {
    const { keys } = await read(metadata.jwks_uri)
    for (const key of keys) expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
  })

  it('says that responses name their issuer, and what is not offered', () => {
    expect(metadata).toMatchObject({
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ['S256'],
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      claims_parameter_supported: false,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    })
  })
})

describe.each([
  ['by default', false],
  ['with the legacy flows', true],
])('the metadata lists, %s,', (_, legacyFlows) => {
  let provider: Client
  // biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
  let promised: any

  beforeAll(async () => {
    provider = createProvider({ config: { legacyFlows } })
    promised = await read(OAUTH, provider)
  })

  it('every grant type that the token endpoint supports, and no other', async () => {
    const { id, secret } = await registerClient(provider.send, {}, bearer(account.token).Authorization)
    const known = []
    const usual = ['authorization_code', 'refresh_token', 'client_credentials', 'password']
    for (const grant_type of [...usual, DEVICE_GRANT, 'urn:x']) {
      const { error } = await bodyOf(await requestTokens(provider.send, { id, secret }, { grant_type }))
      if (error !== 'unsupported_grant_type') known.push(grant_type)
    }
    expect(promised.grant_types_supported.filter((type: string) => type !== 'implicit')).toEqual(known)
    // The response type id_token uses it, and is not a legacy flow.
    expect(promised.grant_types_supported).toContain('implicit')
  })

  it('every response type that the authorization endpoint supports, and its response modes', async () => {
    const response_types = legacyFlows ? ['code', 'token', 'id_token'] : ['code', 'id_token']
    const { id } = await registerOwned(provider, { response_types })
    const request = { scope: 'openid profile', nonce: 'n' }
    const known = []
    for (const response_type of ['code', 'token', 'id_token', 'code token', 'code id_token', 'none']) {
      const response = await provider.get(authorizationPath(id, { ...request, response_type }))
      if (response.status === 200) known.push(response_type)
    }
    expect(promised.response_types_supported).toEqual(known)
    const modes = []
    for (const response_mode of ['query', 'fragment', 'form_post', 'web_message']) {
      const response = await provider.get(authorizationPath(id, { ...request, response_mode }))
      if (response.status === 200) modes.push(response_mode)
    }
    expect(promised.response_modes_supported).toEqual(modes)
  })
})

describe('the metadata lists', () => {
  it('every scope that a client can be granted', async () => {
    for (const scope of metadata.scopes_supported) {
      const { metadata: registered } = await registerClient(client.send, { scope })
      expect(registered.scope).toBe(scope)
    }
  })

  it('every authentication method of clients', async () => {
    const methods = metadata.token_endpoint_auth_methods_supported
    expect(methods).toEqual(['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'])
    expect(metadata.revocation_endpoint_auth_methods_supported).toEqual(methods)
    expect(metadata.introspection_endpoint_auth_methods_supported).toEqual(methods.slice(1))
  })

  it('every prompt', async () => {
    const { id } = await registerOwned(client)
    for (const prompt of metadata.prompt_values_supported) {
      const response = await client.get(authorizationPath(id, { prompt }))
      expect(response.status).toBe(prompt === 'none' ? 303 : 200)
    }
  })
})

describe('the metadata of the service as a resource', () => {
  it('names this service, and its provider', async () => {
    const resource = await read(RESOURCE)
    expect(resource).toMatchObject({ resource: ORIGIN, bearer_methods_supported: ['header'] })
    expect(resource.authorization_servers).toEqual([metadata.issuer])
    for (const scope of resource.scopes_supported) expect(metadata.scopes_supported).toContain(scope)
    expect(metadata.protected_resources).toEqual([resource.resource])
  })

  it('is found through the challenge of a 401', async () => {
    for (const baseUrl of ADDRESSES) {
      const challenge = (await client.get(`${baseUrl}/me`)).headers.get('WWW-Authenticate') ?? ''
      const [, url = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
      expect(await read(url)).toMatchObject({ resource: baseUrl })
    }
  })
})

it('leads a client that knows only the origin to a token', async () => {
  const [issuer] = (await read(`${ORIGIN}${RESOURCE}`)).authorization_servers
  const found = await read(`${issuer}${OAUTH}`)
  const response = await client.sendJson(
    'POST',
    found.registration_endpoint,
    { grant_types: ['client_credentials'] },
    account,
  )
  const { client_id, client_secret } = await bodyOf(response)
  const grant = { grant_type: 'client_credentials', client_id, client_secret, resource: ORIGIN }
  const { access_token } = await bodyOf(await sendForm(client.send, found.token_endpoint, grant))
  expect((await client.get('/me', bearer(access_token))).status).toBe(200)
})
