import { enqueue, MESSAGES_MAX } from '../../changes/enqueue.ts'
import { costOf, createMeter, meterDatabase, openSession } from '../../db/port.ts'
import { writeLine } from '../../lib/log-line.ts'
import { rootCause } from '../../lib/root-cause.ts'
import { QueueMessage } from '../../schemas/queue-message.ts'
import type { Services } from '../../services.ts'
import { expandEvent } from '../../stores/callbacks/subscribers.ts'
import { workOnBatch } from '../observations/work.ts'
import { deliver } from './deliver.ts'

/**
 * Starts the work for all messages of a batch at the same time and does not wait for it, so that a receiver that hangs
 * does not delay the others. Valid messages are acknowledged immediately: if the work is lost, the sweep repeats it,
 * because all work stays due in the database until it is done. Invalid messages are retried until they
 * become dead letters.
 *
 * @param handle Does the work for a message, in the world that the message names. Never throws
 * @param defer Lets work continue after this function returns
 */
export function handleBatch(
  batch: MessageBatch,
  handle: (message: QueueMessage) => Promise<void>,
  defer: (work: Promise<void>) => void,
): void {
  for (const message of batch.messages) {
    const { data } = QueueMessage.safeParse(message.body)
    if (data) {
      message.ack()
      defer(handle(data))
    } else message.retry()
  }
}

/** Does the work for a message. Never throws: work that fails stays due in the database, where the sweep finds it. */
export async function handleMessage(message: QueueMessage, unmetered: Services): Promise<void> {
  const startedAt = Date.now()
  const meter = createMeter()
  const services = { ...unmetered, database: meterDatabase(unmetered.database, meter) }
  const isDone = await tryHandle(message, services)
  if (!services.config.logsRequests) return
  const subject = subjectOf(message)
  const world = services.worldId ?? 'common'
  writeLine({ event: 'message', ...subject, isDone, durationMs: Date.now() - startedAt, ...costOf(meter), world })
}

/** What a message is about, for the log. */
function subjectOf(message: QueueMessage): object {
  if ('delivery' in message) return { delivery: message.delivery }
  return 'event' in message ? { expandedEvent: message.event } : { observations: message.observations }
}

/** Does the work for a message. A failure is logged. @returns Whether the work succeeded */
async function tryHandle(message: QueueMessage, services: Services): Promise<boolean> {
  try {
    if ('delivery' in message) await deliver(message.delivery, services)
    else if ('event' in message) await createNextDeliveries(message.event, services)
    else await workOnBatch(message.observations, services)
    return true
  } catch (error) {
    const { message: reason, stack } = rootCause(error)
    console.error(JSON.stringify({ event: 'message-failed', message, error: reason, stack }))
    return false
  }
}

/**
 * The deliveries of an event are created in steps. This is the maximum number of deliveries in a step: their messages
 * and the message for the next step fit into one call to the queue.
 */
const SUBSCRIBERS_PER_STEP = MESSAGES_MAX - 1

/** Creates and queues the deliveries of an event to its next subscribers. Queues the next step if there are more. */
export async function createNextDeliveries(eventId: number, services: Services): Promise<void> {
  const session = openSession(services, 'first-primary')
  const { accountLimits } = services.config
  const { deliveryIds, hasMore } = await expandEvent(
    session,
    eventId,
    SUBSCRIBERS_PER_STEP,
    accountLimits,
    services.now(),
  )
  const messages = deliveryIds.map((delivery) => ({ delivery }))
  enqueue(services, hasMore ? [...messages, { event: eventId }] : messages)
}
