import type { SQLWrapper } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'

/** A statement as text that contains its values, because the command line of D1 accepts no bound values. */
export function inline(statement: SQLWrapper): string {
  return new SQLiteSyncDialect().sqlToQuery(statement.getSQL().inlineParams()).sql
}
