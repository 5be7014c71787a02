import type { BatchItem } from 'drizzle-orm/batch'
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1'
import { guardWrites, type QuerySession, type WriteGuard } from './guarded-session.ts'
import * as tables from './tables.ts'

export type Database = DrizzleD1Database<typeof tables>

/** A query that can be awaited, or put into a batch to share a round trip. */
export type BatchQuery = BatchItem<'sqlite'>

/** The view of the database that one request has: what it wrote it reads, whichever replica answers. */
export interface Session {
  db: Database
  /** Marks how far this session has seen, for `X-D1-Bookmark`; null before its first query. */
  bookmark(): string | null
  /** From now on every write of this session happens only if the guard lets it. */
  guard(guard: WriteGuard): void
}

/** Starts a session at any replica, whatever state that has. */
export const ANY_STATE = 'first-unconstrained'

/** Where a session starts: at the primary, at any replica, or at one that has reached a bookmark. */
export type SessionStart = 'first-primary' | typeof ANY_STATE | (string & {})

/** Opens a session (D1 Sessions API). It costs nothing until its first query. */
export function openSession(d1: D1Database, start: SessionStart): Session {
  const session = d1.withSession(start)
  let guard: WriteGuard | undefined
  const guarded = guardWrites(session, () => guard)
  return {
    db: drizzle(asDatabase(guarded), { schema: tables }),
    bookmark: () => session.getBookmark(),
    guard: (wanted) => {
      guard = wanted
    },
  }
}

/**
 * Drizzle asks for a D1Database and calls `prepare` and `batch` only, which a session has too.
 * Its types do not know sessions yet; this is the one place that says so.
 */
function asDatabase(session: QuerySession): D1Database {
  return session as unknown as D1Database
}
