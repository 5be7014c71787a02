import { openSession } from '../../db/client.ts'
import { rootCause } from '../../lib/root-cause.ts'
import { CallbackMessage } from '../../schemas/callback-message.ts'
import type { Services } from '../../services.ts'
import { expandEvent } from '../../stores/callbacks/subscribers.ts'
import { deliver } from './deliver.ts'
import { enqueue, MESSAGES_MAX } from './enqueue.ts'

/**
 * Starts what each message of a batch asks for, side by side, and waits for none: a receiver that hangs holds up no other.
 * A message is done with at once, because the guarantee is not the queue's: a delivery stays due in the database until its
 * attempt is recorded. What is no message of ours goes on to the dead letters.
 *
 * @param defer Lets work go on after this
 */
export function handleBatch(batch: MessageBatch, services: Services, defer: (work: Promise<void>) => void): void {
  for (const message of batch.messages) {
    const { data } = CallbackMessage.safeParse(message.body)
    if (data) {
      message.ack()
      defer(handleMessage(data, services))
    } else message.retry()
  }
}

/** Does what a message asks for. It never throws: what fails here is in the database still, where the sweep finds it. */
export async function handleMessage(message: CallbackMessage, services: Services): Promise<void> {
  try {
    if ('delivery' in message) await deliver(message.delivery, services)
    else await expand(message.event, services)
  } catch (error) {
    const { message: reason, stack } = rootCause(error)
    console.error(JSON.stringify({ event: 'message-failed', message, error: reason, stack }))
  }
}

/** Deliveries that one step makes; the message for the next step goes along with theirs. */
const SUBSCRIBERS_PER_STEP = MESSAGES_MAX - 1

/** Makes the deliveries of an event to the next of its subscribers, and queues them, and the rest. */
export async function expand(id: number, services: Services): Promise<void> {
  const { db } = openSession(services.database, 'first-primary')
  const { accountLimits } = services.config
  const { made, hasMore } = await expandEvent(db, id, SUBSCRIBERS_PER_STEP, accountLimits, services.now())
  const deliveries = made.map((delivery) => ({ delivery }))
  enqueue(services, hasMore ? [...deliveries, { event: id }] : deliveries)
}
