import { Failure } from './failure.ts'
import type { Query } from './wrangler.ts'

/** The universes that have not ended, and their number. @returns Lines */
export async function listUniverses(query: Query): Promise<string[]> {
  const universes = await query(
    `select id, seed, strftime('%FT%TZ', created_at / 1000, 'unixepoch') as created
     from universes where made_at is not null and ended_at is null order by created_at`,
  )
  return [
    ...universes.map(({ id, seed, created }) => `${id}  ${seed}  created ${created}`),
    universes.length === 1 ? '1 universe.' : `${universes.length} universes.`,
  ]
}

/**
 * Ends a universe. The scheduled job of the service, which runs every minute, then removes everything in it.
 *
 * @returns A line that says so
 * @throws Failure if there is no such universe
 */
export async function endUniverse(id: string, query: Query): Promise<string> {
  const time = 'unixepoch() * 1000'
  const [universe] = await query(
    `update universes set due_at = ${time}, ended_at = ${time} where id = '${id}' and ended_at is null`,
    `select id from universes where id = '${id}'`,
  )
  if (!universe) throw new Failure(`Universe ${id} does not exist.`)
  return `The service will end universe ${id} within a minute, and remove everything in it.`
}
