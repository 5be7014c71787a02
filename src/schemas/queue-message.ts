import * as z from 'zod'

/** The universe that the message is for; absent if it is for the common world. */
const world = { universe: z.string().optional() }

/**
 * A message in the queue: the id of a delivery to attempt, of an event that needs a delivery for each subscription, or
 * of a batch of observations to work on.
 */
export const QueueMessage = z.union([
  z.strictObject({ delivery: z.int().positive(), ...world }),
  z.strictObject({ event: z.int().positive(), ...world }),
  z.strictObject({ observations: z.uuid(), ...world }),
])

export type QueueMessage = z.infer<typeof QueueMessage>
