import type { PageQuery } from '../schemas/page.ts'

/** A list's answer: the envelope and the headers that go with it (RFC 8288 for `Link`). */
interface Page<Item> {
  body: { data: Item[]; meta: { limit: number; offset: number; total: number; next: string | null } }
  headers: Record<string, string>
}

/**
 * Puts the items of a page into the envelope of every list.
 *
 * @param path Path of the list, such as `/planets`: `next` is relative, so that it works behind any host.
 */
export function paginate<Item>(path: string, { limit, offset }: PageQuery, data: Item[], total: number): Page<Item> {
  const pageAt = (start: number) => `${path}?limit=${limit}&offset=${start}`
  const next = offset + limit < total ? pageAt(offset + limit) : null
  const lastStart = Math.max(Math.ceil(total / limit) - 1, 0) * limit
  // Of an offset past the end the page before is the last.
  const previous = Math.max(Math.min(offset - limit, lastStart), 0)
  const links = [
    `<${pageAt(0)}>; rel="first"`,
    ...(offset > 0 ? [`<${pageAt(previous)}>; rel="prev"`] : []),
    ...(next ? [`<${next}>; rel="next"`] : []),
    `<${pageAt(lastStart)}>; rel="last"`,
  ]
  return {
    body: { data, meta: { limit, offset, total, next } },
    headers: {
      Link: links.join(', '),
      'X-Pagination-Total': String(total),
      'X-Pagination-Page': String(Math.floor(offset / limit) + 1),
      'X-Pagination-Per-Page': String(limit),
    },
  }
}
