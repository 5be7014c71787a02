import { MESSAGES_MAX, trySend } from '../../changes/enqueue.ts'
import type { Session } from '../../db/port.ts'
import type { QueueMessage } from '../../schemas/queue-message.ts'
import type { Services } from '../../services.ts'
import { dissolveLines, type FirstInLine, listFirstInLines } from '../../stores/callbacks/call-targets.ts'
import { type DueDelivery, listDueDeliveries } from '../../stores/callbacks/leases.ts'
import { listEventsToExpand } from '../../stores/callbacks/subscribers.ts'
import { listLostBatches } from '../observations/work.ts'
import { handleMessage } from './consumer.ts'

/**
 * Maximum number of parts in one sweep: of the lines, and again of the due deliveries. A part has at most
 * `MESSAGES_MAX` messages. The next sweep queues the rest.
 */
const PARTS_MAX = 100
/** Maximum number of events in one sweep. Their messages fit into one call to the queue. */
const EVENTS_MAX = MESSAGES_MAX
/**
 * Number of messages that are handled at a time. It is the number of connections that an invocation of the Worker can
 * have open. A call that waits for a connection could time out unsent.
 */
const CONNECTIONS = 6
/** The sweep ignores events that are younger than this, because their messages are probably still in the queue. */
const EVENT_GRACE_MS = 10_000

/**
 * Queues all work that is due but has no message in the queue: the message was lost, or its delay would have been too
 * long for the queue. If the queue accepts no messages, this invocation handles the events, the first part of the lines
 * and the first part of the due deliveries itself. More would exceed the number of database queries that an invocation
 * may make.
 */
export async function requeueDue(session: Session, services: Services): Promise<void> {
  const now = services.now()
  // Without limits, the end of a call no longer queues the first delivery of a line.
  if (!services.config.targetLimits) await dissolveLines(session)
  const events = await listEventsToExpand(session.db, new Date(now.getTime() - EVENT_GRACE_MS), EVENTS_MAX)
  const expansions = events.map((event) => ({ event }))
  await requeue(expansions, services)
  // The first delivery of each line (the deliveries that wait for a slot at a host) may have no message in the queue,
  // because the message was lost or the worker that should have sent it crashed.
  await requeueParts(services, (last?: FirstInLine) => listFirstInLines(session.db, last?.host ?? '', MESSAGES_MAX))
  await requeueParts(services, (last?: DueDelivery) => listDueDeliveries(session.db, now, last, MESSAGES_MAX))
}

/** Queues the batches of observations that are unfinished and have no message in the queue. */
export async function requeueBatches(session: Session, services: Services): Promise<void> {
  const batchIds = await listLostBatches(session, services.now())
  await requeue(
    batchIds.map((observations) => ({ observations })),
    services,
  )
}

/** Queues deliveries in parts of `MESSAGES_MAX`. @param list Lists the part after a delivery, or the first part */
async function requeueParts<Delivery extends { id: number }>(
  services: Services,
  list: (last?: Delivery) => Promise<Delivery[]>,
): Promise<void> {
  let last: Delivery | undefined
  for (let part = 0; part < PARTS_MAX; part++) {
    const deliveries = await list(last)
    const messages = deliveries.map(({ id }) => ({ delivery: id }))
    const isQueued = await requeue(messages, services)
    if (!isQueued || deliveries.length < MESSAGES_MAX) return
    last = deliveries.at(-1)
  }
}

/**
 * Queues messages. If the queue does not accept them, this invocation handles them.
 *
 * @returns Whether the queue accepted them
 */
async function requeue(messages: readonly QueueMessage[], services: Services): Promise<boolean> {
  if (messages.length === 0 || (await trySend(services.callbackQueue, messages))) return true
  // Each worker takes the next message as soon as it has handled the previous one.
  const waiting = [...messages]
  const workers = Array.from({ length: CONNECTIONS }, async () => {
    for (let message = waiting.shift(); message; message = waiting.shift()) await handleMessage(message, services)
  })
  await Promise.all(workers)
  return false
}
