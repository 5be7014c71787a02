import type { Database } from '../../db/client.ts'
import { users } from '../../db/tables.ts'

/** @throws Error if the database cannot be reached, or has no tables */
export async function probeDatabase(db: Database): Promise<void> {
  await db.select({ id: users.id }).from(users).limit(1)
}
