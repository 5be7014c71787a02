import { lt } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'
import { deadLetters } from '../../db/tables.ts'

type DeadLetter = Omit<typeof deadLetters.$inferInsert, 'id'>

/** Records a message that the queue gave up on. A repeated record changes nothing. */
export async function insertDeadLetter(db: Database, letter: DeadLetter): Promise<void> {
  await db.insert(deadLetters).values(letter).onConflictDoNothing()
}

/** Removes messages that were recorded before a time. */
export async function removeDeadLetters(db: Database, before: Date): Promise<void> {
  await db.delete(deadLetters).where(lt(deadLetters.createdAt, before))
}
