import { createMiddleware } from 'hono/factory'
import { ProblemError } from '../../domain/problems.ts'
import { EVENT_HEADER } from '../../domain/webhook-signature.ts'
import type { HonoEnv } from './context.ts'

/**
 * Refuses the calls that the service itself makes to receivers. They come here only under a name of the service that the
 * guard of URLs does not know; a planet made by the news of a planet would have no end.
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
