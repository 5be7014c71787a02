import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readDeliveriesArguments } from '../../scripts/lib/deliveries-arguments.ts'
import { DiskWorld } from './disk-world.ts'

// `npm run deliveries`, with a stand-in for wrangler. Its statements are tested by
// test/worker/features/callbacks/replay.test.ts.

const NOW = Date.now()
const DAY_MS = 86_400_000

let world: DiskWorld

beforeEach(async () => {
  world = await DiskWorld.create()
  world.change((database) =>
    database.exec(`
      insert into users (id, email, email_key, created_at, suspended_at) values
        (2, 'Chani@example.com', 'chani@example.com', 1, null), (3, null, null, 1, 1);
      insert into events (id, type, body, created_at)
        with recursive numbers(id) as (select 1 union all select id + 1 from numbers where id < 1300)
        select id, 'planetCreated', '{}', 1 from numbers;
      insert into webhooks (id, user_id, url, events, status, origin, secret, created_at, active_since, canonical_url, host) values
        (1, 2, 'https://new.test/hook', '[]', 'active', 'https://galaxy.test', 's', 1, 1, 'https://new.test/hook', 'new.test'),
        (2, 2, 'https://hook.test', '[]', 'paused', 'https://galaxy.test', 's', 1, 1, 'https://hook.test/', 'hook.test');
      insert into refused_callbacks (planet_id, url) values (7, 'https://hook.test/refused')`),
  )
})

afterEach(() => world.remove())

interface Stored {
  id: number
  status?: string
  userId?: number
  webhookId?: number | null
  planetId?: number
  url?: string
  host?: string
  endedAt?: number | null
}

function store(...rows: Stored[]): void {
  world.change((database) => {
    const insertion = database.prepare(
      `insert into deliveries (id, event_id, event, planet_id, message_id, user_id, webhook_id, url, origin, status, created_at, retries, ended_at, host)
       values (?, ?, 'planetCreated', ?, ?, ?, ?, ?, 'https://galaxy.test', ?, 1, 9, ?, ?)`,
    )
    database.exec('begin')
    for (const row of rows) {
      const { id, status = 'failed', userId = 2, webhookId = null, planetId = 1, endedAt = NOW - DAY_MS } = row
      const { url = 'https://hook.test/secret-path', host = 'hook.test' } = row
      insertion.run(id, id, planetId, `m${id}`, userId, webhookId, url, status, endedAt, host)
    }
    database.exec('commit')
  })
}

const idsOf = (status: string) =>
  world.query(`select id from deliveries where status = '${status}' order by id`).map(({ id }) => id)

/** A delivery of each kind. */
const KINDS: Stored[] = [
  { id: 1 },
  { id: 2, webhookId: 1, url: 'https://old.test', host: 'old.test' },
  { id: 3, webhookId: 2 },
  { id: 4, webhookId: 99 },
  { id: 5, userId: 3 },
  { id: 6, planetId: 7, url: 'https://hook.test/refused' },
  { id: 7, status: 'delivered' },
  { id: 8, status: 'pending', endedAt: null },
  { id: 9, status: 'cancelled' },
]

describe('replay', () => {
  it('makes failed deliveries due, and leaves out and counts those that may not be sent again', async () => {
    store(...KINDS)
    const { code, output } = await world.run('deliveries', 'replay', '--yes')
    expect(code).toBe(0)
    expect(output).toBe(
      '6 deliveries have failed, and 2 of them can be sent again. The others are left out: 1 of suspended or deleted accounts, 1 whose receiver wants no more callbacks about the planet, 2 of subscriptions that are deleted or not active.\n2 deliveries are due. The service sends them, beginning within a minute.\n',
    )
    expect(idsOf('pending')).toEqual([1, 2, 8])
    const [own, subscribed] = world.query('select * from deliveries where id in (1, 2) order by id')
    expect(own).toMatchObject({ url: 'https://hook.test/secret-path', host: 'hook.test', retries: 0, ended_at: null })
    expect(own?.next_attempt_at).toBeGreaterThanOrEqual(NOW)
    // As for a redelivery by its user: it goes where the subscription is now.
    expect(subscribed).toMatchObject({ url: 'https://new.test/hook', host: 'new.test', message_id: 'm2' })
  })

  it('works in batches, oldest first, up to a limit', async () => {
    store(...Array.from({ length: 1_300 }, (_, index) => ({ id: index + 1, endedAt: NOW - DAY_MS - index })))
    const { output } = await world.run('deliveries', 'replay', '--yes', '--limit', '1200')
    expect(output).toContain('1,200 deliveries are due.')
    expect(idsOf('failed')).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
    expect((await world.calls()).filter((call) => call.includes('update'))).toHaveLength(3)
  })

  it('sends none twice that fails again meanwhile', async () => {
    store({ id: 1, endedAt: NOW + DAY_MS })
    expect((await world.run('deliveries', 'replay', '--yes')).output).toContain('Nothing is sent again.')
    expect(idsOf('failed')).toEqual([1])
  })
})

it('list shows the newest with their error, without the rest of their URLs, and changes nothing', async () => {
  store(...KINDS)
  world.change((database) =>
    database.exec(`insert into attempts (id, delivery_id, started_at, duration_ms, error) values
      (1, 1, 1, 1, 'timeout'), (2, 1, 2, 1, 'the response was 500')`),
  )
  const before = world.read().rows
  const { code, output } = await world.run('deliveries', 'list', '--host', 'hook.test', '--limit', '5')
  expect(code).toBe(0)
  const lines = output.trimEnd().split('\n')
  expect(lines).toHaveLength(6)
  const time = new Date(NOW - DAY_MS).toISOString()
  expect(lines.at(-2)).toBe(`1  ${time}  planetCreated  user 2  hook.test  the response was 500`)
  expect(lines.at(-1)).toContain('5 deliveries have failed, and 1 of them can be sent again.')
  expect(output).not.toContain('secret-path')
  expect(world.read().rows).toEqual(before)
})

describe('arguments', () => {
  const read = (...args: string[]) => readDeliveriesArguments(args, true, new Date(NOW))

  it('choose deliveries', () => {
    const since = '2026-11-23T08:00:00+01:00'
    const { filter, limit } = read('list', '--host', 'A.hook.test', '--user', '7', '--since', since, '--limit', '5')
    expect({ filter, limit }).toEqual({
      filter: {
        status: 'failed',
        // A name counts as its registrable domain.
        host: 'hook.test',
        user: '7',
        since: new Date('2026-11-23T07:00:00Z'),
        until: new Date(NOW),
      },
      limit: 5,
    })
  })

  it('are refused if one is missing or not valid', () => {
    expect(() => read()).toThrow('list or replay')
    expect(() => read('send')).toThrow('list or replay')
    expect(() => read('replay', '5')).toThrow('list or replay')
    expect(() => read('replay', '--status', 'delivered')).toThrow('--status')
    for (const time of ['yesterday', '2026-11-23']) expect(() => read('replay', '--since', time)).toThrow('--since')
    for (const limit of ['0', '-1', '1.5']) expect(() => read('replay', `--limit=${limit}`)).toThrow('--limit')
    for (const host of ['', 'https://hook.test', 'a/b', 'hook.test:8080', 'hook.test:443', '[2001:db8::1]:80'])
      expect(() => read('replay', '--host', host)).toThrow('--host')
    expect(() => read('replay', '--remote')).toThrow('--env')
  })

  it('must confirm a replay if nobody can be asked', async () => {
    expect(() => readDeliveriesArguments(['replay'], false, new Date())).toThrow('--yes is required')
    expect(readDeliveriesArguments(['list'], false, new Date()).filter.status).toBe('failed')
    const outcome = await world.run('deliveries', 'replay')
    expect(outcome).toMatchObject({ code: 2, output: expect.stringContaining('Usage: npm run deliveries') })
  })
})
