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
  const next = offset + limit < total ? `${path}?limit=${limit}&offset=${offset + limit}` : null
  return {
    body: { data, meta: { limit, offset, total, next } },
    headers: {
      'X-Pagination-Total': String(total),
      'X-Pagination-Page': String(Math.floor(offset / limit) + 1),
      'X-Pagination-Per-Page': String(limit),
    },
  }
}
