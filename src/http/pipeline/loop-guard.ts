import { CALLER } from '../../domain/guarded-fetch.ts'
import { ProblemError } from '../../domain/problems.ts'
import { EVENT_HEADER } from '../../domain/webhook-signature.ts'
import type { HonoContext } from './context.ts'
import type { Route } from './route.ts'

/** Methods that change nothing (RFC 9110, section 9.2.1). */
const SAFE_METHODS = ['GET', 'HEAD']

/**
 * A step that rejects a call that the service has sent to itself. Otherwise, a callback that creates a planet would
 * trigger itself forever. The URL guard prevents most of these calls. Only a call to a host name of the service that
 * the guard does not know can arrive here.
 *
 * Before a callback, the service may ask for a token, at a URL that the receiver names. That request has no event. It
 * may read, and it may be for an OAuth endpoint, because the token can be one of another deployment.
 */
export function refuseOwnCallbacks({ errorStyle }: Route): (c: HonoContext) => void {
  return (c) => {
    const isCallback = c.req.header(EVENT_HEADER) !== undefined
    const isTokenRequest = c.req.header('User-Agent')?.startsWith(`${CALLER}/`)
    const mayAskForToken = errorStyle === 'oauth' || SAFE_METHODS.includes(c.req.method)
    if (isCallback || (isTokenRequest && !mayAskForToken)) {
      throw new ProblemError(
        'bad-request',
        'Callbacks of this service cannot call the service itself, except for its echo and its inboxes.',
      )
    }
  }
}
