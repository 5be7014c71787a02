import { and, eq, gt, lt, sql } from 'drizzle-orm'
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
  key: string
  /** The end of the window. */
  resetsAt: Date
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

/** The query that takes an attempt back that turned out not to count, unless its window has ended meanwhile. */
export function forgiveAttempt(db: Database, { key, resetsAt }: RateLimitState) {
  return db
    .update(rateLimits)
    .set({ attempts: sql`max(${rateLimits.attempts} - 1, 0)` })
    .where(and(eq(rateLimits.key, key), eq(rateLimits.resetsAt, resetsAt)))
}

/** The query that remembers something for a while: a limit that is never reached. */
export function remember(db: Database, key: string, until: Date) {
  return db
    .insert(rateLimits)
    .values({ key, attempts: 0, resetsAt: until })
    .onConflictDoUpdate({ target: rateLimits.key, set: { resetsAt: until } })
}

/** Whether something is remembered. */
export async function isRemembered(db: Database, key: string, now: Date): Promise<boolean> {
  const found = await db
    .select({ key: rateLimits.key })
    .from(rateLimits)
    .where(and(eq(rateLimits.key, key), gt(rateLimits.resetsAt, now)))
  return found.length > 0
}

/** Reads the answer of `countAttempt`. */
export function judgeAttempt(limit: RateLimit, counted: Counted | undefined, now: Date): RateLimitState {
  if (!counted) throw new Error(`the database did not count an attempt for ${limit.key}`)
  return {
    key: limit.key,
    resetsAt: counted.resetsAt,
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
