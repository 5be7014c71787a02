import { beforeAll, describe, expect, it } from 'vitest'
import { HTML } from '../../../src/http/pages.ts'
import { type Account, type Client, createAccount, createClient, ROUTES } from '../../support/app.ts'
import { fillPath } from '../../support/good-requests.ts'
import { BASE_PATH, BASE_URL } from '../../support/world.ts'

// People and tools add a slash to the address of a page.

const PAGES = ROUTES.filter(
  ({ method, path, responses }) =>
    method === 'get' && path !== '/' && Object.values(responses).some(({ files }) => files?.includes(HTML)),
)
const OTHERS = ROUTES.filter((route) => route.method === 'get' && route.path !== '/' && !PAGES.includes(route))

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

/** The path of a route in the world, as its pages link to it. */
const addressOf = async (route: (typeof ROUTES)[number]) => await fillPath(client, route, account)

async function ask(path: string, method = 'GET'): Promise<[status: number, location: string | null]> {
  const response = await client.send(path, { method, redirect: 'manual', headers: { Accept: 'text/html' } })
  return [response.status, response.headers.get('Location')]
}

describe('a page with a slash at its end', () => {
  it('is tested with all pages', () => {
    const paths = PAGES.map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(['/docs', '/docs/events', '/walk', '/account', '/problems', '/lab']))
    expect(paths).toEqual(
      expect.arrayContaining(['/problems/{code}', '/explore/planets/{planetId}', '/oauth/authorize']),
    )
  })

  it.each(PAGES)('$path redirects to the page, with its query', async (route) => {
    const path = await addressOf(route)
    const target = BASE_PATH + path
    expect(await ask(`${path}/`)).toEqual([308, target])
    expect(await ask(`${path}/`, 'HEAD')).toEqual([308, target])
    expect(await ask(`${path}//`)).toEqual([308, target])
    expect(await ask(`${path}/?a=b%20c&a=/&d`)).toEqual([308, `${target}?a=b%20c&a=/&d`])
    expect((await client.send(`${path}/`, { method: 'POST' })).status).toBe(404)
  })

  it.each(OTHERS)('is nothing else: $path', async (route) => {
    // The host of the echo, and inboxes, take any path.
    expect((await ask(`${await addressOf(route)}/`))[0]).not.toBe(308)
  })

  it.each([
    '//evil.example/',
    '//evil.example//',
    '//evil.example/docs/',
    '//docs/',
    '/%2Fevil.example/',
    '/%2F/evil.example/docs/',
    '/\\evil.example/',
    '/%5Cevil.example/',
    '/docs/%2F/',
    '/docs//walk/',
    '/problems//evil.example/',
    '/nowhere/',
    '//',
    '///',
  ])('leads to no other host: %s', async (path) => {
    const [status, location] = await ask(path)
    expect([status, location]).toEqual([404, null])
  })

  it.each([
    '/problems/%2F%2Fevil.example/',
    '/problems/%5C%5Cevil.example/',
    '/problems/%0D%0AX-Evil:%201/',
    '/%64ocs/',
  ])('keeps what is encoded in its path: %s', async (path) => {
    const [status, location] = await ask(path)
    expect([status, location]).toEqual([308, BASE_PATH + path.slice(0, -1)])
    expect(new URL(location ?? '', BASE_URL).origin).toBe(new URL(BASE_URL).origin)
  })

  it('is found fast, however many slashes it has', async () => {
    const path = `/docs${'/'.repeat(8000)}x/`
    expect((await ask(path))[0]).toBe(404)
  })
})
