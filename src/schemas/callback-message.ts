import { z } from 'zod'

/** What the queue carries: which delivery to make, or which event to expand to its subscriptions. Never more than an id. */
export const CallbackMessage = z.union([
  z.strictObject({ delivery: z.int().positive() }),
  z.strictObject({ event: z.int().positive() }),
])

export type CallbackMessage = z.infer<typeof CallbackMessage>
