import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import { storeClient } from '../../../../support/credentials.ts'
import { bearer, createProvider, expectError, sendFrom } from '../support.ts'

const WEB = { redirect_uris: ['https://client.test/callback'] }

let account: Account

beforeAll(async () => {
  account = await createAccount(createProvider())
})

/** A user who owns some clients already. */
async function createOwner(provider: Client, clients: number): Promise<{ headers: { Authorization: string } }> {
  const { id, token } = await createAccount(provider)
  await Promise.all(Array.from({ length: clients }, () => storeClient(provider, id)))
  return { headers: bearer(token) }
}

describe('the limit', () => {
  const register = (send: Client['send'], headers: Record<string, string> = {}) =>
    send('/oauth/register', {
      method: 'POST',
      body: JSON.stringify(WEB),
      headers: { 'Content-Type': 'application/json', ...headers },
    })

  it('of an address allows its number of registrations, and no more', async () => {
    const limited = createProvider({ config: { signupsPerHour: 3 } })
    const send = sendFrom(limited)
    for (const left of ['2', '1', '0']) {
      const response = await register(send)
      expect([response.status, response.headers.get('X-RateLimit-Remaining')]).toEqual([201, left])
      expect(response.headers.get('X-RateLimit-Limit')).toBe('3')
    }
    const refused = await register(send)
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(3500)
    await expectError(refused, 429, 'temporarily_unavailable')
    expect((await register(sendFrom(limited))).status).toBe(201)
  })

  it('of an address does not count rejected registrations, nor those of users', async () => {
    const limited = createProvider({ config: { signupsPerHour: 1 } })
    const send = sendFrom(limited)
    const refused = await send('/oauth/register', {
      method: 'POST',
      body: '{}',
      headers: { 'Content-Type': 'application/json' },
    })
    expect(refused.status).toBe(400)
    const headers = { Authorization: `Bearer ${account.token}` }
    for (let i = 0; i < 3; i++) expect((await register(send, headers)).status).toBe(201)
    expect((await register(send)).status).toBe(201)
    expect((await register(send)).status).toBe(429)
    expect((await register(send, headers)).status).toBe(201)
  })

  it('of a user is a hundred clients, also at the same moment', async () => {
    const provider = createProvider()
    const { headers } = await createOwner(provider, 98)
    const last = await Promise.all(Array.from({ length: 4 }, () => register(provider.send, headers)))
    expect(last.map(({ status }) => status).sort()).toEqual([201, 201, 400, 400])
  })

  it('of a user allows one more client after one was deleted', async () => {
    const provider = createProvider()
    const { headers } = await createOwner(provider, 99)
    const hundredth = await register(provider.send, headers)
    expect(hundredth.status).toBe(201)
    const { client_id } = await bodyOf(hundredth)
    await expectError(await register(provider.send, headers), 400, 'invalid_client_metadata')
    expect((await bodyOf(await provider.get('/me/clients', headers))).meta.total).toBe(100)
    const other = await createOwner(provider, 0)
    expect((await register(provider.send, other.headers)).status).toBe(201)
    expect((await provider.send(`/me/clients/${client_id}`, { method: 'DELETE', headers })).status).toBe(204)
    expect((await register(provider.send, headers)).status).toBe(201)
    await expectError(await register(provider.send, headers), 400, 'invalid_client_metadata')
  })

  it('of an address ends after an hour', async () => {
    const address = crypto.randomUUID()
    const at = (minutes: number) =>
      sendFrom(
        createProvider({ config: { signupsPerHour: 1 }, now: () => new Date(start + minutes * 60_000) }),
        address,
      )
    const start = Date.now()
    const statuses = []
    for (const minutes of [0, 59, 60]) statuses.push((await register(at(minutes))).status)
    expect(statuses).toEqual([201, 429, 201])
  })
})
