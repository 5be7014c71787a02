import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { openD1 } from '../../../../../src/db/port.ts'
import { bodyOf, type Client, createAccount } from '../../../../support/app.ts'
import { meterDatabase } from '../../../../support/metered-database.ts'
import { allow } from '../../../../support/oauth.ts'
import { bearer, createProvider } from '../support.ts'

// How many clients without an owner can exist at a time, and which are removed.

const PER_NETWORK_MAX = 100
const TOTAL_MAX = 10_000
const DAY_MS = 24 * 60 * 60 * 1000

let provider: Client

beforeEach(async () => {
  provider = createProvider()
  await env.DB.prepare("delete from clients where id <> 'galaxy-reference'").run()
})

async function register(address: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await provider.send('/oauth/register', {
    method: 'POST',
    body: '{"redirect_uris":["http://127.0.0.1/callback"]}',
    headers: { 'Content-Type': 'application/json', 'CF-Connecting-IP': address, ...headers },
  })
  expect(response.status).toBe(201)
  return (await bodyOf(response)).client_id
}

/** Stores clients of a network that were registered yesterday, one after the other. */
async function fill(network: string | null, clients: number, { isUsed = false } = {}): Promise<void> {
  await env.DB.prepare(
    `insert into clients (id, metadata, created_at, last_used_at, network)
    select ifnull(?1, 'none') || '-' || value, '{}', ?2 + value, ?2 + value + ?3, ?1 from json_each(?4)`,
  )
    .bind(network, Date.now() - DAY_MS, isUsed ? 1 : 0, JSON.stringify([...Array(clients).keys()]))
    .run()
}

const exists = async (id: string) =>
  (await env.DB.prepare('select 1 from clients where id = ?').bind(id).first()) !== null

const countClients = () =>
  env.DB.prepare("select count(*) as n from clients where id <> 'galaxy-reference'").first<number>('n')

const countKept = () => env.DB.prepare('select count as n from stranger_counts').first<number>('n')

describe('the clients without an owner of one network', () => {
  it('are limited to a hundred; one more removes the oldest unused one', async () => {
    await fill('192.0.2.0/24', PER_NETWORK_MAX - 1)
    await register('192.0.2.7')
    expect([await countClients(), await exists('192.0.2.0/24-0')]).toEqual([PER_NETWORK_MAX, true])
    await register('192.0.2.8')
    expect([await countClients(), await exists('192.0.2.0/24-0')]).toEqual([PER_NETWORK_MAX, false])
  })

  it('keep one that a user has allowed something, even if it is the oldest', async () => {
    const clientId = await register('192.0.2.7')
    await env.DB.prepare('update clients set created_at = ?1, last_used_at = ?1 where id = ?2')
      .bind(Date.now() - 2 * DAY_MS, clientId)
      .run()
    await allow(provider.send, await createAccount(provider), clientId)
    await env.DB.prepare('update clients set last_used_at = created_at + 1 where id = ?').bind(clientId).run()
    await fill('192.0.2.0/24', PER_NETWORK_MAX - 1)
    await register('192.0.2.8')
    expect([await exists(clientId), await exists('192.0.2.0/24-0')]).toEqual([true, false])
  })

  it('lose the least recently used if all were used', async () => {
    await fill('2001:db8:1::/48', PER_NETWORK_MAX, { isUsed: true })
    await register('2001:db8:1:ffff::1')
    expect(await countClients()).toBe(PER_NETWORK_MAX)
    expect(await exists('2001:db8:1::/48-0')).toBe(false)
  })

  it('do not remove those of another network, of a user, or of the service', async () => {
    const { token } = await createAccount(provider)
    const owned = await register('192.0.2.1', bearer(token))
    await fill('192.0.2.0/24', PER_NETWORK_MAX)
    await fill('192.0.3.0/24', PER_NETWORK_MAX)
    await register('192.0.2.2')
    expect(await exists('192.0.3.0/24-0')).toBe(true)
    expect([await exists(owned), await exists('galaxy-reference')]).toEqual([true, true])
    expect(await countClients()).toBe(2 * PER_NETWORK_MAX + 1)
  })

  it('are stored with the network, not with the address; those of users with neither', async () => {
    const { token } = await createAccount(provider)
    const [free, owned] = [await register('192.0.2.77'), await register('192.0.2.77', bearer(token))]
    const { results } = await env.DB.prepare('select id, network from clients where id in (?, ?)')
      .bind(free, owned)
      .all()
    expect(results).toEqual(
      expect.arrayContaining([
        { id: free, network: '192.0.2.0/24' },
        { id: owned, network: null },
      ]),
    )
  })
})

describe('all clients without an owner', () => {
  it('are limited to 10,000; one more removes the oldest unused one', async () => {
    await fill(null, 10, { isUsed: true })
    await fill('10.0.0.0/24', TOTAL_MAX - 11)
    await register('192.0.2.1')
    expect([await countKept(), await exists('10.0.0.0/24-0')]).toEqual([TOTAL_MAX, true])
    await register('192.0.2.2')
    expect([await countKept(), await exists('10.0.0.0/24-0')]).toEqual([TOTAL_MAX, false])
    expect([await countClients(), await exists('none-0')]).toEqual([TOTAL_MAX, true])
  })

  it('lose the least recently used if all were used', async () => {
    await fill('10.0.0.0/24', TOTAL_MAX, { isUsed: true })
    const newest = await register('192.0.2.1')
    expect([await countClients(), await exists('10.0.0.0/24-0'), await exists(newest)]).toEqual([
      TOTAL_MAX,
      false,
      true,
    ])
    expect(await exists('galaxy-reference')).toBe(true)
  })

  it.each([
    ['far from', 1_000],
    ['at', TOTAL_MAX - PER_NETWORK_MAX],
  ])('cost a registration one write, and few rows, %s the limit', async (_, clients) => {
    await fill('10.0.0.0/24', clients)
    await fill('192.0.2.0/24', PER_NETWORK_MAX)
    const { database, meter } = meterDatabase(openD1(env.DB))
    provider = createProvider({ database })
    await register('192.0.2.7')
    // The attempt, and the client.
    expect(meter.roundTrips).toBe(2)
    expect(meter.rowsRead).toBeLessThan(500)
  })

  it('are counted correctly whenever one is added or removed', async () => {
    const before = (await countKept()) ?? 0
    const { token } = await createAccount(provider)
    await register('192.0.2.1', bearer(token))
    const id = await register('192.0.2.1')
    expect(await countKept()).toBe(before + 1)
    await env.DB.prepare('delete from clients where id = ?').bind(id).run()
    expect(await countKept()).toBe(before)
  })
})
