import { parse } from 'hono/utils/cookie'
import { authenticate, presentsCredential } from '../../auth/authenticate.ts'
import { readAuthorization } from '../../auth/authorization-header.ts'
import { bearerChallenge } from '../../auth/challenges.ts'
import type { AuthRequest } from '../../auth/scheme.ts'
import { ALL_SCHEMES } from '../../auth/schemes.ts'
import { createWriteGuard } from '../../auth/write-guard.ts'
import { openSession } from '../../db/port.ts'
import { ProblemError } from '../../domain/problems.ts'
import { contextOf, type HonoContext } from './context.ts'
import type { Route } from './route.ts'
import { checksCredentials, isRead, needsCredentials } from './route-facts.ts'
import { openRouteSession } from './session.ts'
import { withProtocolToken } from './socket.ts'
import { requireWritesLeft } from './write-limit.ts'

/** Opens the session and checks the credentials. The `prefetch` query of the route runs in the same round trip. */
export function authorize(route: Route) {
  if (!checksCredentials(route)) return (c: HonoContext) => openRouteSession(c, route)
  return async (c: HonoContext) => {
    openRouteSession(c, route)
    await checkCredentials(c, route)
  }
}

/**
 * If the method is not GET, the request counts as a write for the rate limit, unless the route is public.
 *
 * @throws ProblemError 401, 403, 429, 503
 */
async function checkCredentials(c: HonoContext, route: Route): Promise<void> {
  const context = contextOf(c)
  const request = authRequestOf(c, route)
  const { security, scope } = route
  // A public route names no schemes. If it checks credentials, it accepts every scheme.
  const isOpen = !needsCredentials(route)
  if (isOpen && !presentsCredential(request)) return
  const access = { schemes: security.length > 0 ? security : ALL_SCHEMES, scope, isOpen }
  const prefetchQuery = route.prefetch?.(c.req.valid('param'))
  const authenticated = await authenticate(request, access, context, prefetchQuery)
  if (!authenticated) return
  const { caller, scheme, prefetched } = authenticated
  // Set before the limit of writes is checked, so that the handling of its error knows the caller.
  c.set('caller', caller)
  c.set('scheme', scheme)
  // The handler of a public route gets no caller, so what it writes is not the caller's.
  if (!isRead(route.method) && security.length > 0) await requireWritesLeft(context.services, caller)
  context.session.guard(createWriteGuard(caller, context.services))
  c.set('prefetched', prefetched)
}

function authRequestOf(c: HonoContext, { opensSocket }: Route): AuthRequest {
  const { method } = c.req.raw
  const headers = opensSocket ? withProtocolToken(c.req.raw.headers) : c.req.raw.headers
  const { services } = c.env
  const isForeign = (issuer: string) =>
    services.foreignIssuers.knows(issuer) && !services.isOwnIssuer(issuer, c.get('baseUrl'))
  const authorization = readAuthorization(headers, isForeign)
  const cookies = parse(headers.get('Cookie') ?? '')
  return {
    method,
    opensSocket: opensSocket === true,
    headers,
    authorization,
    query: c.get('url').searchParams,
    cookies,
  }
}

/**
 * The error for a credential that became invalid between the start of the request and its write. It is the error that a
 * new request with this credential would get.
 */
export async function explainEndedCredential(c: HonoContext, route: Route): Promise<unknown> {
  try {
    // The check of a password may write (it counts failures), which the guard of the old session would reject.
    c.set('session', openSession(c.env.services, 'first-primary'))
    if (checksCredentials(route)) await checkCredentials(c, route)
    return new ProblemError('unauthorized', 'The credential became invalid during the request. Nothing was stored.', {
      headers: { 'WWW-Authenticate': bearerChallenge(c.get('baseUrl')) },
    })
  } catch (refusal) {
    return refusal
  }
}
