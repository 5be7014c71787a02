import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount, createClient, ROUTES } from '../../support/app.ts'
import { makeGoodRequest, sendGood } from '../../support/good-requests.ts'
import { SHARED } from '../../support/world.ts'

// Which caches may keep a response.

/** What everybody can read who knows its URL, which is a secret. */
const SECRET = [
  '/inboxes/{inboxId}',
  '/lab/runs/{runId}',
  '/lab/runs/{runId}/gate',
  '/lab/runs/{runId}/junit.xml',
  '/lab/runs/{runId}/badge.json',
  '/lab/runs/{runId}/badge.svg',
  '/lab/runs/{runId}/report',
  '/lab/runs/{runId}/openapi.json',
  '/lab/runs/{runId}/openapi.yaml',
  '/lab/runs/{runId}/openapi-3.0.json',
  '/lab/runs/{runId}/openapi-3.2.json',
  '/lab/runs/{runId}/openapi-3.2.yaml',
  '/universe',
]

/** What must not be stored for other reasons: streams, the state at this moment, and a page with a secret query. */
const FLEETING = ['/planets/events', '/healthz', '/readyz', '/docs/oauth2-redirect']

const READS = ROUTES.filter(({ method, errorStyle }) => method === 'get' && errorStyle === undefined)
const isSecret = ({ path }: { path: string }) => SECRET.includes(path)

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

async function cacheControlOf(route: (typeof ROUTES)[number], method: string): Promise<string> {
  const response = await sendGood(client, { ...(await makeGoodRequest(client, route, account)), method })
  expect(response.status).toBeLessThan(400)
  await response.body?.cancel()
  expect(response.headers.get('X-Cache-Control')).toBe(response.headers.get('Cache-Control'))
  return response.headers.get('Cache-Control') ?? ''
}

describe('a read', () => {
  it.each(READS)('$path: may be stored only if everybody may see it, whoever knows its URL', async (route) => {
    const mayBeStored = route.security.length === 0 && !isSecret(route) && !FLEETING.includes(route.path)
    const expected = mayBeStored ? new RegExp(`^${SHARED}, max-age=`) : /^no-store$/
    expect(await cacheControlOf(route, 'GET')).toMatch(expected)
    expect(await cacheControlOf(route, 'HEAD')).toMatch(expected)
  })

  it('of a resource whose URL has a UUID is that of a secret, but for images, which planets show', () => {
    const found = READS.filter(
      ({ path, security }) => security.length === 0 && /\{(?:inboxId|runId|key|eventId)\}/.test(path),
    )
    expect(found.filter((route) => !isSecret(route)).map(({ path }) => path)).toEqual(['/images/{key}'])
  })
})

describe('an inbox', () => {
  it('is never stored, nor is what is sent to it', async () => {
    const inbox = await bodyOf(await client.send('/inboxes', { method: 'POST' }))
    const path = `/inboxes/${inbox.id}`
    const responses = [
      await client.send(`${path}/callbacks`, { method: 'POST', body: 'secret' }),
      await client.get(`${path}/callbacks`),
      await client.get(path),
      await client.get(`${path}?limit=1`, { Accept: 'application/xml' }),
      await client.get(path, { Prefer: 'code=200' }),
    ]
    expect(responses.map(({ headers }) => headers.get('Cache-Control'))).toEqual(Array(5).fill('no-store'))
  })
})
