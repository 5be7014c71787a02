import { beforeAll, describe, expect, it } from 'vitest'
import {
  type Account,
  authorization,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  ORIGIN,
} from '../../support/app.ts'
import { attackersKey, OWN_KEY, sign } from '../../support/forge.ts'
import { authorizationPath, registerClient } from '../../support/oauth.ts'

// Times in requests are numbers and texts of any kind. None of them may become an invalid date.

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient({ config: { signupsPerHour: 1000 } })
  account = await createAccount(client)
})

const TIMES = ['1e300', '1e999', '-1e300', '-1e999', '8640000000001', '253402300800', '1.5', '-0', '"1"', 'null']
const CLAIMS = ['iat', 'exp', 'nbf', 'auth_time']

/** Tokens of each issuer with this value for one of their times. */
async function makeTokens(time: string, claim: string, typ: string): Promise<string[]> {
  const now = Math.floor(Date.now() / 1000)
  const good = { iss: ORIGIN, aud: ORIGIN, sub: String(account.id), iat: now, exp: now + 600, at_hash: 'x' }
  const claims = { ...good, [claim]: JSON.rawJSON(time) }
  const keys = [await attackersKey(), OWN_KEY].filter((key) => key !== undefined)
  return await Promise.all(keys.map((key) => sign({ header: { alg: 'RS256', typ, kid: key.kid }, claims, key })))
}

describe.each(TIMES)('a time of %s', (time) => {
  it.each(CLAIMS)('as %s of a token causes no server error', async (claim) => {
    for (const typ of ['JWT', 'at+jwt', 'galaxy+jwt']) {
      for (const token of await makeTokens(time, claim, typ)) {
        const response = await client.get('/me', { Authorization: `Bearer ${token}` })
        expect([200, 401, 403]).toContain(response.status)
      }
    }
  })

  it.each(CLAIMS)('as %s of a hint causes no server error', async (claim) => {
    const { id } = await registerClient(client.send)
    for (const hint of await makeTokens(time, claim, 'JWT')) {
      const query = { prompt: 'none', id_token_hint: hint }
      const asked = await client.send(authorizationPath(id, query), { redirect: 'manual' })
      expect(asked.status).toBeLessThan(500)
      const left = await client.get(`/oauth/end-session?${new URLSearchParams({ id_token_hint: hint })}`)
      expect(left.status).toBeLessThan(500)
    }
  })

  it('as max_age causes no server error', async () => {
    const { id } = await registerClient(client.send)
    const response = await client.send(authorizationPath(id, { max_age: time }), { redirect: 'manual' })
    expect(response.status).toBeLessThan(500)
  })
})

it.each([
  'Sat, 31 Dec 2016 23:59:60 GMT',
  'Mon, 99 Foo 9999 99:99:99 GMT',
  'Mon, 01 Jan 99999 00:00:00 GMT',
  'Saturday, 31-Dec-99 23:59:60 GMT',
  'Sat Dec 31 23:59:60 9999',
  '1e300',
  '9999-12-31T23:59:59-23:59',
])('a condition on the time %s causes no server error', async (time) => {
  const { id } = await createPlanet(client, account, { name: 'Timed' })
  for (const name of ['If-Modified-Since', 'If-Unmodified-Since']) {
    expect([200, 304, 412]).toContain((await client.get(`/planets/${id}`, { [name]: time })).status)
    const headers = { [name]: time, 'Content-Type': 'application/json', ...authorization(account) }
    const put = await client.send(`/planets/${id}`, { method: 'PUT', body: '{"name":"Timed"}', headers })
    expect([200, 412]).toContain(put.status)
  }
})
