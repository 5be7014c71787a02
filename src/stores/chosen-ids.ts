import { type SQL, sql } from 'drizzle-orm'
import type { Requirement } from '../changes/change.ts'
import { lastIdOf } from '../changes/ids.ts'
import { LostRace } from '../changes/requirements.ts'
import { build, type Query } from '../db/port.ts'
import type { IdRange } from '../domain/problems.ts'
import { DAY_MS } from '../lib/time.ts'
import { type AttemptWindow, attemptsLeft, countAttempt } from './rate-limits.ts'

// The ids of planets that callers choose. An id that is lost by a choice is never given: the choice passes over it, or
// this process had it in advance and goes on after the chosen one. So these ids are limited at once, for each user in a
// day, and for all users of the world in a day.

/** How much higher than all ids before it a chosen id may be. */
const LEAP_MAX = 1000
/** No chosen id is higher. A page of a list reads a count for each 32,768 ids (stores/ranks.ts). */
const CHOSEN_ID_MAX = 10_000_000
/** How many ids the choices of a user, and of all users of a world together, can cost in a day. */
const LOST_BY_USER_MAX = 10_000
const LOST_IN_WORLD_MAX = 100_000

function limitsOf(userId: number): AttemptWindow[] {
  const windowSeconds = DAY_MS / 1000
  return [
    { key: `lost-ids/user/${userId}`, attemptsMax: LOST_BY_USER_MAX, windowSeconds },
    { key: 'lost-ids/world', attemptsMax: LOST_IN_WORLD_MAX, windowSeconds },
  ]
}

/** SQL: how many ids the choices of a user can still cost. */
function leftFor(userId: number, now: Date): SQL<number> {
  const lefts = limitsOf(userId).map((limit) => attemptsLeft(limit, now))
  return sql<number>`min(${sql.join(lefts, sql`, `)})`
}

/** What decides which ids can be chosen. */
interface Choice {
  /** The highest id that was given so far, also in advance. */
  lastId: number
  /** How many ids can still be lost. */
  left: number
}

/** The query for what decides which ids a user can choose: a list with one item. */
export function selectChoice(userId: number, now: Date) {
  const [lastId, left] = [lastIdOf('planets').as('last_id'), leftFor(userId, now).as('left')]
  return build.select({ lastId, left }).from(sql`(select 1)`)
}

/** The ids that a new planet can have if its maker chooses its id. If there are none, `from` is above `to`. */
export function choosableIds({ lastId, left }: Choice): IdRange {
  return { from: lastId + 1, to: Math.min(lastId + Math.min(LEAP_MAX, left + 1), CHOSEN_ID_MAX) }
}

/** An id that a caller has chosen for a new planet. */
export interface ChosenId {
  id: number
  /** Whether the lower ids that this process has in advance are lost, so that its ids go on after the chosen one. */
  isSkippedTo: boolean
  /** What a change requires that inserts the planet. SQLite then counts on from the id. */
  requires: Requirement
  /** The statements that count the ids that are lost. They must run before the planet is inserted. */
  counts: Query[]
}

/**
 * The next id passes over none, so it can always be chosen. If no ids may be lost any more, this process then goes on
 * with the lower ones that it has.
 *
 * @param id One of the `choosableIds` of the choice, which may be another one when the planet is written
 * @param inAdvance How many lower ids this process has in advance
 */
export function chooseId(id: number, { lastId, left }: Choice, inAdvance: number, userId: number, now: Date): ChosenId {
  const passed = id - 1 - lastId
  const isSkippedTo = passed + inAdvance <= left
  const lost = sql`${id - 1 + (isSkippedTo ? inAdvance : 0)} - ${lastIdOf('planets')}`
  const holds = sql`${lastIdOf('planets')} < ${id} and ${lost} <= ${leftFor(userId, now)}`
  // The last id never goes down, so what costs nothing now costs nothing then.
  const limits = passed + inAdvance > 0 ? limitsOf(userId) : []
  return {
    id,
    isSkippedTo,
    requires: { holds, otherwise: new LostRace() },
    counts: limits.map((limit) => countAttempt(limit, now, sql`(${lost})`)),
  }
}
