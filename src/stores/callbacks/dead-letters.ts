import { lt } from 'drizzle-orm'
import { build, type Session, write } from '../../db/port.ts'
import { deadLetters } from '../../db/tables.ts'

type DeadLetter = Omit<typeof deadLetters.$inferInsert, 'id'>

/** Records a message that the queue gave up on. A repeated record changes nothing. */
export async function insertDeadLetter(session: Session, letter: DeadLetter): Promise<void> {
  await write(session, [build.insert(deadLetters).values(letter).onConflictDoNothing()])
}

export async function removeDeadLetters(session: Session, before: Date): Promise<void> {
  await write(session, [build.delete(deadLetters).where(lt(deadLetters.createdAt, before))])
}
