import { and, eq, sql } from 'drizzle-orm'
import { insertHappening } from '../changes/log.ts'
import { type Session, write } from '../db/port.ts'
import { rateLimits } from '../db/tables.ts'
import type { Happening } from '../events/happening.ts'
import { countAttempt } from './rate-limits.ts'

/** Writes to the log that a user has reached a limit, unless the log has it already in this window. One round trip. */
export async function insertReachedLimit(
  session: Session,
  happening: Extract<Happening, { kind: 'rate_limited' }>,
  { key: limitKey, windowSeconds }: { key: string; windowSeconds: number },
  now: Date,
): Promise<void> {
  const userId = happening.body.id
  // This key counts how often the limit was reached in the window. Only the first time is written to the log.
  const key = `told/${userId}/${limitKey}`
  const isFirst = and(eq(rateLimits.key, key), eq(rateLimits.attempts, 1))
  await write(session, [
    countAttempt({ key, attemptsMax: 1, windowSeconds }, now),
    insertHappening(happening, { userId, now }, sql`exists (select 1 from ${rateLimits} where ${isFirst})`),
  ])
}
