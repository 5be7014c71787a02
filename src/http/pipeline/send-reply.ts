import { FORMATS, type FormatName } from './formats.ts'
import { contentTypeOf } from './negotiation.ts'
import { writePage } from './page-writer.ts'
import { FileBody, PageBody, type Reply } from './reply.ts'
import type { Route } from './route.ts'
import { isPublicRead, negotiates } from './route-facts.ts'

/** Caches may store the response but must revalidate every use, so that callers see their own changes. */
const PUBLIC_READ = 'public, max-age=0, must-revalidate'
/** Caches must not store the response. */
export const NO_STORE = 'no-store'

/**
 * Sends a handler's reply. A document is parsed by the schema of the declared response, so that no undeclared member
 * leaks. A page of a list contains as many items as fit. A file is sent unchanged.
 *
 * @param format The format that the caller prefers; undefined if the route sends no documents, or the caller gets an
 * HTML page
 * @param request The headers of the request
 * @throws Error if the route does not declare the response, which is a bug
 */
export function sendReply(
  route: Route,
  { status, body, headers }: Reply,
  format: FormatName | undefined,
  request: Headers,
): Response {
  const spec = route.responses[status]
  if (!spec) throw new Error(`${route.operationId} does not declare the status ${status}`)
  const allHeaders = new Headers({ 'Cache-Control': isPublicRead(route) ? PUBLIC_READ : NO_STORE, ...headers })
  if (negotiates(route)) allHeaders.append('Vary', 'Accept')
  if (body instanceof FileBody) {
    allHeaders.set('Content-Type', body.mediaType)
    return new Response(body.content, { status, headers: allHeaders })
  }
  if (!spec.schema) return new Response(null, { status, headers: allHeaders })
  if (!format) throw new Error(`${route.operationId} returns a document to a client that gets an HTML page`)
  allHeaders.set('Content-Type', negotiates(route) ? contentTypeOf(format, request) : FORMATS[format].mediaType)
  if (body instanceof PageBody) {
    const page = writePage(body, spec.schema, FORMATS[format])
    for (const [name, value] of Object.entries(page.headers)) allHeaders.set(name, value)
    return new Response(page.text, { status, headers: allHeaders })
  }
  return new Response(FORMATS[format].write(spec.schema.parse(body), spec.schema), { status, headers: allHeaders })
}
