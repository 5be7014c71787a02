import * as z from 'zod'
import { doc } from '#doc'

export const Health = z.object({ status: z.literal('ok') }).meta({
  id: 'Health',
  description: doc('The service runs'),
  xml: { name: 'health' },
  examples: [{ status: 'ok' }],
})

/** The response of a service that can do its work. */
export const Readiness = z.object({ status: z.literal('ready') }).meta({
  id: 'Readiness',
  description: doc('The service works, and so does everything that it needs'),
  xml: { name: 'readiness' },
  examples: [{ status: 'ready' }],
})
