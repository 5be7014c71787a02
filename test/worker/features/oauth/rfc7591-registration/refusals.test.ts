import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import { createProvider, expectError } from '../support.ts'

const WEB = { redirect_uris: ['https://client.test/callback'] }
const RSA = { kty: 'RSA', n: 'AQAB', e: 'AQAB' }
const withKeys = (jwks: unknown) => ({ ...WEB, token_endpoint_auth_method: 'private_key_jwt', jwks })

let client: Client
let account: Account

beforeAll(async () => {
  client = createProvider()
  account = await createAccount(client)
})

describe('a client cannot be registered', () => {
  it.each<[string, unknown]>([
    ['that is not an object', []],
    ['with an unknown grant type', { ...WEB, grant_types: ['urn:example:device'] }],
    ['with an unknown response type', { ...WEB, response_types: ['cookie'] }],
    ['with a hybrid response type', { ...WEB, response_types: ['code id_token'] }],
    ['with the implicit grant, switched off', { ...WEB, grant_types: ['implicit'] }],
    ['with the response type token, switched off', { ...WEB, response_types: ['token'] }],
    ['with id_token and token, switched off', { ...WEB, response_types: ['id_token', 'token'] }],
    [
      'with the response type id_token, but not the grant',
      { ...WEB, grant_types: ['authorization_code'], response_types: ['code', 'id_token'] },
    ],
    [
      'with the implicit grant, but neither of its response types',
      { ...WEB, grant_types: ['authorization_code', 'implicit'], response_types: ['code'] },
    ],
    ['with no response type', { ...WEB, response_types: [] }],
    ['with the password grant, switched off', { ...WEB, grant_types: ['password'] }],
    [
      'with the response type code, but not the grant',
      { ...WEB, grant_types: ['refresh_token'], response_types: ['code'] },
    ],
    [
      'with the grant, but not the response type code',
      { ...WEB, grant_types: ['authorization_code'], response_types: [] },
    ],
    ['with an unknown authentication method', { ...WEB, token_endpoint_auth_method: 'client_secret_jwt' }],
    ['with private_key_jwt and no key', withKeys(undefined)],
    ['with private_key_jwt and an empty list of keys', withKeys({ keys: [] })],
    [
      'with keys that a public client does not use',
      { ...WEB, token_endpoint_auth_method: 'none', jwks: { keys: [RSA] } },
    ],
    ['with keys beside a secret', { ...WEB, token_endpoint_auth_method: 'client_secret_basic', jwks: { keys: [RSA] } }],
    ['with keys and no method that uses them', { ...WEB, jwks: { keys: [RSA] } }],
    [
      'with ten keys that are larger than 16 KiB together',
      withKeys({ keys: Array(10).fill({ ...RSA, n: 'A'.repeat(2000) }) }),
    ],
    ['with a private key', withKeys({ keys: [{ ...RSA, d: 'AQAB' }] })],
    ['with a shared secret for a key', withKeys({ keys: [{ kty: 'oct', k: 'c2VjcmV0' }] })],
    ['with more than ten keys', withKeys({ keys: Array(11).fill(RSA) })],
    ['with its keys at a URL', { ...WEB, jwks_uri: 'https://client.test/jwks.json' }],
    ['with unknown scopes only', { ...WEB, scope: 'everything' }],
    ['with an empty name', { ...WEB, client_name: '' }],
    ['with a name of more than 200 characters', { ...WEB, client_name: 'x'.repeat(201) }],
    ['with a name that is not a string', { ...WEB, client_name: { en: 'Atlas' } }],
    ['with a website that runs a script', { ...WEB, client_uri: 'javascript:alert(1)' }],
    ['with ID tokens that are not signed', { ...WEB, id_token_signed_response_alg: 'none' }],
    ['with pairwise subjects', { ...WEB, subject_type: 'pairwise' }],
  ])('%s', async (_, metadata) => {
    await expectError(
      await client.sendJson('POST', '/oauth/register', metadata, account),
      400,
      'invalid_client_metadata',
    )
  })

  it('with more than 16 KiB in all', async () => {
    const register = (padding: number) => {
      const long = Array.from({ length: 8 }, (_, index) => `https://client.test/${index}${'x'.repeat(1900)}`)
      const redirect_uris = [...long, `https://client.test/${'y'.repeat(padding)}`]
      return client.sendJson('POST', '/oauth/register', { redirect_uris }, account)
    }
    const storedBytes = async (response: Response) => {
      const { client_id } = await bodyOf(response)
      const query = 'select length(cast(metadata as blob)) as bytes from clients where id = ?'
      return (await env.DB.prepare(query).bind(client_id).first<number>('bytes')) ?? 0
    }
    const padding = 16 * 1024 - (await storedBytes(await register(0)))
    const greatest = await register(padding)
    expect([greatest.status, await storedBytes(greatest)]).toEqual([201, 16 * 1024])
    const refused = await register(padding + 1)
    expect((await bodyOf(refused.clone())).error_description).toContain(
      'can have at most 16384 bytes, but this metadata has 16385.',
    )
    await expectError(refused, 400, 'invalid_client_metadata')
  })

  it('with the client credentials grant and no secret', async () => {
    for (const by of [account, undefined]) {
      const metadata = { grant_types: ['client_credentials'], token_endpoint_auth_method: 'none' }
      await expectError(await client.sendJson('POST', '/oauth/register', metadata, by), 400, 'invalid_client_metadata')
    }
  })

  it.each<[string, unknown]>([
    ['no redirect URI', {}],
    ['an empty list of redirect URIs', { redirect_uris: [] }],
    [
      'more than ten redirect URIs',
      { redirect_uris: Array.from({ length: 11 }, (_, n) => `https://client.test/${n}`) },
    ],
    ['redirect URIs that are not a list', { redirect_uris: 'https://client.test/callback' }],
    ['a redirect URI that is not a string', { redirect_uris: [7] }],
    ['a redirect URI of more than 2048 characters', { redirect_uris: [`https://client.test/${'x'.repeat(2030)}`] }],
    ['an invalid redirect URI beside a valid one', { redirect_uris: ['https://client.test/', 'http://client.test/'] }],
  ])('with %s', async (_, metadata) => {
    await expectError(await client.sendJson('POST', '/oauth/register', metadata), 400, 'invalid_redirect_uri')
  })
})
