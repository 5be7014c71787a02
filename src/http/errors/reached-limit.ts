import { openSession } from '../../db/port.ts'
import { ProblemError } from '../../domain/problems.ts'
import { presentUser } from '../../schemas/user.ts'
import { insertReachedLimit } from '../../stores/reached-limits.ts'
import type { HonoContext } from '../pipeline/context.ts'

/**
 * Sends the event `rate_limit.exceeded` to a caller with credentials, if the error is about a rate limit. The event is
 * sent once for each user, limit and window.
 */
export function tellReachedLimit(c: HonoContext, error: Error): void {
  const caller = c.get('caller')
  if (!caller || !(error instanceof ProblemError) || !error.rateLimit) return
  const { services } = c.env
  const { key, limit, windowSeconds } = error.rateLimit
  const [reported, now] = [`${caller.id}/${key}`, services.now()]
  if (services.reportedLimits.get(reported, now)) return
  services.reportedLimits.set(reported, true, now.getTime() + windowSeconds * 1000)
  const requestId = c.get('requestId')
  const happening = {
    kind: 'rate_limited',
    body: presentUser(caller),
    details: {
      requestId,
      userId: caller.id,
      // Only the first request above the limit causes an event.
      rateLimit: { limit, window: `PT${windowSeconds}S`, exceededBy: 1 },
      request: { endpoint: c.get('url').pathname, method: c.req.method },
    },
  } as const
  // A new session, because the session of the request may reject writes after the error.
  const session = openSession(services, 'first-primary')
  services.defer(insertReachedLimit(session, happening, { key, windowSeconds }, now))
}
