import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { makeStateFolder } from './galaxy.ts'
import { npmStart, type StartedByNpm } from './npm-start.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'

// What wrangler and its runtime serve besides the Worker must be closed, because everybody who reaches the port would
// reach it. So these tests ask the service as `npm start` runs it.

let state: Awaited<ReturnType<typeof makeStateFolder>>
let galaxy: StartedByNpm

beforeAll(async () => {
  state = await makePreparedState()
  const traces = join(state.folder, 'v3', 'observability')
  mkdirSync(traces, { recursive: true })
  writeFileSync(join(traces, 'trace.sqlite'), `GET /me?api_key=${KEY}`)
  galaxy = await npmStart(['--port', String(await freePort()), '--persist-to', state.folder])
})

afterAll(async () => {
  await galaxy.stop()
  await state.remove()
})

const KEY = `glx_${crypto.randomUUID()}`

/** What the header Host can say, whatever the address is. */
const HOSTS = ['localhost', '127.0.0.1', '[::1]', 'localtest.me', 'evil.example', '192.0.2.7']

interface Call {
  method?: string
  host?: string
  headers?: Record<string, string>
  body?: string
}

interface Answer {
  status: number | undefined
  body: string
}

/** Sends a request with any Host. The path is sent as it is. */
async function call(path: string, { method = 'GET', host = 'localhost', headers, body }: Call = {}): Promise<Answer> {
  const { hostname, port } = new URL(galaxy.url)
  const options = { hostname, port, path, method, headers: { ...headers, Host: `${host}:${port}` } }
  return await new Promise((resolve, reject) => {
    const sent = request(options, async (response) =>
      resolve({ status: response.statusCode, body: await text(response) }),
    )
    sent.on('error', reject).end(body)
  })
}

describe.each(HOSTS)('with the host %s', (host) => {
  it.each(['/cdn-cgi/explorer', '/cdn-cgi/local/explorer'])(
    'nobody can read or write the database through %s',
    async (explorer) => {
      const sql = JSON.stringify({ sql: 'select email, password_hash from users' })
      const headers = { 'Content-Type': 'application/json' }
      const raw = `${explorer}/api/d1/database/00000000-0000-0000-0000-000000000000/raw`
      const { status, body } = await call(raw, { method: 'POST', host, headers, body: sql })
      expect([403, 404]).toContain(status)
      expect(body).not.toContain('results')
      for (const path of [
        '',
        '/',
        '/api',
        '/api/d1/database',
        '/api/r2/buckets',
        '/api/workers/durable_objects/namespaces',
      ])
        expect([403, 404], path).toContain((await call(explorer + path, { host })).status)
    },
  )
})

it('no URL with an API key is kept in the state folder, and those of earlier runs are removed', async () => {
  expect((await call(`/me?api_key=${KEY}`)).status).toBe(401)
  expect((await call('/me', { headers: { 'X-API-Key': KEY } })).status).toBe(401)
  // The runtime writes some files only when it ends.
  await galaxy.stop()
  const files = readdirSync(state.folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(state.folder, file))
    .filter((file) => statSync(file).isFile())
  expect(files.length).toBeGreaterThan(0)
  expect(files.filter((file) => readFileSync(file).includes(KEY))).toEqual([])
})
