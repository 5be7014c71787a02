import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, type Client, createAccount, ORIGIN } from '../../../../support/app.ts'
import { allow, authorizationPath, registerClient } from '../../../../support/oauth.ts'
import { createProvider, expectErrorPage } from '../support.ts'

let client: Client
let account: Account

beforeAll(async () => {
  client = createProvider()
  account = await createAccount(client)
})

async function request(registered: string, redirect_uri: string): Promise<Response> {
  const { id } = await registerClient(client.send, { redirect_uris: [registered] })
  return await client.get(authorizationPath(id, { redirect_uri }))
}

describe('an app that listens on the machine of its user', () => {
  it.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:49152/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:1/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:65535/cb'],
    ['http://127.0.0.1:8080/cb', 'http://127.0.0.1:49152/cb'],
    ['http://127.0.0.1:8080/cb', 'http://127.0.0.1/cb'],
    ['http://127.0.0.1/cb?x=1', 'http://127.0.0.1:49152/cb?x=1'],
    ['http://127.0.0.1', 'http://127.0.0.1:49152'],
    ['http://[::1]/cb', 'http://[::1]:49152/cb'],
    ['http://[::1]:8080/cb', 'http://[::1]/cb'],
  ])('registered as %s can use %s', async (registered, uri) => {
    expect((await request(registered, uri)).status).toBe(200)
    const { id } = await registerClient(client.send, { redirect_uris: [registered] })
    const { href } = await allow(client.send, account, id, { redirect_uri: uri })
    expect(href.startsWith(new URL(uri).href)).toBe(true)
  })

  it.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:49152/cb/'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:49152/'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:49152/cb?x=1'],
    ['http://127.0.0.1/cb', 'https://127.0.0.1/cb'],
    ['http://127.0.0.1/cb', 'http://[::1]/cb'],
    ['http://[::1]/cb', 'http://127.0.0.1/cb'],
    ['http://127.0.0.1/cb', 'http://localhost/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.2/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1.evil.test/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:1@evil.test/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:49152@evil.test/cb'],
    ['http://localhost/cb', 'http://localhost:49152/cb'],
    ['http://localhost:3000/cb', 'http://localhost:3001/cb'],
    ['http://localhost/cb', 'http://127.0.0.1/cb'],
    ['https://127.0.0.1/cb', 'https://127.0.0.1:49152/cb'],
    ['https://client.test/cb', 'https://client.test:8443/cb'],
    ['https://[::1]/cb', 'https://[::1]:49152/cb'],
  ])('registered as %s cannot use %s', async (registered, uri) => {
    await expectErrorPage(await request(registered, uri))
  })

  it.each(['99999', '65536', '000000000000000000080000', '1e3', '-1'])(
    'cannot use an invalid port: %s',
    async (port) => {
      await expectErrorPage(await request('http://127.0.0.1/cb', `http://127.0.0.1:${port}/cb`))
    },
  )
})

describe('an app with a private-use scheme', () => {
  const URI = 'com.example.app:/oauth'

  it('gets its response there', async () => {
    const { id } = await registerClient(client.send, { redirect_uris: [URI] })
    const { href, searchParams } = await allow(client.send, account, id, { redirect_uri: URI })
    expect(href.startsWith(`${URI}?code=`)).toBe(true)
    expect(searchParams.get('iss')).toBe(ORIGIN)
  })

  it.each(['com.example.app:/other', 'com.example.app:/oauth/', 'com.example.app2:/oauth', 'com.example.app://oauth'])(
    'gets it nowhere else: %s',
    async (uri) => {
      await expectErrorPage(await request(URI, uri))
    },
  )
})
