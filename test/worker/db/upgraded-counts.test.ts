import { env } from 'cloudflare:workers'
import { describe, expect, inject, it } from 'vitest'

/** The statements of a migration that match. */
function statementsOf(migration: string, pattern: RegExp): D1PreparedStatement[] {
  const found = inject('database').migrations.find(({ name }) => name.startsWith(migration))
  const queries = found?.queries.filter((query) => pattern.test(query)) ?? []
  if (queries.length === 0) throw new Error(`migration ${migration} has no such statement`)
  return queries.map((query) => env.DB.prepare(query))
}

const insertUser = env.DB.prepare("insert or ignore into users (id, name, created_at) values (1, 'Many', 0)")

describe('a database of an older version gets the counts that triggers would have written', () => {
  it('of satellites', async () => {
    const rows = env.DB.prepare('select span, bucket, bodies, present from body_counts order by span, bucket')
    const insert = env.DB.prepare(
      "insert into bodies (position, creator_id, last_updated, properties, lists_satellites) values (0, 1, 0, '{}', 0)",
    )
    await env.DB.batch([
      insertUser,
      ...Array.from({ length: 150 }, () => insert),
      // Whole spans without any id, one of them the last.
      env.DB.prepare('delete from bodies where id between 1000000010 and 1000000040 or id > 1000000130'),
    ])
    const { results: kept } = await rows.all()
    await env.DB.batch([
      env.DB.prepare('delete from body_counts'),
      ...statementsOf('0007', /^INSERT INTO `body_counts`.*\s+WITH RECURSIVE/m),
      ...statementsOf('0018', /^(DELETE FROM|UPDATE) `body_counts`/m),
    ])
    expect((await rows.all()).results).toEqual(kept)
  })

  it('of planets', async () => {
    const rows = env.DB.prepare('select span, bucket, planets, present from planet_counts order by span, bucket')
    const insert = env.DB.prepare(
      "insert into planets (creator_id, last_updated, properties, lists_satellites) values (1, 0, '{}', 0)",
    )
    await env.DB.batch([
      insertUser,
      ...Array.from({ length: 150 }, () => insert),
      env.DB.prepare('delete from planets where id between 10 and 40 or id > 130 or id = 63'),
    ])
    const { results: kept } = await rows.all()
    await env.DB.batch([
      env.DB.prepare('update planet_counts set present = 0'),
      env.DB.prepare('insert into planet_counts (span, bucket, planets) values (8, 0, 7), (8, 1, 2)'),
      ...statementsOf('0018', /^(DELETE FROM|UPDATE) `planet_counts`/m),
    ])
    expect((await rows.all()).results).toEqual(kept)
  })

  /** The user of a row, the number of its events, and the counts that it must have. */
  const EVENTS = [
    [null, 2, 2, 0],
    [7, 1, 2, 1],
    [8, 3, 2, 3],
    [7, 0, 2, 1],
    [null, 5, 7, 0],
    [7, 2, 7, 3],
  ] as const
  const countsIn = async (table: string) => {
    const columns = 'user_id, event_count, public_until, private_until'
    return await env.DB.prepare(`select ${columns} from ${table} order by place`).raw()
  }

  it('of events', async () => {
    const insert = env.DB.prepare(`
      insert into log (kind, user_id, event_count, created_at, salt, bytes_until, public_until, private_until, body, details)
      values ('nothing', ?, ?, 0, 1, 0, ?, ?, '{}', '{}')`)
    await env.DB.batch(EVENTS.map((values) => insert.bind(...values)))
    await env.DB.batch(statementsOf('0026', /^(CREATE TABLE|INSERT INTO) `__new_log`/m))
    const copied = await countsIn('__new_log')
    await env.DB.batch([env.DB.prepare('drop table __new_log'), env.DB.prepare('delete from log')])
    expect(copied).toEqual(EVENTS)
  })

  it('of events, also in rows that older code writes later', async () => {
    const insert = env.DB.prepare(`
      insert into log (kind, user_id, event_count, created_at, salt, bytes_until, body, details)
      values ('nothing', ?, ?, 0, 1, 0, '{}', '{}')`)
    await env.DB.batch(EVENTS.map(([userId, events]) => insert.bind(userId, events)))
    const counts = await countsIn('log')
    await env.DB.prepare('delete from log').run()
    expect(counts).toEqual(EVENTS)
  })
})
