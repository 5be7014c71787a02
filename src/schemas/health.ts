import * as z from 'zod'

/** The response of a Worker that runs. */
export const Health = z.object({ status: z.literal('ok') }).meta({
  id: 'Health',
  description: 'The service runs',
  xml: { name: 'health' },
  examples: [{ status: 'ok' }],
})

/** The response of a service that can do its work. */
export const Readiness = z.object({ status: z.literal('ready') }).meta({
  id: 'Readiness',
  description: 'The service works, and so does everything that it needs',
  xml: { name: 'readiness' },
  examples: [{ status: 'ready' }],
})
