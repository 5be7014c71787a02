import { openSession } from '../../db/client.ts'
import { enqueue, MESSAGES_MAX } from '../../schemas/callback-message.ts'
import type { Services } from '../../services.ts'
import { expandEvent } from '../../stores/callbacks/subscribers.ts'

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
