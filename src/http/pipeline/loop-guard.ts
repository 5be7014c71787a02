import { ProblemError } from '../../domain/problems.ts'
import { EVENT_HEADER } from '../../domain/webhook-signature.ts'
import type { HonoContext } from './context.ts'

/**
 * Rejects a callback that the service has sent to itself. Otherwise, a callback that creates a planet would trigger
 * itself forever. The URL guard prevents most of these calls. Only a call to a host name of the service that the guard
 * does not know can arrive here.
 */
export function refuseOwnCallbacks(c: HonoContext): void {
  if (c.req.header(EVENT_HEADER) !== undefined) {
    throw new ProblemError(
      'bad-request',
      'Callbacks of this service cannot call the service itself, except for its echo and its inboxes.',
    )
  }
}
