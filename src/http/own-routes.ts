import type * as z from 'zod'
import type { Caller } from '../auth/scheme.ts'
import { ALL_SCHEMES } from '../auth/schemes.ts'
import { ProblemError } from '../domain/problems.ts'
import type { PageQuery } from '../schemas/page.ts'
import type { ListPage } from '../stores/cut-page.ts'
import { type PageMeta, pageResponse, replyList } from './pagination.ts'
import type { RequestContext } from './pipeline/context.ts'
import { reply } from './pipeline/reply.ts'
import { defineRoute, type Route, type RouteDescription } from './pipeline/route.ts'

// Routes for what belongs to a user: keys, clients, consents, grants, subscriptions, deliveries. Nobody else sees it, so
// what belongs to another user is answered like what does not exist.

type Described = Pick<RouteDescription, 'path' | 'operationId' | 'tag' | 'summary' | 'description' | 'formats'>

const DECLARED = { since: '2.0.0', security: ALL_SCHEMES } as const
const READS = { ...DECLARED, method: 'get', scope: 'read:account' } as const
const DELETES = { ...DECLARED, method: 'delete', scope: 'write:account' } as const

interface OwnList<Query extends z.ZodType<PageQuery>, Row, Item> extends Described {
  /** The parameters of a page, and filters. The links to other pages keep the filters. */
  query: Query
  page: z.ZodType<unknown, { data: Item[]; meta: PageMeta }>
  /** What the response is. */
  found: string
  list(query: z.output<Query>, caller: Caller, context: RequestContext): Promise<ListPage<Row>>
  present(row: Row): NoInfer<Item>
}

/** Declares the route that lists what the caller has. */
export function listOwn<Query extends z.ZodType<PageQuery>, Row, Item>(own: OwnList<Query, Row, Item>): Route {
  const { page, found, list, present, ...described } = own
  const { path } = described
  return defineRoute({
    ...READS,
    ...described,
    responses: { 200: pageResponse(path, page, found) },
    async handle({ query, caller }, context) {
      const { rows, total } = await list(query, caller, context)
      return replyList(path, query, rows.map(present), total, query)
    },
  })
}

interface OwnThing<Params extends z.ZodType> extends Described {
  params: Params
  /** What a 404 says. */
  missing: string
}

interface OwnRead<Params extends z.ZodType, Row, Document> extends OwnThing<Params> {
  schema: z.ZodType<unknown, Document>
  /** What the response is. */
  found: string
  find(params: z.output<Params>, caller: Caller, context: RequestContext): Promise<Row | undefined>
  present(row: Row): NoInfer<Document>
}

/** Declares the route that reads one thing of the caller. */
export function readOwn<Params extends z.ZodType, Row, Document>(own: OwnRead<Params, Row, Document>): Route {
  const { schema, found, missing, find, present, ...described } = own
  return defineRoute({
    ...READS,
    ...described,
    responses: { 200: { description: found, schema } },
    async handle({ params, caller }, context) {
      const row = await find(params, caller, context)
      if (row) return reply(200, present(row))
      throw new ProblemError('not-found', missing)
    },
  })
}

interface OwnDeletion<Params extends z.ZodType> extends OwnThing<Params> {
  /** What a 204 means. */
  done: string
  /** @returns Whether it existed */
  remove(params: z.output<Params>, caller: Caller, context: RequestContext): Promise<boolean>
}

/** Declares the route that deletes one thing of the caller. */
export function deleteOwn<Params extends z.ZodType>(own: OwnDeletion<Params>): Route {
  const { done, missing, remove, ...described } = own
  return defineRoute({
    ...DELETES,
    ...described,
    responses: { 204: { description: done } },
    async handle({ params, caller }, context) {
      if (await remove(params, caller, context)) return reply(204)
      throw new ProblemError('not-found', missing)
    },
  })
}
