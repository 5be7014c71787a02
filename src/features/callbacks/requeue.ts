import type { Database } from '../../db/client.ts'
import type { CallbackMessage } from '../../schemas/callback-message.ts'
import type { Services } from '../../services.ts'
import { dissolveLines, listFirstInLines } from '../../stores/callbacks/call-targets.ts'
import { type DueDelivery, listDueDeliveries } from '../../stores/callbacks/claims.ts'
import { fillInHosts } from '../../stores/callbacks/missing-hosts.ts'
import { listEventsToExpand } from '../../stores/callbacks/subscribers.ts'
import { handleMessage } from './consumer.ts'
import { MESSAGES_MAX, trySend } from './enqueue.ts'

/** Parts of `MESSAGES_MAX` messages in one sweep. The next sweep finds the rest. */
const PARTS_MAX = 100
const EVENTS_MAX = 100
/** Connections that an invocation can have open at a time. A call that had to wait for one could time out unsent. */
const CONNECTIONS = 6
/** A younger event still has its message under way. */
const EVENT_GRACE_MS = 10_000

/**
 * Queues everything that is due: its message was lost, or the queue could not hold a message for that long. If the
 * queue accepts nothing, the work of one part is done here. More would exceed the queries that an invocation may make.
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

/** Queues the first delivery of each line, in case its message was lost, or the calls that should queue it crashed. */
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

/** @returns Whether the queue accepted the messages */
async function requeue(messages: readonly CallbackMessage[], services: Services): Promise<boolean> {
  if (messages.length === 0 || (await trySend(services.callbackQueue, messages))) return true
  const waiting = [...messages]
  const workers = Array.from({ length: CONNECTIONS }, async () => {
    for (let message = waiting.shift(); message; message = waiting.shift()) await handleMessage(message, services)
  })
  await Promise.all(workers)
  return false
}
