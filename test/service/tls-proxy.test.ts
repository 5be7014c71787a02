import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keepHeaders } from '../../scripts/lib/plain-proxy.ts'
import type { makeStateFolder } from './galaxy.ts'
import { npmStart, type StartedByNpm } from './npm-start.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'

// The service as `npm start` runs it behind a proxy that ends TLS: clients use https, and the proxy passes requests on
// over http with their header Host. wrangler has a proxy of its own in between.

const HOST = 'galaxy.test'
const ORIGIN = `https://${HOST}`

let state: Awaited<ReturnType<typeof makeStateFolder>>
let galaxy: StartedByNpm

beforeAll(async () => {
  state = await makePreparedState()
  const options = ['--port', String(await freePort()), '--persist-to', state.folder]
  galaxy = await npmStart([...options, '--var', `PUBLIC_URL:${ORIGIN}`])
})

afterAll(async () => {
  await galaxy?.stop()
  await state.remove()
})

/** What the proxy adds: nginx nothing by itself, Caddy the scheme that the client used. */
describe.each([{}, { 'X-Forwarded-Proto': 'https' }])('behind a proxy that adds %o', (added) => {
  /** Sends a request as the proxy does. A body is sent as JSON. */
  async function call(method: string, path: string, headers: Record<string, string> = {}, body?: object) {
    const { hostname, port } = new URL(galaxy.url)
    const content = body && { 'Content-Type': 'application/json' }
    const options = { hostname, port, path, method, headers: { ...content, ...headers, ...added, Host: HOST } }
    return await new Promise<{ status?: number; headers: NodeJS.Dict<string | string[]>; body: string }>(
      (resolve, reject) => {
        const sent = request(options, async (response) => {
          const { statusCode = 0, headers } = response
          resolve({ status: statusCode, headers, body: await text(response) })
        })
        sent.on('error', reject).end(body && JSON.stringify(body))
      },
    )
  }

  /** @returns An API key of a new user */
  async function makeKey(): Promise<string> {
    const credentials = { email: `${crypto.randomUUID()}@galaxy.test`, password: 'i-love-planets' }
    await call('POST', '/user/signup', {}, credentials)
    const { token } = JSON.parse((await call('POST', '/auth/token', {}, credentials)).body)
    return JSON.parse((await call('POST', '/me/api-keys', { Authorization: `Bearer ${token}` }, {})).body).key
  }

  it('URLs in headers begin with PUBLIC_URL, as those in bodies do', async () => {
    const index = await call('GET', '/', { Accept: 'application/json' })
    expect(index.headers.link).toContain(`<${ORIGIN}/openapi.json>`)
    const { headers } = await call('GET', '/me')
    expect(headers['www-authenticate']).toContain(`resource_metadata="${ORIGIN}/`)
    for (const path of ['/inboxes', '/universes']) {
      const made = await call('POST', path)
      const { url } = JSON.parse(made.body)
      expect([made.status, made.headers.location, url]).toEqual([
        201,
        expect.stringMatching(`^${ORIGIN}/`),
        expect.stringMatching(`^${ORIGIN}/`),
      ])
    }
  })

  it('the service gets the headers of a request as the client has sent them', async () => {
    const sent = { origin: ORIGIN, referer: `${ORIGIN}/docs`, 'x-url': `${ORIGIN}/a, http://${HOST}/b` }
    expect(JSON.parse((await call('GET', '/echo', sent)).body).headers).toMatchObject(sent)
  })

  it('only pages of the service can change data with an API key in a cookie', async () => {
    const Cookie = `api_key=${await makeKey()}`
    const statusFrom = async (Origin: string) =>
      (await call('POST', '/planets', { Cookie, Origin }, { name: 'Arrakis' })).status
    expect(await statusFrom(ORIGIN)).toBe(201)
    for (const other of [`http://${HOST}`, 'https://evil.example', `${ORIGIN}:8443`])
      expect(await statusFrom(other), other).toBe(403)
  })
})

it('wrangler with another proxy is not started', () => {
  const [requests, responses] = [
    'rewriteUrlRelatedHeaders(headers, outerUrl, innerUrl);',
    'rewriteUrlRelatedHeaders(res.headers, innerUrl, outerUrl);',
  ]
  expect(keepHeaders(`a();${requests}b();${responses}c()`)).toBe('a();b();c()')
  for (const changed of ['', requests, responses, requests + responses + responses])
    expect(() => keepHeaders(changed)).toThrow('cannot be made to keep headers')
})
