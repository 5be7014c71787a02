import type { QueueMessage } from '../schemas/queue-message.ts'

export interface QueueServices {
  callbackQueue: Queue<QueueMessage>
  /** Lets work continue after the response. */
  defer(work: Promise<unknown>): void
}

/** Maximum number of messages in one call to the queue. The platform sets this limit. */
export const MESSAGES_MAX = 100

/**
 * Queues messages, after the response. A failure is only logged, because the work is in the database, where the sweep
 * finds it.
 */
export function enqueue(
  { callbackQueue, defer }: QueueServices,
  messages: readonly QueueMessage[],
  delaySeconds = 0,
): void {
  if (messages.length > 0) defer(trySend(callbackQueue, messages, delaySeconds))
}

/** Queues messages. A failure is logged. @returns Whether the queue accepted the messages */
export async function trySend(
  callbackQueue: Queue<QueueMessage>,
  messages: readonly QueueMessage[],
  delaySeconds = 0,
): Promise<boolean> {
  try {
    await callbackQueue.sendBatch(messages.map((body) => ({ body, delaySeconds })))
    return true
  } catch (error) {
    console.warn(JSON.stringify({ event: 'queue-failed', messages: messages.length, error: String(error) }))
    return false
  }
}
