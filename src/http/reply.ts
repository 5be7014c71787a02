import type { Reply, Route } from './route.ts'

/** May be kept, but every use is asked for: what a caller has just changed, it reads. */
const PUBLIC_READ = 'public, max-age=0, must-revalidate'
const NEVER_KEPT = 'no-store'

/**
 * Sends what a handler answered, through the schema of the response that it names, so that nothing undeclared leaks.
 *
 * @throws Error where the route does not declare the answer: a fault of ours
 */
export function sendReply(route: Route, reply: Reply): Response {
  const spec = route.responses[reply.status]
  if (!spec) throw new Error(`${route.operationId} does not declare the status ${reply.status}`)
  const cacheControl = route.method === 'get' && route.security.length === 0 ? PUBLIC_READ : NEVER_KEPT
  const headers = new Headers({
    'Cache-Control': cacheControl,
    'X-Cache-Control': cacheControl,
    Vary: 'Accept',
    ...reply.headers,
  })
  if (!spec.schema) return new Response(null, { status: reply.status, headers })
  headers.set('Content-Type', 'application/json')
  return new Response(JSON.stringify(spec.schema.parse(reply.body)), { status: reply.status, headers })
}
