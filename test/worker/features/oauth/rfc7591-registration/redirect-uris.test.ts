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

describe('a redirect URI with a parameter that responses have', () => {
  const NAMES = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri', 'access_token', 'token_type']
  const MORE = ['expires_in', 'scope', 'id_token', 'session_state', 'response']
  const register = (metadata: object) => client.sendJson('POST', '/oauth/register', metadata)

  it.each([...NAMES, ...MORE])('cannot be registered: %s', async (name) => {
    for (const start of [
      'https://client.test/callback?',
      'https://client.test/?app=1&',
      'com.example.app:/callback?',
    ]) {
      for (const parameter of [`${name}=x`, name, `${name}=`]) {
        const response = await register({ redirect_uris: ['https://client.test/', start + parameter] })
        await expectError(response, 400, 'invalid_redirect_uri')
      }
    }
  })

  it('cannot be registered in another spelling', async () => {
    for (const query of ['%63ode=x', 'a=b&&st%61te', 'c%6Fde']) {
      const response = await register({ redirect_uris: [`https://client.test/?${query}`] })
      await expectError(response, 400, 'invalid_redirect_uri')
    }
  })

  // What real clients take for the name: ASP.NET, PHP, Ruby, Express, Perl.
  it.each([
    'Code=x',
    'STATE=x',
    'Access_Token=x',
    'code[]=x',
    '[code]=x',
    '%5Bcode%5D=x',
    'code%5B%5D=x',
    'code[a]=x',
    'code[a][b]=x',
    'code[]x=x',
    '%20code=x',
    '++Code[]=x',
    'code%00x=x',
    'access.token=x',
    'access+token=x',
    'access%5Btoken=x',
    'x=1;code=2',
    'x=1;Code[]=2',
  ])('cannot be registered as a client could read it: %s', async (query) => {
    const response = await register({ redirect_uris: [`https://client.test/?${query}`] })
    await expectError(response, 400, 'invalid_redirect_uri')
  })

  it.each(['codes=x', 'x=code', 'my_state=1', 'my[code]=2', '[codes]=1', 'code_=1', 'code-x=1', 'x=1%3Bcode=2'])(
    'can have any other, such as %s',
    async (query) => {
      const uri = `https://client.test/?${query}`
      expect(await bodyOf(await register({ redirect_uris: [uri] }))).toMatchObject({ redirect_uris: [uri] })
    },
  )

  it('cannot be registered for the end of a session, where responses have a state only', async () => {
    const uris = (query: string) => ({
      redirect_uris: ['https://client.test/'],
      post_logout_redirect_uris: [`https://client.test/bye?${query}`],
    })
    await expectError(await register(uris('state=1')), 400, 'invalid_redirect_uri')
    expect((await register(uris('code=1'))).status).toBe(201)
  })
})
