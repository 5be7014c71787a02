import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, authorization, type Client, createAccount, createClient, ROUTES } from '../../support/app.ts'
import { makeGoodRequest, sendGood } from '../../support/good-requests.ts'

// Server-Timing, and where it would tell too much.

const TIMING = /^db;dur=\d+;desc="round trips: \d+", total;dur=\d+$/

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient({ config: { passwordAttempts: 1000, signupsPerHour: 1000 } })
  account = await createAccount(client)
})

const timingOf = ({ headers }: Response) => headers.get('Server-Timing')

describe('Server-Timing', () => {
  it('says how often and how long a request waited for the database, and how long it took', async () => {
    const response = await client.get('/planets')
    expect(timingOf(response)).toMatch(TIMING)
    expect(timingOf(response)).toContain('desc="round trips: 1"')
    expect(timingOf(response)).toContain(`total;dur=${response.headers.get('X-Processing-Time')}`)
  })

  it('is on responses to an accepted credential, and on public reads that fail', async () => {
    expect(timingOf(await client.get('/me', authorization(account)))).toMatch(TIMING)
    expect(timingOf(await client.sendJson('POST', '/planets', { name: 'Timed' }, account))).toMatch(TIMING)
    expect(timingOf(await client.get('/planets/999999999'))).toMatch(TIMING)
    expect(timingOf(await client.get('/planets?limit=0'))).toMatch(TIMING)
  })

  it('can be read by pages of other origins', async () => {
    const { headers } = await client.get('/planets', { Origin: 'https://page.example' })
    expect(headers.get('Access-Control-Expose-Headers')).toContain('Server-Timing')
  })

  it('is on no response to a password, right or wrong', async () => {
    const { email, password } = account
    const basicOf = (secret: string) => ({ Authorization: `Basic ${btoa(`${email}:${secret}`)}` })
    const responses = [
      await client.get('/me', basicOf(password)),
      await client.get('/me', basicOf('wrong horse')),
      // A public read ignores the password, but a client cannot know that.
      await client.get('/planets', basicOf(password)),
      await client.sendJson('POST', '/auth/token', { email, password }),
      await client.sendJson('POST', '/auth/token', { email, password: 'wrong horse' }),
      await client.sendJson('POST', '/auth/token', { email: 'nobody@galaxy.test', password }),
      await client.sendJson('POST', '/user/signup', { email, password }),
    ]
    expect(responses.map(timingOf)).toEqual(responses.map(() => null))
  })

  it('is on no response to a password beside an accepted key', async () => {
    const key = await (await client.sendJson('POST', '/me/api-keys', {}, account)).json<{ key: string }>()
    const headers = { 'X-API-Key': key.key, Authorization: `basic ${btoa(`${account.email}:wrong horse`)}` }
    const response = await client.get('/me', headers)
    expect([response.status, timingOf(response)]).toEqual([200, null])
  })

  it('is on no response to a refused credential', async () => {
    for (const value of ['Bearer forged', 'Digest a=b']) {
      const response = await client.get('/me', { Authorization: value })
      expect([response.status, timingOf(response)]).toEqual([401, null])
    }
  })

  const oauth = ROUTES.filter(({ errorStyle, security }) => errorStyle !== undefined && security.length === 0)

  it.each(oauth.filter(({ method }) => method !== 'get'))('is not on $method $path', async (route) => {
    const response = await sendGood(client, await makeGoodRequest(client, route, account))
    expect(timingOf(response)).toBeNull()
  })
})
