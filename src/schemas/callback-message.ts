import * as z from 'zod'

/**
 * A message in the queue: the id of a delivery to attempt, or of an event that needs a delivery for each subscription.
 */
export const CallbackMessage = z.union([
  z.strictObject({ delivery: z.int().positive() }),
  z.strictObject({ event: z.int().positive() }),
])

export type CallbackMessage = z.infer<typeof CallbackMessage>
