import { build, type Database } from '../../db/port.ts'
import { users } from '../../db/tables.ts'

/** @throws Error if the database cannot be reached, or has no tables */
export async function probeDatabase(db: Database): Promise<void> {
  await db.read(build.select({ id: users.id }).from(users).limit(1))
}
