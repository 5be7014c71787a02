import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { bodyOf } from '../../../support/app.ts'
import { ask, countRows, createStage, HOUR_MS, MINUTE_MS, pass, type Stage, sendRaw } from './support.ts'

// How many inboxes can exist at a time, and which are removed.

const PER_NETWORK_MAX = 50
const TOTAL_MAX = 500

let stage: Stage
/** The work that continued after the responses. */
let deferred: Promise<unknown>[]

beforeEach(async () => {
  deferred = []
  stage = await createStage({ defer: (work) => void deferred.push(work) })
})

/** Creates an inbox from an address, by a request. */
async function make(address: string): Promise<{ id: string; url: string }> {
  const response = await stage.client.send('/inboxes', { method: 'POST', headers: { 'CF-Connecting-IP': address } })
  expect(response.status).toBe(201)
  return await bodyOf(response)
}

/** Stores inboxes of a network with a given time since their last use, the first of them the longest. */
async function fill(network: string, inboxes: number, lastUsedMs = HOUR_MS): Promise<void> {
  const { ms } = stage.clock
  await env.DB.prepare(
    `insert into inboxes (id, status, body, created_at, expires_at, network, last_used_at)
    select ?1 || '-' || value, 200, '', ?2, ?3, ?1, ?4 + value from json_each(?5)`,
  )
    .bind(network, ms, ms + 24 * HOUR_MS, ms - lastUsedMs, JSON.stringify([...Array(inboxes).keys()]))
    .run()
}

const exists = async (id: string) =>
  (await env.DB.prepare('select 1 from inboxes where id = ?').bind(id).first()) !== null

describe('the inboxes of one network', () => {
  it('are limited to fifty; one more removes the least recently used', async () => {
    await fill('192.0.2.0/24', PER_NETWORK_MAX - 1)
    await make('192.0.2.7')
    expect([await countRows('inboxes'), await exists('192.0.2.0/24-0')]).toEqual([PER_NETWORK_MAX, true])
    await make('192.0.2.8')
    expect([await countRows('inboxes'), await exists('192.0.2.0/24-0')]).toEqual([PER_NETWORK_MAX, false])
    expect(await exists('192.0.2.0/24-1')).toBe(true)
  })

  it.each([
    ['192.0.2.255', '192.0.2.0/24'],
    ['2001:db8:1:2::9', '2001:db8:1::/48'],
    ['::ffff:192.0.2.1', '192.0.2.0/24'],
  ])('from %s count with those of %s', async (address, network) => {
    await fill(network, PER_NETWORK_MAX)
    await make(address)
    expect([await countRows('inboxes'), await exists(`${network}-0`)]).toEqual([PER_NETWORK_MAX, false])
  })

  it('do not remove those of another network', async () => {
    await fill('192.0.2.0/24', PER_NETWORK_MAX)
    await fill('2001:db8:1::/48', PER_NETWORK_MAX)
    await make('192.0.3.1')
    await make('2001:db8:2::1')
    expect(await countRows('inboxes')).toBe(2 * PER_NETWORK_MAX + 2)
  })

  it('are stored with the network, not with the address', async () => {
    await make('192.0.2.77')
    const rows = await env.DB.prepare('select * from inboxes').all()
    expect(JSON.stringify(rows.results)).toContain('192.0.2.0/24')
    expect(JSON.stringify(rows.results)).not.toContain('192.0.2.77')
  })

  it.each<[string, (inbox: { id: string; url: string }) => Promise<Response>]>([
    ['called', ({ url }) => sendRaw(stage, url, { method: 'POST' })],
    ['read', ({ id }) => stage.client.get(`/inboxes/${id}`)],
    ['changed', ({ id }) => stage.client.sendJson('PUT', `/inboxes/${id}`, { status: 204 })],
  ])('are kept if they were just %s', async (_, use) => {
    const inbox = await make('192.0.2.7')
    await pass(stage, 2 * HOUR_MS)
    await fill('192.0.2.0/24', PER_NETWORK_MAX - 1)
    expect((await use(inbox)).status).toBe(200)
    await Promise.all(deferred)
    await make('192.0.2.8')
    expect([await exists(inbox.id), await exists('192.0.2.0/24-0')]).toEqual([true, false])
  })

  it('lose their requests when they are removed', async () => {
    const { url } = await make('192.0.2.7')
    await sendRaw(stage, url, { method: 'POST' })
    await fill('192.0.2.0/24', PER_NETWORK_MAX, -MINUTE_MS)
    await make('192.0.2.8')
    expect(await countRows('inbox_requests')).toBe(0)
  })
})

describe('all inboxes', () => {
  it('are limited to 500; one more removes one of the network that has most', async () => {
    await fill('10.0.0.0/24', 2, 9 * HOUR_MS)
    await fill('10.0.1.0/24', 40)
    for (let count = 0; count < 15; count++) await fill(`10.1.${count}.0/24`, 30)
    await fill('10.2.0.0/24', TOTAL_MAX - 493)
    await make('192.0.2.1')
    expect([await countRows('inboxes'), await exists('10.0.1.0/24-0')]).toEqual([TOTAL_MAX, true])
    await make('192.0.2.2')
    expect([await countRows('inboxes'), await exists('10.0.1.0/24-0')]).toEqual([TOTAL_MAX, false])
    // Although nobody has used these for longer.
    expect(await exists('10.0.0.0/24-0')).toBe(true)
  })

  it('are limited to 500 even if many are created at the same moment', async () => {
    await fill('10.0.0.0/24', TOTAL_MAX - 2)
    await Promise.all(Array.from({ length: 6 }, (_, index) => make(`192.0.${index}.1`)))
    expect(await countRows('inboxes')).toBe(TOTAL_MAX)
  })
})

it('the use of an inbox is recorded once a minute', async () => {
  const { id, url } = await make('192.0.2.7')
  const usedAt = async () => {
    await Promise.all(deferred)
    return await env.DB.prepare('select last_used_at from inboxes where id = ?').bind(id).first('last_used_at')
  }
  const made = stage.clock.ms
  await pass(stage, MINUTE_MS - 1)
  await sendRaw(stage, url)
  await ask(stage, 'GET', `/inboxes/${id}`)
  expect([await usedAt(), deferred]).toEqual([made, []])
  await pass(stage, 1)
  await ask(stage, 'GET', `/inboxes/${id}`)
  expect(await usedAt()).toBe(made + MINUTE_MS)
  await pass(stage, MINUTE_MS)
  await sendRaw(stage, url)
  expect(await usedAt()).toBe(made + 2 * MINUTE_MS)
})
