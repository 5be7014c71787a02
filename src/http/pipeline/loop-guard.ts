import { createMiddleware } from 'hono/factory'
import { ProblemError } from '../../domain/problems.ts'
import { EVENT_HEADER } from '../../domain/webhook-signature.ts'
import type { HonoEnv } from './context.ts'

/**
 * Rejects calls that the service itself makes to receivers. Otherwise, a callback that creates a planet would trigger
 * itself forever. Such a call can only arrive under a host name of the service that the URL guard does not know.
 */
export const refuseOwnCallbacks = createMiddleware<HonoEnv>(async function refuseOwnCallbacks(c, next) {
  if (c.req.header(EVENT_HEADER) !== undefined) {
    throw new ProblemError(
      'bad-request',
      'Callbacks of this service cannot call the service itself, except for its echo and its inboxes.',
    )
  }
  await next()
})
