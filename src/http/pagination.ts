import type * as z from 'zod'
import type { Reply } from '../domain/reply.ts'
import { definedEntries } from '../lib/objects.ts'
import type { PageQuery } from '../schemas/page.ts'
import { type HeaderExamples, type HeaderName, PAGINATION_HEADERS } from './headers.ts'
import { PageBody, reply } from './pipeline/reply.ts'

/** The position of a page (a part of a list) in its list. */
export interface PageMeta {
  limit: number
  offset: number
  total: number
  next: string | null
}

/** The parameters of a list's query, except limit and offset. */
type Filters = Readonly<Record<string, string | number | undefined>>

interface PageExample {
  exampleLimit: number
  exampleTotal: number
}

interface PageResponse<Schema extends z.ZodType> {
  description: string
  schema: Schema
  headers: readonly HeaderName[]
  exampleHeaders: HeaderExamples
}

/** @param path Path of the list, such as `/planets` */
export function pageResponse<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  description: string,
  { exampleLimit: limit, exampleTotal: total }: PageExample = { exampleLimit: 10, exampleTotal: 1 },
): PageResponse<Schema> {
  const window = { limit, offset: 0 }
  const { headers } = describePage(pageUrls(path, window, {}), window, Math.min(limit, total), total)
  return { description, schema, headers: ['Link', ...PAGINATION_HEADERS], exampleHeaders: headers }
}

/**
 * Creates the reply of a list: the items, the envelope and the headers (RFC 8288 for `Link`). The envelope and the
 * headers depend on how many items are sent (`writePage`). The next page begins after the last item that was sent.
 *
 * @param path Path of the list, such as `/planets`, without the base path. The links are relative to the host, so that
 * they work behind any host
 * @param data The items of the page; fewer than `limit` if the size limit was reached (`cutPage`)
 * @param filters The other query parameters, so that the links lead to pages of the same list. A limit or an offset
 * among them is ignored
 */
export function replyList<Item>(
  path: string,
  query: PageQuery,
  data: Item[],
  total: number,
  filters: Filters = {},
): Reply<200, PageBody<Item, { meta: PageMeta }>> {
  const page = new PageBody(data, (count, basePath) => {
    const urlAt = pageUrls(basePath + path, query, filters)
    const { meta, headers } = describePage(urlAt, query, count, total)
    return { others: { meta }, headers }
  })
  return reply(200, page)
}

function pageUrls(path: string, { limit }: PageQuery, filters: Filters): (offset: number) => string {
  return (offset) => `${path}?${writeQuery({ ...filters, limit, offset })}`
}

/**
 * The position of a page in its list, and the headers with links to other pages (RFC 8288).
 *
 * @param urlAt The URL of the page at an offset
 * @param count Number of items in the page
 */
export function describePage(
  urlAt: (offset: number) => string,
  { limit, offset }: PageQuery,
  count: number,
  total: number,
): { meta: PageMeta; headers: Record<string, string> } {
  const end = offset + count
  // An empty page has no next page, which would begin at the same item.
  const next = count > 0 && end < total ? urlAt(end) : null
  // The offset of the last page. An empty list has one page.
  const lastStart = Math.max(Math.ceil(total / limit) - 1, 0) * limit
  // If the offset is past the end, the previous page is the last one.
  const previous = Math.max(Math.min(offset - limit, lastStart), 0)
  const links = [
    `<${urlAt(0)}>; rel="first"`,
    ...(offset > 0 ? [`<${urlAt(previous)}>; rel="prev"`] : []),
    ...(next ? [`<${next}>; rel="next"`] : []),
    `<${urlAt(lastStart)}>; rel="last"`,
  ]
  return { meta: { limit, offset, total, next }, headers: pageHeaders(links, { limit, offset, total }) }
}

/** @param links The values of `Link` */
export function pageHeaders(links: readonly string[], { limit, offset, total }: Omit<PageMeta, 'next'>) {
  return {
    Link: links.join(', '),
    'X-Pagination-Total': String(total),
    'X-Pagination-Page': String(Math.floor(offset / limit) + 1),
    'X-Pagination-Per-Page': String(limit),
  }
}

function writeQuery(parameters: Filters): string {
  const textParameters = definedEntries(parameters).map(([name, value]) => [name, String(value)])
  return new URLSearchParams(textParameters).toString()
}
