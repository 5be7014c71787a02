import { describe, expect, it } from 'vitest'
import { bodyOf, createClient } from '../../support/app.ts'
import { BASE_URL } from '../../support/world.ts'

const client = createClient()
const CATALOG = '/.well-known/api-catalog'
const PAGE = { Accept: 'text/html' }

/** The links of a response (RFC 8288): target, relation and media type. */
function linksOf(response: Response): { href: string; rel: string; type: string }[] {
  const links = response.headers.get('Link')?.matchAll(/<([^>]*)>; rel="([^"]*)"; type="([^"]*)"(?:, |$)/g) ?? []
  return [...links].map(([, href = '', rel = '', type = '']) => ({ href, rel, type }))
}

describe('the catalogue (RFC 9727)', () => {
  it('is a link set with the profile of catalogues', async () => {
    const response = await client.get(CATALOG)
    expect(response.headers.get('Content-Type')).toBe(
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    )
    const { linkset } = await bodyOf(response)
    expect(linkset).toHaveLength(1)
    expect(linkset[0]).toEqual({
      anchor: `${BASE_URL}/`,
      'service-desc': [
        { href: `${BASE_URL}/openapi.json`, type: 'application/json' },
        { href: `${BASE_URL}/openapi-3.2.json`, type: 'application/json' },
        { href: `${BASE_URL}/asyncapi.json`, type: 'application/json' },
        { href: `${BASE_URL}/arazzo.json`, type: 'application/json' },
      ],
      'service-doc': [
        { href: `${BASE_URL}/docs`, type: 'text/html' },
        { href: `${BASE_URL}/docs/events`, type: 'text/html' },
      ],
      status: [{ href: `${BASE_URL}/readyz`, type: 'application/json' }],
    })
  })

  it('is where its own link says, and HEAD has the links too', async () => {
    const [got, head] = [await client.get(CATALOG), await client.send(CATALOG, { method: 'HEAD' })]
    expect(head.status).toBe(200)
    expect(await head.text()).toBe('')
    expect(linksOf(head)).toEqual(linksOf(got))
    const catalog = linksOf(head).find(({ rel }) => rel === 'api-catalog')
    expect(catalog).toEqual({ href: BASE_URL + CATALOG, rel: 'api-catalog', type: 'application/linkset+json' })
  })

  it('leads to documents of the types that it names', async () => {
    for (const { href, type } of linksOf(await client.get(CATALOG))) {
      const response = await client.get(href, { Accept: type })
      expect([href, response.status]).toEqual([href, 200])
      expect(response.headers.get('Content-Type')).toMatch(new RegExp(`^${type.replace('+', '\\+')}(?:;|$)`))
    }
  })
})

describe('the index', () => {
  it.each([
    ['as data', {}],
    ['as XML', { Accept: 'application/xml' }],
    ['as a page', PAGE],
  ])('%s has the links of the catalogue, the OpenAPI document first', async (_, headers) => {
    const response = await client.get('/', headers)
    expect(linksOf(response)).toEqual(linksOf(await client.get(CATALOG)))
    expect(linksOf(response)[0]).toEqual({
      ...{ href: `${BASE_URL}/openapi.json`, rel: 'service-desc', type: 'application/json' },
    })
  })

  it('has them for HEAD too', async () => {
    expect(linksOf(await client.send('/', { method: 'HEAD' }))).toHaveLength(8)
  })
})
