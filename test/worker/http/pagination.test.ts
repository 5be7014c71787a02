import { describe, expect, it } from 'vitest'
import { replyList } from '../../../src/http/pagination.ts'

type Query = Parameters<typeof replyList>[1]

// The links of a list that is requested with more than limit and offset. For what all lists share, see
// features/lists.test.ts.

/** A page of which all items are sent. */
function pageOf(query: Query, items: string[], total: number, filters: Parameters<typeof replyList>[4]) {
  return replyList('/things', query, items, total, filters).body.envelope(items.length, '')
}

/** Every link to another page, by its relation, and the link of the envelope. */
function linksOf({ others, headers }: ReturnType<typeof pageOf>): Record<string, string> {
  const links = (headers.Link ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)
  const byRelation = new Map([...links].map(([, to = '', relation = '']) => [relation, to]))
  return { ...Object.fromEntries(byRelation), 'meta.next': others.meta.next ?? '' }
}

describe('the links of a filtered list', () => {
  it('stay in the same filtered list', () => {
    const page = pageOf({ limit: 2, offset: 4 }, ['e', 'f'], 9, { status: 'failed', planetId: 7 })
    expect(linksOf(page)).toEqual({
      first: '/things?status=failed&planetId=7&limit=2&offset=0',
      prev: '/things?status=failed&planetId=7&limit=2&offset=2',
      next: '/things?status=failed&planetId=7&limit=2&offset=6',
      last: '/things?status=failed&planetId=7&limit=2&offset=8',
      'meta.next': '/things?status=failed&planetId=7&limit=2&offset=6',
    })
  })

  it('have no filter that was not requested, except one that is empty or 0', () => {
    const filters = { status: undefined, event: '', planetId: 0 }
    const { others } = pageOf({ limit: 1, offset: 0 }, ['a'], 2, filters)
    expect(others.meta.next).toBe('/things?event=&planetId=0&limit=1&offset=1')
  })

  it.each(['a b', 'a&limit=100', 'a>; rel="next"', 'Ümlaut', '100%', 'a+b', 'a#b', 'a, </b>'])(
    'keep a filter whatever its characters are: %j',
    (name) => {
      const page = pageOf({ limit: 1, offset: 1 }, ['b'], 3, { name })
      const links = Object.values(linksOf(page))
      expect(links).toHaveLength(5)
      for (const [index, link] of links.entries()) {
        expect(link).toMatch(/^[\x21-\x7e]+$/)
        const { pathname, searchParams } = new URL(link, 'http://galaxy.test')
        const offset = String([0, 0, 2, 2, 2][index])
        expect([pathname, ...searchParams]).toEqual(['/things', ['name', name], ['limit', '1'], ['offset', offset]])
      }
    },
  )

  it('go to other pages even if limit and offset are among the filters', () => {
    const query = { limit: 1, offset: 1, status: 'failed' }
    expect(pageOf(query, ['b'], 3, query).others.meta.next).toBe('/things?limit=1&offset=2&status=failed')
  })
})

it('if fewer items are sent, the next page begins after them, and nothing else changes', () => {
  const page = replyList('/things', { limit: 3, offset: 3 }, ['d', 'e', 'f'], 9).body
  const [all, cut] = [page.envelope(3, ''), page.envelope(2, '')]
  expect(all.others.meta).toEqual({ limit: 3, offset: 3, total: 9, next: '/things?limit=3&offset=6' })
  expect(cut.others.meta).toEqual({ limit: 3, offset: 3, total: 9, next: '/things?limit=3&offset=5' })
  const { Link, ...counts } = cut.headers
  expect(all.headers).toEqual({ ...counts, Link: Link?.replace('offset=5>; rel="next"', 'offset=6>; rel="next"') })
  expect(Link).toContain('offset=5>; rel="next"')
})
