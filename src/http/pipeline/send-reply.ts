import type * as z from 'zod'
import { RenderedPage } from '../../design/rendered-page.ts'
import type { PageWorld } from '../../design/universe-bar.ts'
import type { Reply } from '../../domain/reply.ts'
import { declaredPart } from '../../schemas/declared-part.ts'
import { varyByEncoding } from '../compression.ts'
import { FORMATS, type FormatName } from './formats.ts'
import { contentTypeOf } from './negotiation.ts'
import { writePage } from './page-writer.ts'
import { FileBody, PageBody, SocketBody, WrittenBody } from './reply.ts'
import type { Route } from './route.ts'
import { isPublicRead, mediaTypesOf, negotiates } from './route-facts.ts'

/** Caches may store the response but must revalidate every use, so that callers see their own changes. */
const PUBLIC_READ = 'public, max-age=0, must-revalidate'
export const NO_STORE = 'no-store'

type SendReply = (reply: Reply, format: FormatName | undefined, requestHeaders: Headers, world: PageWorld) => Response

/**
 * Creates the function that sends the replies of a route. A document is sent with only the members that its schema
 * declares. A page of a list contains as many items as fit into PAGE_MAX_BYTES. A file is sent unchanged, like a
 * document that is already written. The function takes a handler's reply and
 * - the format that the caller prefers; undefined if the route sends no documents, or the caller gets an HTML page;
 * - the headers of the request;
 * - the world. Handlers write root-relative URLs without the base path of the world. The function adds the base path.
 *
 * The function throws an Error if the route does not declare the response, if the document was written in another
 * format, or if the handler returns a document although the caller gets an HTML page. These are bugs of the route.
 */
export function replySender(route: Route): SendReply {
  const cacheControl = isPublicRead(route) && !route.isSecret ? PUBLIC_READ : NO_STORE
  const isNegotiated = negotiates(route)
  const commonHeaders = { 'Cache-Control': cacheControl, ...(isNegotiated && { Vary: 'Accept' }) }
  // If a route sends several types, the platform compresses all of them or none.
  const [typeOfUnchanged = null] = mediaTypesOf(route, 200)
  return ({ status, body, headers }, format, requestHeaders, world) => {
    const spec = route.responses[status]
    if (!spec) throw new Error(`${route.operationId} does not declare the status ${status}`)
    // The Vary of the handler is added to the Vary that all replies of the route have.
    const vary = [commonHeaders.Vary, headers.Vary].filter(Boolean).join(', ')
    const isRootRelative = headers.Location?.startsWith('/')
    const location = isRootRelative ? { Location: world.basePath + headers.Location } : {}
    const ownHeaders = { ...commonHeaders, ...headers, ...location, ...(vary && { Vary: vary }) }
    if (body instanceof SocketBody) {
      const type = body.mediaType === undefined ? {} : { 'Content-Type': body.mediaType }
      return new Response(null, { status: 101, headers: { ...ownHeaders, ...type }, webSocket: body.socket })
    }
    if (body instanceof FileBody) return respond(status, fileOf(body, world), ownHeaders, body.mediaType)
    if (!spec.schema) return respondWithoutBody(status, ownHeaders, typeOfUnchanged)
    if (!format) throw new Error(`${route.operationId} returns a document to a client that gets an HTML page`)
    const mediaType = isNegotiated ? contentTypeOf(format, requestHeaders) : FORMATS[format].mediaType
    if (body instanceof PageBody) {
      const page = writePage(body, spec.schema, FORMATS[format], world.basePath)
      return respond(status, page.text, { ...ownHeaders, ...page.headers }, mediaType)
    }
    return respond(status, contentOf(body, spec.schema, format), ownHeaders, mediaType)
  }
}

function fileOf({ content }: FileBody, world: PageWorld): BodyInit | null {
  return content instanceof RenderedPage ? content.at(world) : content
}

function contentOf(body: unknown, schema: z.ZodType, format: FormatName): BodyInit {
  if (!(body instanceof WrittenBody)) return writeDocument(body, schema, format)
  if (body.format === format) return body.content
  throw new Error(`a document was written as ${body.format}, and the caller gets ${format}`)
}

/** Writes a document: the members that its schema declares. */
export function writeDocument<Schema extends z.ZodType>(
  document: z.input<Schema>,
  schema: Schema,
  format: FormatName,
): string {
  return FORMATS[format].write(declaredPart(schema, document), schema)
}

function respond(
  status: number,
  content: BodyInit | null,
  headers: Record<string, string>,
  mediaType: string,
): Response {
  const response = new Response(content, { status, headers: { ...headers, 'Content-Type': mediaType } })
  varyByEncoding(response.headers, mediaType)
  return response
}

/** @param typeOfUnchanged The media type that a 304 does not send again */
function respondWithoutBody(status: number, headers: Record<string, string>, typeOfUnchanged: string | null): Response {
  const response = new Response(null, { status, headers })
  if (status === 304) varyByEncoding(response.headers, typeOfUnchanged)
  return response
}
