import { env } from 'cloudflare:workers'
import { expect, inject, it } from 'vitest'

const ROWS = 'select span, bucket, bodies from body_counts order by span, bucket'

it('a database that had satellites before they were counted has the counts that it would have', async () => {
  const insert = env.DB.prepare(
    "insert into bodies (position, creator_id, last_updated, properties, lists_satellites) values (0, 1, 0, '{}', 0)",
  )
  await env.DB.batch([
    env.DB.prepare("insert into users (id, name, created_at) values (1, 'Many', 0)"),
    ...Array.from({ length: 90 }, () => insert),
    // Whole spans of ids without any left, one of them the last.
    env.DB.prepare('delete from bodies where id between 1000000010 and 1000000040 or id > 1000000070'),
  ])
  const { results: kept } = await env.DB.prepare(ROWS).all()
  const migration = inject('database').migrations.find(({ name }) => name.startsWith('0007'))
  const recount = migration?.queries.find(
    (query) => query.includes('INSERT INTO `body_counts`') && query.includes('RECURSIVE'),
  )
  await env.DB.batch([env.DB.prepare('delete from body_counts'), env.DB.prepare(recount ?? '')])
  expect((await env.DB.prepare(ROWS).all()).results).toEqual(kept)
})
