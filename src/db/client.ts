import type { BatchItem } from 'drizzle-orm/batch'
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1'
import { guardWrites, type QuerySession, type WriteGuard } from './guarded-session.ts'
import * as tables from './tables.ts'

export type Database = DrizzleD1Database<typeof tables>

/** A query that can be awaited, or added to a batch to share a round trip. */
export type BatchQuery = BatchItem<'sqlite'>

/** The database as one request sees it: it reads its own writes, whichever replica responds. */
export interface Session {
  db: Database
  /** The latest state that this session has seen, for `X-D1-Bookmark`; null before its first query. */
  bookmark(): string | null
  /** From now on, each write of this session runs only if the guard allows it. */
  guard(guard: WriteGuard): void
}

/** Starts a session at any replica, even if the replica lags behind the primary. */
export const ANY_STATE = 'first-unconstrained'

/** Where a session starts: at the primary, at any replica, or at a replica that has reached a bookmark. */
export type SessionStart = 'first-primary' | typeof ANY_STATE | (string & {})

/** Opens a session (D1 Sessions API). It sends nothing until its first query. */
export function openSession(d1: D1Database, start: SessionStart): Session {
  const session = d1.withSession(start)
  let currentGuard: WriteGuard | undefined
  const guardedSession = guardWrites(session, () => currentGuard)
  return {
    db: drizzle(asDatabase(guardedSession), { schema: tables }),
    bookmark: () => session.getBookmark(),
    guard: (guard) => {
      currentGuard = guard
    },
  }
}

/**
 * Drizzle expects a D1Database but calls only `prepare` and `batch`, which a session has too. Its types do not include
 * sessions yet, so this cast is needed.
 */
function asDatabase(session: QuerySession): D1Database {
  return session as unknown as D1Database
}
