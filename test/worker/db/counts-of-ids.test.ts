import { env } from 'cloudflare:workers'
import { beforeAll, expect, it } from 'vitest'

// Triggers count ids in spans, and note which ids there are (src/stores/ranks.ts). Here everything is counted again.

const SPANS = [64, 512, 4096, 32_768]
const ROWS = 150

beforeAll(async () => {
  await env.DB.prepare("insert into users (id, name, created_at) values (1, 'Many', 0)").run()
})

/** The counts of a table, in the order of their keys. SQL makes the bits a text, because a number would round them. */
async function readCounts(table: string, column: string): Promise<unknown[]> {
  const columns = `span, bucket, ${column} as ids, cast(present as text) as present`
  return (await env.DB.prepare(`select ${columns} from ${table} order by span, bucket`).all()).results
}

/** The counts that ids from an origin must have, if the highest id that was ever given is `last`. */
async function countAgain(table: string, origin: number, last: number): Promise<unknown[]> {
  const rows = await env.DB.prepare(`select id from ${table}`).all<{ id: number }>()
  const ids = rows.results.map(({ id }) => id - origin)
  return SPANS.flatMap((span) =>
    Array.from({ length: Math.floor(last / span) + 1 }, (_, bucket) => {
      const found = ids.filter((id) => Math.floor(id / span) === bucket)
      const bits = found.reduce((sum, id) => sum | (1n << BigInt(id % 64)), 0n)
      return { span, bucket, ids: found.length, present: span === 64 ? String(BigInt.asIntN(64, bits)) : '0' }
    }),
  )
}

it('planets are counted as they are, with gaps and without their last ids', async () => {
  const insert = env.DB.prepare(
    "insert into planets (creator_id, last_updated, properties, lists_satellites) values (1, 0, '{}', 0)",
  )
  await env.DB.batch([
    ...Array.from({ length: ROWS }, () => insert),
    // Whole spans without any id, one of them the last, and the id with the highest bit.
    env.DB.prepare('delete from planets where id between 10 and 40 or id = 63 or id > 127'),
  ])
  expect(await readCounts('planet_counts', 'planets')).toEqual(await countAgain('planets', 0, ROWS))
})

it('other celestial bodies are counted as they are, from 1,000,000,000', async () => {
  const insert = env.DB.prepare(
    "insert into bodies (position, creator_id, last_updated, properties, lists_satellites) values (0, 1, 0, '{}', 0)",
  )
  await env.DB.batch([
    ...Array.from({ length: ROWS }, () => insert),
    env.DB.prepare('delete from bodies where id between 1000000010 and 1000000126 or id > 1000000127'),
  ])
  expect(await readCounts('body_counts', 'bodies')).toEqual(await countAgain('bodies', 1_000_000_000, ROWS))
})
