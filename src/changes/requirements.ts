import { sql } from 'drizzle-orm'
import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'
import { violatedName } from '../db/constraints.ts'
import { build } from '../db/port.ts'
import type { Requirement } from './change.ts'

/** The view that accepts requirements. A trigger (migrations/) rejects one that does not hold. */
const requirements = sqliteTable('requirements', {
  position: integer('position').notNull(),
  holds: integer('holds', { mode: 'boolean' }).notNull(),
})

/** The statement that fails if one of the requirements does not hold. The whole batch is then rolled back. */
export function checkRequirements(required: readonly Pick<Requirement, 'holds'>[]) {
  const rows = required.map(({ holds }, position) => sql`(${position}, (${holds}))`)
  return build.insert(requirements).select(sql`values ${sql.join(rows, sql`, `)}`)
}

/** The requirement that made the database reject a batch; undefined if the error has another cause. */
export function findUnmet(error: unknown, required: readonly Requirement[]): Requirement | undefined {
  const position = violatedName(error, 'requirement')
  return position === undefined ? undefined : required[Number(position)]
}

/** The error for a change that depends on an earlier read, if the data was changed or deleted since it was read. */
export class LostRace extends Error {
  override readonly name = 'LostRace'
}
