import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyOf, createAccount, createClient, type Overrides } from '../../support/app.ts'
import { aTextThatIsNoHost, HOSTS, NO_HOSTS } from '../../support/hosts.ts'
import { BASE_PATH } from '../../support/world.ts'

// Every URL in a response begins with the Host of the request, unless the operator has set PUBLIC_URL.

const LABEL = 'a'.repeat(49)
const HOST_MAX = 253

/** A name of a given number of characters. */
const nameOf = (length: number) =>
  `${LABEL}.`
    .repeat(6)
    .slice(0, length - 1)
    .concat('b')

async function sendTo(host: string, path: string, init: RequestInit = {}, overrides: Overrides = {}) {
  return await createClient(overrides).sendRaw(`http://${host}${BASE_PATH}${path}`, { redirect: 'manual', ...init })
}

const PATHS = [
  '/',
  '/planets',
  '/nowhere',
  '/openapi.json',
  '/openapi.yaml',
  '/docs',
  '/echo',
  '/echo/302',
  '/problems/not-found',
  '/oauth/authorize',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource',
]

describe.each([
  ['of 254 characters', nameOf(HOST_MAX + 1)],
  ['of 2,000 characters', 'a.'.repeat(1000).slice(0, -1)],
  ['of 2,000 characters without a dot', 'a'.repeat(2000)],
])('a Host %s is 400', (_, host) => {
  it.each(PATHS)('at %s', async (path) => {
    const response = await sendTo(host, path)
    expect([response.status, response.headers.get('Content-Type')]).toEqual([400, 'application/problem+json'])
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({ type: 'about:blank', detail: expect.stringContaining('253') })
    expect(text).not.toContain(host.slice(0, 100))
  })

  it.each(['/inboxes', '/user/signup', '/auth/token', '/oauth/token', '/planets'])('at POST %s', async (path) => {
    expect((await sendTo(host, path, { method: 'POST' })).status).toBe(400)
  })

  it('unless the operator has set the URL', async () => {
    const response = await sendTo(
      host,
      '/inboxes',
      { method: 'POST' },
      { config: { publicUrl: 'https://galaxy.test' } },
    )
    expect(response.status).toBe(201)
    expect((await bodyOf(response)).url).toContain(`https://galaxy.test${BASE_PATH}/inboxes/`)
  })
})

describe.each([
  ['of 253 characters', nameOf(HOST_MAX)],
  ['of 253 characters, with a port and the root dot', `${nameOf(HOST_MAX)}.:65535`],
])('a Host %s is accepted in every URL', (_, host) => {
  it.each(PATHS)('at %s', async (path) => {
    const { status } = await sendTo(host, path)
    const expected: Readonly<Record<string, number>> = { '/nowhere': 404, '/echo/302': 302, '/oauth/authorize': 400 }
    expect(status).toBe(expected[path] ?? 200)
  })

  it('in the URLs of an inbox and of a planet', async () => {
    const made = await sendTo(host, '/inboxes', { method: 'POST' })
    expect(made.status).toBe(201)
    expect(new URL((await bodyOf(made)).url).host).toBe(host)
    const { email, password } = await createAccount(createClient())
    const credentials = { Authorization: `Basic ${btoa(`${email}:${password}`)}`, 'Content-Type': 'application/json' }
    const planet = await sendTo(host, '/planets', { method: 'POST', headers: credentials, body: '{"name":"Far"}' })
    expect(planet.status).toBe(201)
    expect(new URL(planet.headers.get('Location') ?? '').host).toBe(host)
  })
})

it.each(['a"b', "a'b", 'a,b', 'a;b', 'a&b', '{a}', 'a$&b'])('a Host such as %s is rejected', async (host) => {
  const response = await sendTo(host, '/planets')
  expect([response.status, response.headers.get('Content-Type')]).toEqual([400, 'application/problem+json'])
  expect(await bodyOf(response)).toMatchObject({
    type: 'about:blank',
    detail: expect.stringContaining('Host'),
  })
})

it.each(['localhost:8787', '127.0.0.1', '[::1]:1', 'a-b.example', 'under_score.test'])(
  'a Host such as %s is accepted',
  async (host) => {
    expect((await createClient().send(`http://${host}${BASE_PATH}/planets?limit=1`)).status).toBe(200)
  },
)

describe('the text of Host', () => {
  const client = createClient()
  const readWith = (host: string, path = '/planets/1', method = 'GET') =>
    client.sendRaw(path, { method, headers: { Host: host } })

  /** A 400 that has nothing of the text. */
  async function expectRefusal(response: Response): Promise<void> {
    expect([response.status, response.headers.get('Content-Type')]).toEqual([400, 'application/problem+json'])
    expect(await bodyOf(response)).toMatchObject({ type: 'about:blank', detail: expect.stringContaining('Host') })
  }

  it.each(NO_HOSTS)('%j is 400', async (host) => {
    for (const path of ['/planets/1', '/nowhere', '/echo', '/lab/cases'])
      await expectRefusal(await readWith(host, path))
    await expectRefusal(await readWith(host, '/planets', 'POST'))
  })

  it('is 400 with any character that no host has', async () => {
    await fc.assert(fc.asyncProperty(aTextThatIsNoHost, async (host) => expectRefusal(await readWith(host))))
  })

  it('is 400 for a preflight, and if the operator has set the URL', async () => {
    const headers = { Host: 'a@evil.example', Origin: 'https://a.test', 'Access-Control-Request-Method': 'PUT' }
    await expectRefusal(await client.sendRaw('/planets/1', { method: 'OPTIONS', headers }))
    const withUrl = createClient({ config: { publicUrl: 'https://galaxy.test' } })
    await expectRefusal(await withUrl.sendRaw('/planets/1', { headers: { Host: 'a@evil.example' } }))
  })

  it.each(HOSTS)('%j is accepted', async (host) => {
    expect((await readWith(host, '/planets?limit=1')).status).toBe(200)
  })
})
