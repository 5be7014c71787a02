import { openSession } from '../../db/port.ts'
import { rootCause } from '../../lib/root-cause.ts'
import type { Services } from '../../services.ts'
import { insertDeadLetter } from '../../stores/callbacks/dead-letters.ts'

export const DEAD_LETTER_SUFFIX = '-dead'

/** Characters of a message that are recorded. */
const BODY_MAX = 10_000

/**
 * Records the messages that the queue gave up on. Such a message shows a fault in this service, or was sent by somebody
 * else. If it refers to a delivery, the delivery is not lost: the sweep finds it.
 */
export async function recordDeadLetters(batch: MessageBatch, { database, now }: Services): Promise<void> {
  const session = openSession({ database, hub: undefined }, 'first-primary')
  for (const message of batch.messages) {
    const { id, body, attempts } = message
    console.error(JSON.stringify({ event: 'dead-letter', messageId: id, attempts }))
    try {
      await insertDeadLetter(session, { messageId: id, body: writeBody(body), attempts, createdAt: now() })
      message.ack()
    } catch (error) {
      console.error(JSON.stringify({ event: 'dead-letter-lost', messageId: id, error: rootCause(error).message }))
      message.retry()
    }
  }
}

/**
 * Writes the start of a message as text. A message from somebody else may contain values that JSON cannot represent.
 * For such a value, `stringify` throws or returns undefined.
 */
function writeBody(body: unknown): string {
  try {
    return String(JSON.stringify(body)).slice(0, BODY_MAX)
  } catch {
    return String(body).slice(0, BODY_MAX)
  }
}
