import { openSession } from '../../db/client.ts'
import { ProblemError } from '../../domain/problems.ts'
import { presentUser } from '../../schemas/user.ts'
import { insertReachedLimit } from '../../stores/reached-limits.ts'
import type { HonoContext } from '../pipeline/context.ts'

/** Sends a signed-in caller the event that a limit was reached, once for each user, limit and window. */
export function tellReachedLimit(c: HonoContext, error: Error): void {
  const caller = c.get('caller')
  if (!caller || !(error instanceof ProblemError) || !error.rateLimit) return
  const { services } = c.env
  const { key, limit, windowSeconds } = error.rateLimit
  if (!services.reportedLimits.rememberNew(`${caller.id}/${key}`, windowSeconds * 1000, services.now())) return
  const requestId = c.get('requestId')
  const happening = {
    kind: 'rate_limited',
    body: presentUser(caller),
    details: {
      ...{ requestId, userId: caller.id },
      rateLimit: { limit, window: `PT${windowSeconds}S`, exceededBy: 1 },
      request: { endpoint: c.get('url').pathname, method: c.req.method },
    },
  } as const
  // A new session, because the error may have ended the one of the request.
  const { db } = openSession(services.database, 'first-primary')
  services.defer(insertReachedLimit(db, happening, { key, windowSeconds }, services.now()))
}
