import type { Database } from '../../db/client.ts'
import { users } from '../../db/tables.ts'

/** Reads one row. Throws if the database cannot be reached, or if it has no tables. */
export async function touchDatabase(db: Database): Promise<void> {
  await db.select({ id: users.id }).from(users).limit(1)
}
