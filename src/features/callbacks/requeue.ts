import type { Database } from '../../db/client.ts'
import type { CallbackMessage } from '../../schemas/callback-message.ts'
import type { Services } from '../../services.ts'
import { dissolveLines, listFirstInLines } from '../../stores/callbacks/call-targets.ts'
import { type DueDelivery, listDueDeliveries } from '../../stores/callbacks/claims.ts'
import { fillInHosts } from '../../stores/callbacks/missing-hosts.ts'
import { listEventsToExpand } from '../../stores/callbacks/subscribers.ts'
import { handleMessage } from './consumer.ts'
import { MESSAGES_MAX, trySend } from './enqueue.ts'

/** Maximum number of parts in one sweep, each of at most `MESSAGES_MAX` messages. The next sweep finds the rest. */
const PARTS_MAX = 100
const EVENTS_MAX = 100
/** Connections that an invocation can have open at a time. A call that waits for one could time out unsent. */
const CONNECTIONS = 6
/** The message of an event that is younger is probably still in the queue, so the sweep ignores the event. */
const EVENT_GRACE_MS = 10_000

/**
 * Queues all work that is due but has no message in the queue: the message was lost, or its delay would have been too
 * long for the queue. If the queue accepts no messages, the first part is handled here. More would exceed the number of
 * queries that an invocation may make.
 */
export async function requeueDue(db: Database, services: Services): Promise<void> {
  const now = services.now()
  await fillInHosts(db)
  if (!services.config.targetLimits) await dissolveLines(db)
  const events = await listEventsToExpand(db, new Date(now.getTime() - EVENT_GRACE_MS), EVENTS_MAX)
  const expansions = events.map((event) => ({ event }))
  await requeue(expansions, services)
  await requeueLines(db, services)
  let last: DueDelivery | undefined
  for (let part = 0; part < PARTS_MAX; part++) {
    const due = await listDueDeliveries(db, now, last, MESSAGES_MAX)
    const deliveries = due.map(({ id }) => ({ delivery: id }))
    const isTaken = await requeue(deliveries, services)
    if (!isTaken || due.length < MESSAGES_MAX) return
    last = due.at(-1)
  }
}

/**
 * Queues the first delivery of each line. Its message may have been lost, or the worker that should queue it crashed.
 */
async function requeueLines(db: Database, services: Services): Promise<void> {
  let last = ''
  for (let part = 0; part < PARTS_MAX; part++) {
    const lines = await listFirstInLines(db, last, MESSAGES_MAX)
    const isTaken = await requeue(
      lines.map(({ id }) => ({ delivery: id })),
      services,
    )
    if (!isTaken || lines.length < MESSAGES_MAX) return
    last = lines.at(-1)?.host ?? last
  }
}

/** Queues messages. If the queue does not accept them, handles them here. @returns Whether the queue accepted them */
async function requeue(messages: readonly CallbackMessage[], services: Services): Promise<boolean> {
  if (messages.length === 0 || (await trySend(services.callbackQueue, messages))) return true
  const waiting = [...messages]
  const workers = Array.from({ length: CONNECTIONS }, async () => {
    for (let message = waiting.shift(); message; message = waiting.shift()) await handleMessage(message, services)
  })
  await Promise.all(workers)
  return false
}
