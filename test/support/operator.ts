import { env } from 'cloudflare:workers'
import type { Query } from '../../scripts/lib/wrangler.ts'

/** Queries the database as the operator's commands do, without starting wrangler for it. */
export const queryAsOperator: Query = async (...statements) => {
  const results = await env.DB.batch(statements.map((statement) => env.DB.prepare(statement)))
  return (results.at(-1)?.results ?? []) as Awaited<ReturnType<Query>>
}
