import type { z } from 'zod'
import { definedEntries } from '../lib/objects.ts'
import type { PageQuery } from '../schemas/page.ts'
import { type HeaderExamples, type HeaderName, PAGINATION_HEADERS } from './headers.ts'
import { PageBody, type Reply, reply } from './pipeline/reply.ts'

/** What every page says of its place in its list. */
interface PageMeta {
  limit: number
  offset: number
  total: number
  next: string | null
}

/** What a list's query has beside limit and offset. */
type Filters = Readonly<Record<string, string | number | undefined>>

/** What a route declares of a list's answer. */
interface PageResponse<Schema extends z.ZodType> {
  description: string
  schema: Schema
  headers: readonly HeaderName[]
  exampleHeaders: HeaderExamples
}

/**
 * Declares the answer of a list.
 *
 * @param path Path of the list, such as `/planets`
 * @param example Of what page the example of the schema is
 */
export function pageResponse<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  description: string,
  { limit, total }: { limit: number; total: number } = { limit: 10, total: 1 },
): PageResponse<Schema> {
  const { headers } = describePage(path, { limit, offset: 0 }, Math.min(limit, total), total, {})
  return { description, schema, headers: ['Link', ...PAGINATION_HEADERS], exampleHeaders: headers }
}

/**
 * Answers a list: its items, and for as many of them as are sent (`writePage`) the envelope with the headers that go with it
 * (RFC 8288 for `Link`). The next page begins behind the last item that was sent.
 *
 * @param path Path of the list, such as `/planets`: `next` is relative, so that it works behind any host.
 * @param data The items of the page; fewer than `limit` if what was read ended early (`cutPage`)
 * @param filters What else was asked for, so that the links lead on in the same list
 */
export function replyList<Item>(
  path: string,
  query: PageQuery,
  data: Item[],
  total: number,
  filters: Filters = {},
): Reply<200, PageBody<Item, { meta: PageMeta }>> {
  const page = new PageBody(data, (count) => {
    const { meta, headers } = describePage(path, query, count, total, filters)
    return { others: { meta }, headers }
  })
  return reply(200, page)
}

/** What a page says of its place in the list. @param count Of the items that it has */
function describePage(
  path: string,
  { limit, offset }: PageQuery,
  count: number,
  total: number,
  filters: Filters,
): { meta: PageMeta; headers: Record<string, string> } {
  const pageAt = (start: number) => `${path}?${writeQuery({ ...filters, limit, offset: start })}`
  const end = offset + count
  const next = count > 0 && end < total ? pageAt(end) : null
  const lastStart = Math.max(Math.ceil(total / limit) - 1, 0) * limit
  // Of an offset past the end the page before is the last.
  const previous = Math.max(Math.min(offset - limit, lastStart), 0)
  const links = [
    `<${pageAt(0)}>; rel="first"`,
    ...(offset > 0 ? [`<${pageAt(previous)}>; rel="prev"`] : []),
    ...(next ? [`<${next}>; rel="next"`] : []),
    `<${pageAt(lastStart)}>; rel="last"`,
  ]
  const headers = {
    Link: links.join(', '),
    'X-Pagination-Total': String(total),
    'X-Pagination-Page': String(Math.floor(offset / limit) + 1),
    'X-Pagination-Per-Page': String(limit),
  }
  return { meta: { limit, offset, total, next }, headers }
}

function writeQuery(parameters: Filters): string {
  const given = definedEntries(parameters).map(([name, value]) => [name, String(value)])
  return new URLSearchParams(given).toString()
}
