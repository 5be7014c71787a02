import { type SQL, sql } from 'drizzle-orm'
import { build, news } from '../db/port.ts'
import { log, planets } from '../db/tables.ts'
import { makeSalt } from '../domain/event-id.ts'
import type { Origin } from '../events/happening.ts'
import { countBytes } from '../lib/text.ts'
import type { Planet } from '../schemas/planet.ts'
import { bytesSoFar, publicEventsSoFar } from './log.ts'

export interface RemovedPlanet {
  id: number
  /** A planet with another version stays. */
  version: number
  /** The planet as it last was. */
  body: Planet
}

/** The cause of a removal of several planets. */
export interface Removal {
  /** The reason that events give. */
  reason: string
  /** The request that caused the removal. Empty if the service acts by itself. */
  origin: Origin
  now: Date
}

/**
 * The statements that remove planets with their satellites, and write a row with one event to the log for each of them.
 * The second one returns the keys of their uploads.
 *
 * @param removed At most REMOVED_MAX_BYTES (`cutRemovals`), because D1 binds no value of more than 2 MB
 */
export function removePlanets(removed: readonly RemovedPlanet[], { reason, origin, now }: Removal) {
  const details = JSON.stringify({ ...origin, reason })
  // One random text is enough for all rows: the id of the planet makes the salts different.
  const salt = sql`${makeSalt().slice(0, 6)} || printf('%010x', removed.id)`
  const list = JSON.stringify(removed.map(({ id, version, body }) => ({ id, version, body: JSON.stringify(body) })))
  const versions = JSON.stringify(removed.map(({ id, version }) => ({ id, version })))
  const insertion = build.insert(log).select(sql`
    select null as place, 'planet_deleted', null as user_id, removed.id, 1 as event_count, ${now.getTime()}, ${salt},
      ${bytesSoFar} + sum(octet_length(removed.body) + octet_length(${details})) over (order by removed.id),
      ${publicEventsSoFar} + count(*) over (order by removed.id), 0 as private_until, removed.body, ${details}
    from (
      select ${planets.id} as id, value ->> '$.body' as body from json_each(${list}) cross join ${planets}
      where ${isListed}) as removed
    order by removed.id`)
  const deletion = build
    .delete(planets)
    // The first condition finds the planets, so that no others are read.
    .where(
      sql`${planets.id} in (select value ->> '$.id' from json_each(${versions}))
        and exists (select 1 from json_each(${versions}) where ${isListed})`,
    )
    .returning({ imageKey: planets.imageKey })
  return [news(insertion), deletion] as const
}

/** The size of the planets that are removed at once: of their JSON, written as a JSON string. */
const REMOVED_MAX_BYTES = 1024 * 1024

/** The first planets of a list that can be removed at once. At least one. */
export function cutRemovals(found: readonly RemovedPlanet[]): RemovedPlanet[] {
  let sum = 0
  const end = found.findIndex(({ body }, index) => {
    sum += countBytes(JSON.stringify(JSON.stringify(body)))
    return sum > REMOVED_MAX_BYTES && index > 0
  })
  return end < 0 ? [...found] : found.slice(0, end)
}

/** The condition that a planet is the one of a list, in its version. */
const isListed: SQL = sql`${planets.id} = value ->> '$.id' and ${planets.version} = value ->> '$.version'`
