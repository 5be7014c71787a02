import { env } from 'cloudflare:workers'
import { beforeAll, expect, it } from 'vitest'
import { openD1, openSession } from '../../../src/db/port.ts'
import { listPlanets } from '../../../src/stores/planets.ts'

// Enough planets for several of the widest spans, with gaps of every kind.
const PLANETS = 70_000
const OFFSETS = 60

let ids: number[] = []

beforeAll(async () => {
  await env.DB.batch([
    env.DB.prepare("insert into users (id, name, created_at) values (1, 'Many', 0)"),
    env.DB.prepare(`
      with recursive n(id) as (values (1) union all select id + 1 from n where id < ${PLANETS})
      insert into planets (id, creator_id, last_updated, properties, lists_satellites)
      select id, 1, 0, '{"name":"One of many"}', 0 from n`),
  ])
  ids = Array.from({ length: PLANETS }, (_, index) => index + 1)
}, 60_000)

/** Deletes planets and records it. */
async function remove(condition: string, isRemoved: (id: number) => boolean): Promise<void> {
  await env.DB.prepare(`delete from planets where ${condition}`).run()
  ids = ids.filter((id) => !isRemoved(id))
}

async function expectRightPages(): Promise<void> {
  const { db } = openSession({ database: openD1(env.DB), hub: undefined }, 'first-primary')
  const edges = [0, 1, ids.length - 1, ids.length, ids.length + 1, Number.MAX_SAFE_INTEGER]
  const others = Array.from({ length: OFFSETS }, (_, index) => Math.floor((index * ids.length) / OFFSETS))
  for (const offset of [...edges, ...others].filter((offset) => offset >= 0)) {
    const { rows, total } = await listPlanets(db, { limit: 2, offset })
    expect({ offset, total, ids: rows.map(({ id }) => id) }).toEqual({
      offset,
      total: ids.length,
      ids: ids.slice(offset, offset + 2),
    })
  }
}

it('any page is found among 70,000 planets', expectRightPages, 60_000)

it('and when every third is gone', async () => {
  await remove('id % 3 = 0', (id) => id % 3 === 0)
  await expectRightPages()
}, 60_000)

it('and when a hole lies across the widest spans', async () => {
  await remove('id between 20000 and 66000', (id) => id >= 20_000 && id <= 66_000)
  await expectRightPages()
}, 60_000)

it('and when the first and the last are gone', async () => {
  await remove('id < 5000 or id > 69000', (id) => id < 5000 || id > 69_000)
  await expectRightPages()
}, 60_000)

it('and when all are gone', async () => {
  await remove('true', () => true)
  await expectRightPages()
}, 60_000)

it('and when the ids of a range were never used', async () => {
  ids = [3, 4, 900_000_000, 900_000_001, 999_999_999]
  await env.DB.batch(
    ids.map((id) =>
      env.DB.prepare(
        `insert into planets (id, creator_id, last_updated, properties, lists_satellites) values (?, 1, 0, '{"name":"Far"}', 0)`,
      ).bind(id),
    ),
  )
  await expectRightPages()
}, 60_000)
