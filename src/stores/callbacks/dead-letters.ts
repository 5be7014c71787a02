import { lt } from 'drizzle-orm'
import type { Session } from '../../db/client.ts'
import { build } from '../../db/statements.ts'
import { deadLetters } from '../../db/tables.ts'
import { write } from '../../db/write.ts'

type DeadLetter = Omit<typeof deadLetters.$inferInsert, 'id'>

/** Records a message that the queue gave up on. A repeated record changes nothing. */
export async function insertDeadLetter(session: Session, letter: DeadLetter): Promise<void> {
  await write(session, [build.insert(deadLetters).values(letter).onConflictDoNothing()])
}

export async function removeDeadLetters(session: Session, before: Date): Promise<void> {
  await write(session, [build.delete(deadLetters).where(lt(deadLetters.createdAt, before))])
}
