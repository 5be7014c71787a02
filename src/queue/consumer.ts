/**
 * Takes what the queues hand over. The service sends no message yet, so whatever arrives is foreign: it is retried, in
 * case a newer version of the service that knows it is being deployed, and then lands in the dead-letter queue.
 */
export function consumeMessages(batch: MessageBatch): void {
  if (batch.queue.endsWith(DEAD_LETTER_SUFFIX)) recordDeadLetters(batch)
  else batch.retryAll()
}

const DEAD_LETTER_SUFFIX = '-dead'

/** A dead letter is a fault of ours: it is logged, by its id, and done with. */
function recordDeadLetters(batch: MessageBatch): void {
  for (const message of batch.messages) {
    console.error(JSON.stringify({ event: 'dead-letter', messageId: message.id, attempts: message.attempts }))
    message.ack()
  }
}
