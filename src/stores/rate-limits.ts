import { and, eq, gt, lt, type SQL, sql } from 'drizzle-orm'
import { build, type Database, type Session, write } from '../db/port.ts'
import { rateLimits } from '../db/tables.ts'

export interface RateLimit extends AttemptWindow {
  /** The name that callers see. */
  name: string
}

/** A window of time in which attempts are counted together. */
export interface AttemptWindow {
  key: string
  attemptsMax: number
  windowSeconds: number
}

export interface RateLimitState {
  name: string
  key: string
  resetsAt: Date
  /** How many attempts the window allows. */
  limit: number
  windowSeconds: number
  remaining: number
  /** Seconds until the window ends. */
  resetSeconds: number
  isExceeded: boolean
}

type CountedAttempts = { attempts: number; resetsAt: Date }

/**
 * The statement that counts an attempt, in one upsert, so that concurrent attempts are all counted. A window begins
 * with its first attempt. The count stops at the limit and one more attempt.
 *
 * @param weight As how many attempts it counts; SQL if only the database knows it
 */
export function countAttempt(limit: AttemptWindow, now: Date, weight: number | SQL = 1) {
  const hasEnded = sql`${rateLimits.resetsAt} <= ${now.getTime()}`
  const kept = sql`min(${rateLimits.attempts}, ${limit.attemptsMax})`
  return build
    .insert(rateLimits)
    .values({
      key: limit.key,
      attempts: sql`${weight}`,
      resetsAt: new Date(now.getTime() + limit.windowSeconds * 1000),
    })
    .onConflictDoUpdate({
      target: rateLimits.key,
      set: {
        attempts: sql`iif(${hasEnded}, 0, ${kept}) + excluded.attempts`,
        resetsAt: sql`case when ${hasEnded} then excluded.resets_at else ${rateLimits.resetsAt} end`,
      },
    })
    .returning({ attempts: rateLimits.attempts, resetsAt: rateLimits.resetsAt })
}

/** SQL: how many attempts the window of a limit still allows. */
export function attemptsLeft({ key, attemptsMax }: AttemptWindow, now: Date): SQL<number> {
  const isThisWindow = and(eq(rateLimits.key, key), gt(rateLimits.resetsAt, now))
  const counted = sql`(select ${rateLimits.attempts} from ${rateLimits} where ${isThisWindow})`
  return sql<number>`max(${attemptsMax} - coalesce(${counted}, 0), 0)`
}

/** The statement that reverses the counting of an attempt, unless its window has ended meanwhile. */
export function forgiveAttempt({ key, resetsAt }: RateLimitState) {
  return uncountAttempt(key, eq(rateLimits.resetsAt, resetsAt))
}

/** The statement that reverses the counting of an attempt if a condition is true. */
export function uncountAttempt(key: string, condition: SQL) {
  return build
    .update(rateLimits)
    .set({ attempts: sql`max(${rateLimits.attempts} - 1, 0)` })
    .where(and(eq(rateLimits.key, key), condition))
}

/** The statement that remembers a key until a time, as a row without attempts. */
export function rememberKey(key: string, until: Date) {
  return build
    .insert(rateLimits)
    .values({ key, attempts: 0, resetsAt: until })
    .onConflictDoUpdate({ target: rateLimits.key, set: { resetsAt: until } })
}

export async function isKeyRemembered(db: Database, key: string, now: Date): Promise<boolean> {
  const rows = await db.read(
    build
      .select({ key: rateLimits.key })
      .from(rateLimits)
      .where(and(eq(rateLimits.key, key), gt(rateLimits.resetsAt, now))),
  )
  return rows.length > 0
}

/** The state of a rate limit after an attempt, from the row that `countAttempt` returned. */
export function judgeAttempt(limit: RateLimit, counted: CountedAttempts | undefined, now: Date): RateLimitState {
  if (!counted) throw new Error(`the database did not count an attempt for ${limit.key}`)
  return {
    name: limit.name,
    key: limit.key,
    resetsAt: counted.resetsAt,
    limit: limit.attemptsMax,
    windowSeconds: limit.windowSeconds,
    remaining: Math.max(limit.attemptsMax - counted.attempts, 0),
    resetSeconds: Math.max(Math.ceil((counted.resetsAt.getTime() - now.getTime()) / 1000), 1),
    isExceeded: counted.attempts > limit.attemptsMax,
  }
}

export async function removeEndedWindows(session: Session, now: Date): Promise<void> {
  await write(session, [build.delete(rateLimits).where(lt(rateLimits.resetsAt, now))])
}
