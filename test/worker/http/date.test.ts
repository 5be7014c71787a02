import { describe, expect, it } from 'vitest'
import { createClient, NO_METHOD } from '../../support/app.ts'
import { BASE_URL } from '../../support/world.ts'

// RFC 9110, section 6.6.1: a server with a clock must send Date with every 2xx, 3xx and 4xx. Every other test also
// fails if a response has none, because the OpenAPI document says that every response has it.

const NOW = new Date('2026-11-07T08:09:10.987Z')
const DATE = 'Sat, 07 Nov 2026 08:09:10 GMT'

const client = createClient({ now: () => NOW })
const SOCKET = { Upgrade: 'websocket', Connection: 'Upgrade' }

const REQUESTS: [name: string, path: string, init?: RequestInit][] = [
  ['a document', '/planets/4'],
  ['the head of a document', '/planets/4', { method: 'HEAD' }],
  ['an unchanged document', '/openapi.json', { headers: { 'If-None-Match': '*' } }],
  ['a page', '/docs', { headers: { Accept: 'text/html' } }],
  ['a redirect', '/echo/status/302', { redirect: 'manual' }],
  ['an unknown path', '/nothing'],
  ['a page about an unknown problem', '/problems/nothing'],
  ['a refused method', '/planets', { method: NO_METHOD }],
  ['a missing credential', '/me'],
  ['an OAuth error', '/oauth/token', { method: 'POST' }],
  ['a failed precondition', '/openapi.json', { headers: { 'If-Match': '"other"' } }],
  ['OPTIONS', '/planets', { method: 'OPTIONS' }],
  ['a preflight', '/planets', { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'PUT' } }],
  ['an example on demand', '/planets', { headers: { Prefer: 'code=503' } }],
  ['an echo', '/echo'],
  ['an echo without a body', '/echo/status/204'],
  ['the stream of the echo', '/echo/stream?count=1&interval=0'],
  ['the head of the stream of events', '/planets/events', { method: 'HEAD' }],
  ['a socket that is not asked for', '/ws/v1/planets'],
  ['the socket of an echo', '/echo', { headers: SOCKET }],
  ['an unknown socket', '/ws/v1/nothing', { headers: SOCKET }],
  ['an unknown inbox', '/inboxes/00000000-0000-4000-8000-000000000000/call', { method: 'POST' }],
]

describe('Date is the time of the clock, in whole seconds', () => {
  it.each(REQUESTS)('%s: %s', async (_, path, init) => {
    const { headers, body, webSocket } = await client.sendRaw(path, init)
    expect(headers.get('Date')).toBe(DATE)
    webSocket?.accept()
    webSocket?.close()
    await body?.cancel()
  })

  it('also if the host of a request cannot be part of a URL', async () => {
    const { status, headers } = await client.sendRaw('http://a_b!c.test/planets')
    // In a universe, the entry refuses such a request, with its own clock.
    expect([status, headers.get('Date')]).toEqual([400, expect.stringMatching(/^\w{3}, \d\d \w{3} 2\d{3} .* GMT$/)])
  })

  it('also of a file that pages load, whatever the binding says', async () => {
    const page = await (await client.get('/', { Accept: 'text/html' })).text()
    const [, file = ''] = /"([^"]*\/assets\/[^"]+\.css)"/.exec(page) ?? []
    const { status, headers } = await client.get(new URL(file, BASE_URL).href)
    expect([status, headers.get('Date')]).toEqual([200, DATE])
  })
})
