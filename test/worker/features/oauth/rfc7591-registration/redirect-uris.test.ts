import { beforeAll, describe, expect, it } from 'vitest'
import { bodyOf, type Client } from '../../../../support/app.ts'
import { createProvider, expectError } from '../support.ts'

let client: Client

beforeAll(() => {
  client = createProvider()
})

describe('a redirect URI', () => {
  const register = (uri: string) => client.sendJson('POST', '/oauth/register', { redirect_uris: [uri] })

  it.each([
    'https://client.test/callback',
    'https://client.test',
    'https://client.test:8443/callback?app=1&x=%20',
    'https://xn--mnchen-3ya.test/',
    'https://[2001:db8::1]/callback',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:8080/callback?x=1',
    'http://[::1]/callback',
    'http://[::1]:8080',
    'http://localhost:3000/callback',
    'com.example.app:/callback',
    'com.example.app:callback',
    'com.example.app://callback',
    'com.example-app.v2:/oauth?x=1',
  ])('can be %s', async (uri) => {
    expect(await bodyOf(await register(uri))).toMatchObject({ redirect_uris: [uri] })
  })

  it.each([
    '',
    'callback',
    '/callback',
    '//client.test/callback',
    'http://client.test/callback',
    'http://10.0.0.1/callback',
    'http://127.0.0.2/callback',
    'http://127.1/callback',
    'http://0.0.0.0/callback',
    'http://2130706433/callback',
    'http://127.0.0.1.evil.test/callback',
    'http://127.0.0.1@evil.test/callback',
    'http://localhost.evil.test/callback',
    'http://localhost@evil.test/callback',
    'http://127.0.0.1:99999/callback',
    'http://[::2]/callback',
    'https://client.test/callback#',
    'https://client.test/callback#x',
    'https://user:password@client.test/callback',
    'https://client.test\\@evil.test/callback',
    'https:client.test/callback',
    'https:///callback',
    'https://client.test:99999/callback',
    'https://client.test/call back',
    'https://client.test/call\nback',
    'https://client.test/cällback',
    'https://*.client.test/callback',
    'https://*/callback',
    'https://client;sandbox/callback',
    'https://client,evil/callback',
    "https://'self'/callback",
    'javascript:alert(1)',
    'data:text/html,x',
    'blob:https://client.test/x',
    'file:///etc/passwd',
    'about:blank',
    'myapp:/callback',
    'mailto:me@client.test',
    'com.example.app:////callback',
    'com.example.app:',
    'ftp://client.test/callback',
  ])('cannot be %j', async (uri) => {
    await expectError(await register(uri), 400, 'invalid_redirect_uri')
  })

  it.each(['http://client.test/bye', 'javascript:alert(1)', 'https://client.test/bye#x'])(
    'after a logout cannot be %s either',
    async (uri) => {
      const response = await client.sendJson('POST', '/oauth/register', {
        redirect_uris: ['https://client.test/'],
        post_logout_redirect_uris: [uri],
      })
      expect(response.status).toBe(400)
    },
  )
})
