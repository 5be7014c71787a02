import type { BatchItem } from 'drizzle-orm/batch'
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1'
import * as tables from './tables.ts'

export type Database = DrizzleD1Database<typeof tables>

/** A query that can be awaited, or put into a batch to share a round trip. */
export type BatchQuery = BatchItem<'sqlite'>

/** The view of the database that one request has: what it wrote it reads, whichever replica answers. */
export interface Session {
  db: Database
  /** Marks how far this session has seen, for `X-D1-Bookmark`; null before its first query. */
  bookmark(): string | null
}

/** Where a session starts: at the primary, at any replica, or at one that has reached a bookmark. */
export type SessionStart = 'first-primary' | 'first-unconstrained' | (string & {})

/** Opens a session (D1 Sessions API). It costs nothing until its first query. */
export function openSession(d1: D1Database, start: SessionStart): Session {
  const session = d1.withSession(start)
  return { db: drizzle(asDatabase(session), { schema: tables }), bookmark: () => session.getBookmark() }
}

/**
 * Drizzle asks for a D1Database and calls `prepare` and `batch` only, which a session has too.
 * Its types do not know sessions yet; this is the one place that says so.
 */
function asDatabase(session: D1DatabaseSession): D1Database {
  return session as unknown as D1Database
}
