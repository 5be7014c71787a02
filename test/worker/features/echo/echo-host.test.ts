import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createAccount, createClient } from '../../../support/app.ts'
import { drain, FakeNetwork } from '../../../support/callbacks.ts'
import { echoOf, sendToEcho } from '../../../support/echo.ts'
import { linksOf } from '../../../support/pages.ts'

// The echo can have a host of its own. At that host there is nothing else, and no other world.

const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' }
const CALLBACK = { successCallbackUrl: 'https://echo.internal/a/b' }
const AT_ECHO_HOST = { config: { echoHost: 'echo.test' } }

describe('the host of the echo', () => {
  it('gives the same response as the path', async () => {
    const init = { method: 'POST', body: 'a=1', headers: { ...FORM_TYPE, Authorization: 'Bearer a' } }
    const byHost = await echoOf('https://echo.test/a/b?c=1', init, AT_ECHO_HOST)
    expect(byHost).toEqual(await echoOf('/echo/a/b?c=1', init))
    expect(byHost.path).toBe('/a/b')
  })

  it.each(['/', '/planets', '/me', '/docs', '/openapi.json', '/oauth/authorize', '/inboxes/a/b', '/echo'])(
    'has nothing but the echo at %s',
    async (path) => {
      const response = await sendToEcho(`https://echo.test${path}`, { method: 'POST', body: 'a' }, AT_ECHO_HOST)
      expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
      expect(await response.json()).toMatchObject({ path: path === '/echo' ? '/' : path, body: 'a' })
    },
  )

  it('answers with statuses and redirects back to itself', async () => {
    expect((await sendToEcho('https://echo.test/404', {}, AT_ECHO_HOST)).status).toBe(404)
    const response = await sendToEcho('https://echo.test/302', { redirect: 'manual' }, AT_ECHO_HOST)
    expect(response.headers.get('Location')).toBe('https://echo.test/echo')
  })

  it.each([
    ['https://echo.test/', 'echo.test', true],
    ['http://echo.test./', 'echo.test', true],
    ['http://echo.test:8080/', 'echo.test:8080', true],
    ['http://echo.test:8080/', 'echo.test', false],
    ['http://echo.test/', 'echo.test:8080', false],
    ['http://a.echo.test/', 'echo.test', false],
    ['http://galaxy.test/', undefined, false],
  ])('for %s, with the echo at %s: %s', async (url, echoHost, isEcho) => {
    const response = await sendToEcho(url, { method: 'REPORT' }, { config: { echoHost } })
    expect(response.status).toBe(isEcho ? 200 : 405)
  })
})

describe('the page', () => {
  const linksAt = async (url: string, publicUrl?: string) => {
    const config = { ...AT_ECHO_HOST.config, ...(publicUrl && { publicUrl }) }
    const page = await (await sendToEcho(url, {}, { config })).text()
    return linksOf(page).filter((link) => link !== '#main')
  }

  it.each(['http://echo.test/a.html', 'http://echo.test/echo/a.html'])(
    'links to the public address of the service from the host of the echo: %s',
    async (url) => {
      const links = await linksAt(url, 'https://galaxy.example')
      expect(links).toEqual(expect.arrayContaining(['https://galaxy.example/', 'https://galaxy.example/docs']))
      expect(links.filter((link) => !link.startsWith('https://galaxy.example/'))).toEqual([])
    },
  )

  it('has no links at the host of the echo if the service has no public address, because they would be echoes', async () => {
    expect(await linksAt('http://echo.test/a.html')).toEqual([])
  })
})

describe('a callback', () => {
  it('can go to the host of the echo, even a private one, and is echoed there', async () => {
    const config = { echoHost: 'echo.internal', allowsPrivateTargets: false }
    const network = new FakeNetwork(({ url, ...init }) => sendToEcho(url, init, { config }))
    const client = createClient({ config, fetch: network.fetch })
    const response = await client.sendJson('POST', '/planets', { name: 'A', ...CALLBACK }, await createAccount(client))
    expect(response.status).toBe(201)
    await drain(client)
    expect(network.calls.map(({ url }) => url)).toEqual([CALLBACK.successCallbackUrl])
    const log = await env.DB.prepare('select status, response from attempts').all()
    expect(log.results).toEqual([{ status: 200, response: expect.stringContaining('"path":"/a/b"') }])
  })

  it('cannot go to another private host', async () => {
    const client = createClient({ config: { echoHost: 'other.internal', allowsPrivateTargets: false } })
    const response = await client.sendJson('POST', '/planets', { name: 'A', ...CALLBACK }, await createAccount(client))
    expect(response.status).toBe(400)
  })
})
