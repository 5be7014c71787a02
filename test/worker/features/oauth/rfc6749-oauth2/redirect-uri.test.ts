import { beforeAll, describe, expect, it } from 'vitest'
import { type Client, ORIGIN } from '../../../../support/app.ts'
import { authorizationPath, registerClient } from '../../../../support/oauth.ts'
import { createProvider, expectErrorPage } from '../support.ts'

const REGISTERED = 'https://client.test/cb?app=1'

let client: Client
let app: string

beforeAll(async () => {
  client = createProvider()
  app = (await registerClient(client.send, { redirect_uris: [REGISTERED] })).id
})

describe('a redirect URI', () => {
  it('is accepted as it was registered', async () => {
    expect((await client.get(authorizationPath(app, { redirect_uri: REGISTERED }))).status).toBe(200)
  })

  it.each([
    'https://client.test/cb',
    'https://client.test/cb?app=2',
    'https://client.test/cb?app=1&x=1',
    'https://client.test/cb?app=1#',
    'https://client.test/cb?app=1#top',
    'https://client.test/cb/?app=1',
    'https://client.test/CB?app=1',
    'https://client.test/%63b?app=1',
    'https://client.test/x/../cb?app=1',
    'https://client.test//cb?app=1',
    'https://client.test:443/cb?app=1',
    'https://client.test:444/cb?app=1',
    'https://CLIENT.test/cb?app=1',
    'HTTPS://client.test/cb?app=1',
    'http://client.test/cb?app=1',
    'https://client.test./cb?app=1',
    'https://user@client.test/cb?app=1',
    'https://client.test@evil.test/cb?app=1',
    'https://client.test\\@evil.test/cb?app=1',
    'https://client.test.evil.test/cb?app=1',
    'https://sub.client.test/cb?app=1',
    'https://evil.test/cb?app=1',
    'https://evil.test/?https://client.test/cb?app=1',
    'https://client.test/cb?app=1 ',
    ' https://client.test/cb?app=1',
    'https://client.test/cb?app=1\t',
    'https://client.test/cb?app=1\r\n',
    '//client.test/cb?app=1',
    '/cb?app=1',
    'javascript:alert(1)',
    'data:text/html,<p>',
    '*',
  ])('is rejected in any other form: %j', async (redirect_uri) => {
    await expectErrorPage(await client.get(authorizationPath(app, { redirect_uri })))
  })
})

describe('the client of the API reference, which needs no registration', () => {
  it('gets its responses on this service, and nowhere else', async () => {
    const request = (redirect_uri: string) => client.get(authorizationPath('galaxy-reference', { redirect_uri }))
    expect((await request(`${ORIGIN}/docs/oauth2-redirect`)).status).toBe(200)
    await expectErrorPage(await request('https://evil.test/docs/oauth2-redirect'))
    await expectErrorPage(await request('/docs/oauth2-redirect'))
    await expectErrorPage(await request(`${ORIGIN}/docs/oauth2-redirect/`))
  })
})
