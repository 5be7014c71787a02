import { ALL_FORMATS, FORMATS } from './formats.ts'
import { chooseFormat } from './media-types.ts'
import { isPublicRead, sendsDocuments } from './responses.ts'
import { FileBody, type Reply, type Route } from './route.ts'

/** May be kept, but every use is asked for: what a caller has just changed, it reads. */
const PUBLIC_READ = 'public, max-age=0, must-revalidate'
export const NEVER_KEPT = 'no-store'

/**
 * Sends what a handler answered: a document through the schema of the response that it names, so that nothing undeclared
 * leaks, in the format that the caller likes best; a file as it is.
 *
 * @throws Error where the route does not declare the answer: a fault of ours
 * @throws ProblemError 406
 */
export function sendReply(route: Route, { status, body, headers }: Reply, request: Headers): Response {
  const spec = route.responses[status]
  if (!spec) throw new Error(`${route.operationId} does not declare the status ${status}`)
  const all = new Headers({ 'Cache-Control': isPublicRead(route) ? PUBLIC_READ : NEVER_KEPT, ...headers })
  if (sendsDocuments(route)) all.append('Vary', 'Accept')
  if (body instanceof FileBody) {
    all.set('Content-Type', body.mediaType)
    return new Response(body.content, { status, headers: all })
  }
  if (!spec.schema) return new Response(null, { status, headers: all })
  const format = FORMATS[chooseFormat(request, route.formats ?? ALL_FORMATS)]
  all.set('Content-Type', format.mediaType)
  return new Response(format.write(spec.schema.parse(body), spec.schema), { status, headers: all })
}
