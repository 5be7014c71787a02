import { inArray, lt, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { rateLimits } from '../db/tables.ts'

/** A limit of attempts: what it counts, how many there may be, in how long. */
export interface RateLimit {
  key: string
  attempts: number
  windowSeconds: number
}

/** Where a caller stands in a window after an attempt. */
export interface RateLimitState {
  limit: number
  remaining: number
  /** Seconds until the window ends. */
  resetSeconds: number
  exceeded: boolean
}

type Counted = { attempts: number; resetsAt: Date }

/**
 * The query that counts an attempt, in one upsert, so that no two attempts are counted as one.
 * A window begins with its first attempt. Attempts beyond the limit are counted no further.
 */
export function countAttempt(db: Database, limit: RateLimit, now: Date) {
  const over = sql`${rateLimits.resetsAt} <= ${now.getTime()}`
  return db
    .insert(rateLimits)
    .values({ key: limit.key, attempts: 1, resetsAt: new Date(now.getTime() + limit.windowSeconds * 1000) })
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: {
        attempts: sql`case when ${over} then 1 else min(${rateLimits.attempts}, ${limit.attempts}) + 1 end`,
        resetsAt: sql`case when ${over} then excluded.resets_at else ${rateLimits.resetsAt} end`,
      },
    })
    .returning({ attempts: rateLimits.attempts, resetsAt: rateLimits.resetsAt })
}

/** Takes an attempt back, of each of these limits, that turned out not to count. */
export async function forgiveAttempt(db: Database, limits: readonly RateLimit[]): Promise<void> {
  await db
    .update(rateLimits)
    .set({ attempts: sql`max(${rateLimits.attempts} - 1, 0)` })
    .where(
      inArray(
        rateLimits.key,
        limits.map(({ key }) => key),
      ),
    )
}

/** Reads the answer of `countAttempt`. */
export function judgeAttempt(limit: RateLimit, counted: Counted | undefined, now: Date): RateLimitState {
  if (!counted) throw new Error(`the database did not count an attempt for ${limit.key}`)
  return {
    limit: limit.attempts,
    remaining: Math.max(limit.attempts - counted.attempts, 0),
    resetSeconds: Math.max(Math.ceil((counted.resetsAt.getTime() - now.getTime()) / 1000), 1),
    exceeded: counted.attempts > limit.attempts,
  }
}

/** Forgets windows that have ended. */
export async function removeEndedWindows(db: Database, now: Date): Promise<void> {
  await db.delete(rateLimits).where(lt(rateLimits.resetsAt, now))
}
