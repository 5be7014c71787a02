import type { z } from 'zod'
import type { Caller } from '../../auth/scheme.ts'
import type { SchemeName } from '../../auth/schemes.ts'
import type { BatchQuery, Database } from '../../db/client.ts'
import type { ProblemCode, RefusedBody } from '../../domain/problems.ts'
import type { Scope } from '../../schemas/scopes.ts'
import type { ApiVersion } from '../api-versions.ts'
import type { BodyReader } from '../body/reader.ts'
import type { ErrorStyle } from '../errors/error-styles.ts'
import type { HeaderExamples, HeaderName } from '../headers.ts'
import type { TagName } from '../tags.ts'
import type { RequestContext } from './context.ts'
import type { FormatName } from './formats.ts'
import type { FileBody, PageBody, Reply } from './reply.ts'

/** One kind of success of a route: its meaning, its body and the headers of its own. */
export interface ResponseSpec {
  description: string
  /** What the document calls it, if several operations have it. */
  component?: string
  /** Of a document, which is sent in the format that the caller likes best. */
  schema?: z.ZodType
  /** An example of the document, where those of its schema would not fit. */
  example?: unknown
  /** Media types of a file, which is sent as it is. A response with a schema too is the file to those who want a page. */
  files?: readonly string[]
  headers?: readonly HeaderName[]
  /** Their values in an example, where those of every day (http/headers.ts) would not fit. */
  exampleHeaders?: HeaderExamples
}

type Responses = Readonly<Record<number, ResponseSpec>>

/** An answer that one of the route's responses declares. */
type ReplyOf<R extends Responses> = {
  [Status in keyof R & number]: Reply<Status, DocumentOf<R[Status]> | ListOf<DocumentOf<R[Status]>> | FileOf<R[Status]>>
}[keyof R & number]

type DocumentOf<R> = R extends { schema: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : R extends { files: readonly string[] }
    ? never
    : undefined
type ListOf<Document> = Document extends { data: (infer Item)[] } ? PageBody<Item, Omit<Document, 'data'>> : never
type FileOf<R> = R extends { files: readonly string[] } ? FileBody : never

/** What is told of a route, besides what it takes and answers. */
export interface RouteTexts {
  method: Method
  /** As OpenAPI writes it: `/planets/{planetId}`. */
  path: string
  operationId: string
  tag: TagName
  summary: string
  description: string
  /** Absent on what the first API version of the interface had already. */
  since?: ApiVersion
  /** When the operation was deprecated. */
  deprecated?: Date
  /** Problems of its own; those that follow from the rest of the declaration are not named again. */
  problems?: readonly ProblemCode[]
  /** Absent: problem documents. */
  errors?: ErrorStyle
  /** What may be sent and answered, where that is not every format. */
  formats?: readonly FormatName[]
  /** What tools read beyond OpenAPI. */
  hints?: Readonly<Record<`x-${string}`, string>>
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/**
 * A route: everything about an endpoint that is not its work. The same declaration is the check and the documentation,
 * so that they cannot differ.
 */
export interface RouteSpec<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body,
  Read extends BatchQuery,
  Security extends readonly SchemeName[],
  R extends Responses,
  Anonymous extends true | undefined,
> extends RouteTexts {
  /** Any one of these schemes suffices; an empty list means public. */
  security: Security
  /** What the credential has to be good for. */
  scope?: Scope
  /** Credentials may be left out; those that are sent have to be valid. */
  anonymous?: Anonymous
  /** Public, but a credential that is sent has to be valid. */
  refusesBadCredentials?: true
  /** What a path parameter may be; a path with any other is an unknown path. */
  params?: Params
  query?: Query
  body?: BodyReader<Body>
  /** What is done where the body of a caller is refused, before the refusal is told. Only on secured routes. */
  onBodyRefused?(error: RefusedBody, caller: Caller, context: RequestContext): Promise<void>
  /** A read that shares the round trip of the caller's standing. Only on secured routes. */
  prefetch?(db: Database, params: z.output<Params>): Read
  responses: R
  /** The endpoint's work. @throws ProblemError */
  handle(
    request: {
      params: z.output<Params>
      query: z.output<Query>
      body: Body
      caller: Security extends readonly [] ? undefined : Anonymous extends true ? Caller | undefined : Caller
      prefetched: Security extends readonly [] ? undefined : Read['_']['result']
    },
    context: RequestContext,
  ): Promise<ReplyOf<R>>
}

/** A route as the mounting code sees it, whatever its types are inside. */
export interface Route extends RouteTexts {
  security: readonly SchemeName[]
  scope?: Scope
  anonymous?: true | undefined
  refusesBadCredentials?: true
  params?: z.ZodType
  query?: z.ZodType
  body?: BodyReader<unknown>
  onBodyRefused?(error: RefusedBody, caller: Caller, context: RequestContext): Promise<void>
  prefetch?(db: Database, params: unknown): BatchQuery
  responses: Responses
  handle(request: RouteRequest, context: RequestContext): Promise<Reply>
}

export interface RouteRequest {
  params: unknown
  query: unknown
  body: unknown
  caller: Caller | undefined
  prefetched: unknown
}

/** Declares a route and checks, as it is written, that its handler and its declaration agree. */
export function defineRoute<
  const Security extends readonly SchemeName[],
  const R extends Responses,
  Read extends BatchQuery = never,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body = undefined,
  Anonymous extends true | undefined = undefined,
>(spec: RouteSpec<Params, Query, Body, Read, Security, R, Anonymous>): Route {
  // Safe because http/pipeline/mount.ts gives a handler only what this very declaration has parsed.
  return spec as unknown as Route
}
