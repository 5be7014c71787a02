import type { Database } from '../db/client.ts'
import { MESSAGES_MAX, trySend } from '../events/message.ts'
import type { Services } from '../services.ts'
import { listDueDeliveries } from '../stores/deliveries.ts'
import { listEventsToExpand } from '../stores/subscribers.ts'
import { handleMessage } from './message.ts'

/** In one sweep. What is more is found by the next. */
const DUE_MAX = 1000
const EVENTS_MAX = 100
/** An event younger than this has a message under way. */
const EVENT_GRACE_MS = 10_000

/**
 * Queues whatever is due, because its message was lost, or no queue keeps a message that long. Where the queue takes
 * nothing, the work is done here.
 */
export async function requeueDue(db: Database, services: Services): Promise<void> {
  const now = services.now()
  const deliveries = await listDueDeliveries(db, now, DUE_MAX)
  const events = await listEventsToExpand(db, new Date(now.getTime() - EVENT_GRACE_MS), EVENTS_MAX)
  const messages = [...events.map((event) => ({ event })), ...deliveries.map((delivery) => ({ delivery }))]
  for (let start = 0; start < messages.length; start += MESSAGES_MAX) {
    const part = messages.slice(start, start + MESSAGES_MAX)
    const isTaken = await trySend(services.callbacks, part)
    if (!isTaken) await Promise.all(part.map((message) => handleMessage(message, services)))
  }
}
