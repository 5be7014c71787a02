import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from '../../src/app.ts'
import type { Route } from '../../src/http/route.ts'
import { type Account, bodyOf, type Client, createAccount, createClient, createPlanet } from '../support/app.ts'
import { FORGERIES, makeToken } from '../support/forge.ts'
import { makePicture } from '../support/pictures.ts'

// What holds for every route that asks for credentials. A new route is in here as soon as it is in ROUTES.

const SECURED = ROUTES.filter(({ security }) => security.length > 0)
const PUBLIC = ROUTES.filter(({ security }) => security.length === 0)

let client: Client
let account: Account
let planetId: number

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
  planetId = (await createPlanet(client, account, { name: 'Guarded' })).id
})

/** A request to a route that would succeed with a good credential. */
function call(route: Route, authorization: string | undefined): Promise<Response> {
  const path = route.path.replace('{planetId}', String(planetId))
  const headers = { ...(authorization !== undefined && { Authorization: authorization }) }
  if (route.method === 'get' || route.method === 'delete') return client.send(path, { method: route.method, headers })
  const body = JSON.stringify({ name: 'Changed', email: 'a@galaxy.test', password: 'secret1' })
  return client.send(path, { method: route.method, body, headers: { ...headers, 'Content-Type': 'application/json' } })
}

async function countRows(): Promise<unknown> {
  const row = await env.DB.prepare(
    'select (select count(*) from planets) as planets, (select sum(version) from planets) as versions, (select count(*) from images) as images',
  ).first()
  return row
}

describe.each(SECURED)('$method $path', (route) => {
  it('refuses a request without credentials, and says which it takes', async () => {
    const before = await countRows()
    const response = await call(route, undefined)
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toBe('Bearer realm="Galaxy"')
    expect(await bodyOf(response)).toMatchObject({
      status: 401,
      type: expect.stringMatching(/\/problems\/unauthorized$/),
    })
    expect(await countRows()).toEqual(before)
  })

  it.each(['Basic dXNlcjpwYXNz', 'Digest x', 'Token x', ''])(
    'refuses credentials of a scheme that it does not take: %s',
    async (sent) => {
      expect((await call(route, sent)).status).toBe(401)
    },
  )

  it.each(FORGERIES)('refuses a token that $fault', async ({ make }) => {
    const before = await countRows()
    const response = await call(route, `Bearer ${await make(account)}`)
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toMatch(
      /^Bearer realm="Galaxy", error="invalid_token", error_description="/,
    )
    expect(await countRows()).toEqual(before)
  })

  it('refuses the token of a suspended account with 403, at once', async () => {
    const suspended = await createAccount(client)
    await env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(suspended.id).run()
    const response = await call(route, `Bearer ${suspended.token}`)
    expect(response.status).toBe(403)
    expect((await bodyOf(response)).type).toMatch(/\/problems\/account-suspended$/)
  })

  it('refuses the tokens of before a new password, at once', async () => {
    const changed = await createAccount(client)
    await env.DB.prepare('update users set password_generation = 1 where id = ?').bind(changed.id).run()
    expect((await call(route, `Bearer ${changed.token}`)).status).toBe(401)
  })

  it('does its work for the same token that the forgeries were made from', async () => {
    const { id } = await createPlanet(client, account, { name: 'Own' })
    const token = await makeToken(account)
    const path = route.path.replace('{planetId}', String(id))
    const response = path.endsWith('/image')
      ? await client.upload(path, makePicture(), { ...account, token })
      : await client.send(path, {
          method: route.method,
          headers: { Authorization: `bearer ${token}`, 'Content-Type': 'application/json' },
          ...(['post', 'put'].includes(route.method) && { body: '{"name":"Changed"}' }),
        })
    expect(Object.keys(route.responses)).toContain(String(response.status))
    expect(response.ok).toBe(true)
  })
})

describe.each(SECURED.filter(({ path }) => path.includes('{planetId}')))('$method $path', (route) => {
  it('refuses a caller who did not create the planet', async () => {
    const { id } = await createPlanet(client, account, { name: 'Theirs' })
    const stranger = await createAccount(client)
    const path = route.path.replace('{planetId}', String(id))
    const response = path.endsWith('/image')
      ? await client.upload(path, makePicture(), stranger)
      : await client.sendJson(route.method.toUpperCase(), path, { name: 'Mine' }, stranger)
    expect(response.status).toBe(403)
    expect((await bodyOf(await client.get(`/planets/${id}`))).name).toBe('Theirs')
  })
})

describe.each(PUBLIC)('$method $path', (route) => {
  it(`${route.refusesBadCredentials ? 'refuses' : 'ignores'} a credential that is wrong`, async () => {
    const response = await call(route, 'Bearer forged')
    const refused = response.status === 401 && response.headers.get('WWW-Authenticate')?.includes('invalid_token')
    expect(Boolean(refused)).toBe(Boolean(route.refusesBadCredentials))
  })
})

it('covers every route that can change something but sign-up and sign-in', () => {
  const unsafePublic = PUBLIC.filter(({ method }) => method !== 'get').map(({ path }) => path)
  expect(unsafePublic.sort()).toEqual(['/auth/token', '/user/signup'])
})
