import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, type Client, createAccount, ORIGIN } from '../../../../support/app.ts'
import { allow, authorizationPath, type Registered, signIn } from '../../../../support/oauth.ts'
import { OTHER_URL, publishedAt } from '../../../../support/world.ts'
import { createProvider, registerOwned } from '../support.ts'

let client: Client
let account: Account
let app: Registered

beforeAll(async () => {
  client = createProvider({ config: { legacyFlows: true } })
  account = await createAccount(client)
  app = await registerOwned(client, { grant_types: ['authorization_code', 'implicit'] })
})

const issuers = (url: URL | undefined) =>
  (url?.hash ? new URLSearchParams(url.hash.slice(1)) : url?.searchParams)?.getAll('iss')

describe('a response to a client names its issuer, once', () => {
  it('if the user has allowed it', async () => {
    expect(issuers(await allow(client.send, account, app.id))).toEqual([ORIGIN])
  })

  it('if the response is the token itself', async () => {
    expect(issuers(await allow(client.send, account, app.id, { response_type: 'token' }))).toEqual([ORIGIN])
  })

  it('if the user has denied it', async () => {
    const browser = await signIn(client.send, account, app.id, { prompt: 'consent' })
    const denied = await browser.submit({ decision: 'deny' })
    expect([denied?.searchParams.get('error'), issuers(denied)]).toEqual(['access_denied', [ORIGIN]])
  })

  it.each<[string, Record<string, string | undefined>]>([
    ['unsupported_response_type', { response_type: 'cookie' }],
    ['invalid_scope', { scope: 'everything' }],
    ['invalid_request', { code_challenge: undefined }],
    ['login_required', { prompt: 'none' }],
    ['invalid_target', { resource: 'https://else.test' }],
    ['request_not_supported', { request: 'x' }],
  ])('if it is the error %s', async (error, parameters) => {
    const response = await client.get(authorizationPath(app.id, parameters))
    const url = new URL(response.headers.get('Location') ?? '')
    expect([url.searchParams.get('error'), issuers(url)]).toEqual([error, [ORIGIN]])
  })

  it('which is the issuer of the metadata, whatever the origin of the request', async () => {
    const publicUrl = 'https://galaxy.example'
    const published = createProvider({ config: { publicUrl } })
    const path = authorizationPath(app.id, { prompt: 'none' })
    const location = async (by: Client) => new URL((await by.get(OTHER_URL + path)).headers.get('Location') ?? '')
    expect(issuers(await location(published))).toEqual([publishedAt(publicUrl, OTHER_URL)])
    expect(issuers(await location(client))).toEqual([OTHER_URL])
  })
})
