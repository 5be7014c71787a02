import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, authorization, createAccount, createClient, createPlanet } from '../../support/app.ts'
import { readLog } from '../../support/log-lines.ts'

// A stream of a test that breaks off ends like any other when it comes to the object of a universe. That of a real
// client does not, see test/service/cut-off-bodies.test.ts.

readLog()

const TOLD = { name: 'Told', successCallbackUrl: 'https://receiver.example/planets', satellites: [{ name: 'Moon' }] }
const TABLES = ['planets', 'bodies', 'events', 'deliveries', 'log', 'images', 'api_keys', 'users']

const good = createClient()
let account: Account

beforeAll(async () => {
  account = await createAccount(good)
})

async function countRows(): Promise<unknown> {
  const columns = TABLES.map((table) => `(select count(*) from ${table}) as ${table}`)
  return await env.DB.prepare(`select ${columns.join(', ')}`).first()
}

describe('a client that disconnects in mid-body', () => {
  /** A body that breaks off, as the runtime reports it. */
  function brokenBody(start: string): ReadableStream<Uint8Array> {
    let isSent = false
    return new ReadableStream({
      pull(controller) {
        if (isSent) return controller.error(new Error('Network connection lost.'))
        isSent = true
        controller.enqueue(new TextEncoder().encode(start))
      },
    })
  }

  const MULTIPART = 'multipart/form-data; boundary=x'
  const REQUESTS: readonly (readonly [method: string, path: () => Promise<string>, type: string, start: string])[] = [
    ['POST', async () => '/planets', 'application/json', '{"name":"Half","type":'],
    ['POST', async () => '/planets', 'application/json', '{"name":"Whole"}'],
    [
      'PUT',
      async () => `/planets/${(await createPlanet(good, account, TOLD)).id}`,
      'application/json',
      '{"name":"Whole"}',
    ],
    ['POST', async () => '/me/api-keys', 'application/json', '{}'],
    [
      'POST',
      async () => `/planets/${(await createPlanet(good, account, TOLD)).id}/image`,
      MULTIPART,
      '--x\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n\x89PNG',
    ],
    ['POST', async () => '/user/signup', 'application/json', '{"email":"half@galaxy.test","password":"correct horse"}'],
  ]

  it.each(REQUESTS)('%s: nothing of the request is stored', async (method, pathOf, type, start) => {
    const path = await pathOf()
    const before = await countRows()
    const sent = good.sendRaw(path, {
      method,
      body: brokenBody(start),
      headers: { ...(path !== '/user/signup' && authorization(account)), 'Content-Type': type },
    })
    // The runtime may not even hand over the request.
    const status = await sent.then((response) => response.status).catch(() => 503)
    expect(status).toBe(503)
    expect(await countRows()).toEqual(before)
  })
})
