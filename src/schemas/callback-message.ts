import { z } from 'zod'

/** A message in the queue: the id of a delivery to make, or of an event to expand to its subscriptions. */
export const CallbackMessage = z.union([
  z.strictObject({ delivery: z.int().positive() }),
  z.strictObject({ event: z.int().positive() }),
])

export type CallbackMessage = z.infer<typeof CallbackMessage>
