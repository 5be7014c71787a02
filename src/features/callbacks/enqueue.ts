import type { CallbackMessage } from '../../schemas/callback-message.ts'

/** What is needed to queue messages after an answer. */
interface Enqueuing {
  callbackQueue: Queue<CallbackMessage>
  /** Lets work go on after the answer. */
  defer(work: Promise<unknown>): void
}

/** Messages in one call; the platform takes no more. */
export const MESSAGES_MAX = 100

/**
 * Queues messages, after the answer. A failure is only logged: what they speak of is in the database, where the sweep
 * finds it.
 *
 * @param delaySeconds How long the queue keeps them back
 */
export function enqueue(
  { callbackQueue, defer }: Enqueuing,
  messages: readonly CallbackMessage[],
  delaySeconds = 0,
): void {
  if (messages.length > 0) defer(trySend(callbackQueue, messages, delaySeconds))
}

/** @returns Whether the queue has taken them */
export async function trySend(
  callbackQueue: Queue<CallbackMessage>,
  messages: readonly CallbackMessage[],
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
