import type * as z from 'zod'
import type { Caller } from '../../auth/scheme.ts'
import type { SchemeName } from '../../auth/schemes.ts'
import type { ReadQuery, ResultOf } from '../../db/port.ts'
import type { ProblemCode, RefusedBody } from '../../domain/problems.ts'
import type { Reply } from '../../domain/reply.ts'
import type { Scope } from '../../domain/scopes.ts'
import type { World } from '../../domain/universe.ts'
import type { ApiVersion } from '../api-versions.ts'
import type { BodyReader } from '../body/reader.ts'
import type { ErrorStyle } from '../errors/error-styles.tsx'
import type { HeaderExamples, HeaderName } from '../headers.ts'
import type { Label, TagName } from '../tags.ts'
import type { RequestContext } from './context.ts'
import type { FormatName } from './formats.ts'
import type { FileBody, PageBody, SocketBody, WrittenBody } from './reply.ts'

/** How the values of a response lead to a further request (OpenAPI 3.1, section 4.8.20). */
export interface LinkSpec {
  /** Set if several responses have the link. It then is a component of the document, with the name of the link. */
  isShared?: true
  /** The operation that the link leads to: either its id, or its place in the document (`#/paths/…`). */
  operationId?: string
  operationRef?: string
  description: string
  /**
   * The parameters of the request, by name, or by place and name (`query.limit`). Values are runtime expressions
   * (section 4.8.20.4) or constants. A parameter whose expression has no value is left out.
   */
  parameters?: Readonly<Record<string, string>>
  /** The body of the request: a runtime expression. */
  requestBody?: string
}

/** A response of a route that is not an error: its meaning, its body and its additional headers. */
export interface ResponseSpec {
  description: string
  /** The name of the response in the OpenAPI document, if several operations share it. */
  component?: string
  /** The schema of a document, which is sent in the format that the caller prefers. */
  schema?: z.ZodType
  /** An example of the document, if the examples of its schema do not fit. */
  example?: unknown
  /**
   * Media types of a file, which is sent unchanged. If the response has a schema too, the file is an HTML page, and
   * callers that prefer a page get it.
   */
  files?: readonly string[]
  /** The schema of the items, if the file is a stream of items. */
  items?: z.ZodType
  headers?: readonly HeaderName[]
  /** The requests that the response leads to, by the names of the links. */
  links?: Readonly<Record<string, LinkSpec>>
  /** Example values of its headers, if the usual ones (http/headers.ts) do not fit. */
  exampleHeaders?: HeaderExamples
}

type Responses = Readonly<Record<number, ResponseSpec>>

type ReplyOf<R extends Responses> = {
  [Status in keyof R & number]: Reply<
    Status,
    DocumentOf<R[Status]> | WrittenBody<DocumentOf<R[Status]>> | ListOf<DocumentOf<R[Status]>> | FileOf<R[Status]>
  >
}[keyof R & number]

/**
 * The document of a response, as a handler returns it. Undefined if the response has neither a document nor a file;
 * never if it has only a file.
 */
type DocumentOf<R> = R extends { schema: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : R extends { files: readonly string[] }
    ? never
    : undefined
/** A page of the list, if the document is a list. */
type ListOf<Document> = Document extends { data: (infer Item)[] } ? PageBody<Item, Omit<Document, 'data'>> : never
/** A file, if the response can be a file, or the socket from which the entry of the Worker makes a stream. */
type FileOf<R> = R extends { files: readonly string[] } ? FileBody | SocketBody : never

/** The documentation of a route, its style of errors, and its formats (JSON, XML). */
export interface RouteDescription {
  method: Method
  /** The path in the notation of OpenAPI: `/planets/{planetId}`. */
  path: string
  operationId: string
  tag: TagName
  /** All tags in OpenAPI 3.2, where tags also mark operations. Absent if `tag` is the only one. */
  labels?: readonly (TagName | Label)[]
  summary: string
  description: string
  /** The API version that introduced the operation. Absent if version 1.0.0 has it. */
  since?: ApiVersion
  /** The only kind of world that has the operation. Absent if every world has it. In a universe, all routes have it. */
  world?: World
  deprecated?: Date
  /** Additional problems. Those that follow from the rest of the declaration (`problemsOf`) are not repeated here. */
  problems?: readonly ProblemCode[]
  /** Absent if errors are problem documents. */
  errorStyle?: ErrorStyle
  /** Whoever knows the URL may read what is there, so no cache may store it. For public reads. */
  isSecret?: true
  /**
   * Whether the reply is kept for retries with an Idempotency-Key, if not only that of a POST with a response 201 is. True
   * if a second request would create or change something again, and false if the reply must not be stored.
   */
  keepsReply?: boolean
  /** The formats of requests and responses, if not every format is supported. */
  formats?: readonly FormatName[]
  /** OpenAPI 3.1 cannot describe the operation, or one that it needs, although its method is an older one. */
  isOnlyIn32?: true
  /** How the document of API version 1.0.0 describes the operation, if it has changed since. */
  inVersion1?: Pick<RouteDescription, 'description' | 'problems'> & { query: z.ZodType; responses: Responses }
  /** OpenAPI extensions that some tools read. */
  hints?: Readonly<Record<`x-${string}`, string>>
}

/** A value that exists only if credentials were accepted: never on a public route, always on one that requires them. */
type IfAuthenticated<Security extends readonly SchemeName[], Anonymous, Value> = Security extends readonly []
  ? undefined
  : Anonymous extends true
    ? Value | undefined
    : Value

/** A method of an operation. `query` is RFC 10008: a read whose query is the content. `copy` is WebDAV (RFC 4918). */
export const OPERATION_METHODS = ['get', 'post', 'put', 'patch', 'delete', 'query', 'copy'] as const
export type Method = (typeof OPERATION_METHODS)[number]

/** Everything about an endpoint except its handler. The checks and the documentation use it, so they cannot differ. */
interface RouteSpec<
  Params extends z.ZodType,
  Query extends z.ZodType,
  HeaderFields extends z.ZodType,
  Body,
  Read extends ReadQuery,
  Security extends readonly SchemeName[],
  R extends Responses,
  Anonymous extends true | undefined,
> extends RouteDescription {
  /** The accepted authentication schemes. One of them suffices. If the list is empty, the route is public. */
  security: Security
  scope?: Scope
  /**
   * Credentials are optional: without them, the handler gets no caller. A request with credentials is rejected if none
   * of them is valid. If a valid one lacks the scope, the handler gets no caller either.
   */
  allowsAnonymous?: Anonymous
  /** Public, without a caller. A request with credentials is still rejected if none of them is valid. */
  refusesBadCredentials?: true
  /** The route opens WebSockets. It is no operation of the OpenAPI document. */
  opensSocket?: true
  /** The path parameters. If one of them is not valid, the path is unknown (404). */
  params?: Params
  query?: Query
  /** What the whole query of the URL says, as percent-encoded JSON. The handler reads it. Only for the document. */
  queryString?: z.ZodType
  /** The request headers that say what the operation does, in addition to those of all operations. */
  headers?: HeaderFields
  body?: BodyReader<Body>
  /** Runs if the body of a caller is rejected, before the error is sent. Only on secured routes. */
  onBodyRefused?(error: RefusedBody, caller: Caller, context: RequestContext): Promise<void>
  /**
   * A read in the same round trip as the query for the caller's account state. Only on secured routes, and only if the
   * request has credentials.
   */
  prefetch?(params: z.output<Params>): Read
  responses: R
  /** @throws ProblemError */
  handle(
    request: {
      params: z.output<Params>
      query: z.output<Query>
      headers: z.output<HeaderFields>
      body: Body
      caller: IfAuthenticated<Security, Anonymous, Caller>
      prefetched: IfAuthenticated<Security, Anonymous, ResultOf<Read>>
    },
    context: RequestContext,
  ): Promise<ReplyOf<R>>
}

/** A route as the mounting code sees it, without its type parameters. */
export interface Route extends RouteDescription {
  security: readonly SchemeName[]
  scope?: Scope
  allowsAnonymous?: true | undefined
  refusesBadCredentials?: true
  opensSocket?: true
  params?: z.ZodType
  query?: z.ZodType
  queryString?: z.ZodType
  headers?: z.ZodType
  body?: BodyReader<unknown>
  onBodyRefused?(error: RefusedBody, caller: Caller, context: RequestContext): Promise<void>
  prefetch?(params: unknown): ReadQuery
  responses: Responses
  handle(request: RouteRequest, context: RequestContext): Promise<Reply>
}

/** The parts of a request that a handler gets, without their types. */
export interface RouteRequest {
  params: unknown
  query: unknown
  headers: unknown
  body: unknown
  caller: Caller | undefined
  prefetched: unknown
}

/** The compiler checks that the handler and the declaration agree. */
export function defineRoute<
  const Security extends readonly SchemeName[],
  const R extends Responses,
  Read extends ReadQuery = never,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  HeaderFields extends z.ZodType = z.ZodUndefined,
  Body = undefined,
  Anonymous extends true | undefined = undefined,
>(spec: RouteSpec<Params, Query, HeaderFields, Body, Read, Security, R, Anonymous>): Route {
  // Safe because http/pipeline/mount.ts passes a handler only what this declaration has parsed.
  return spec as unknown as Route
}
