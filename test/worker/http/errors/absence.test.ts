import { describe, expect, it } from 'vitest'
import { createClient } from '../../../support/app.ts'
import { BASE_ORIGIN, BASE_PATH, BASE_URL } from '../../../support/world.ts'

// An address at which there is nothing.

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const PATHS = [
  '/nowhere',
  '/doc',
  '/planets/4/rings',
  '/explore/planets/999999999',
  `/lab/runs/${'a'.repeat(24)}/report`,
]
const client = createClient()

const ask = (path: string, headers: Record<string, string> = {}) => client.get(path, { Accept: BROWSER, ...headers })

/** The links of a page in its main part. */
async function linksOf(response: Response): Promise<string[]> {
  const [, main = ''] = /<main.*?>(.*)<\/main>/s.exec(await response.text()) ?? []
  return [...main.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href)
}

describe('who asks for a page at an address at which there is nothing', () => {
  it.each(PATHS)('gets one that leads on within the world: %s', async (path) => {
    const response = await ask(path)
    expect(response.status).toBe(404)
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    const links = ['/problems/not-found', '/', '/docs', '/lab'].map((link) => BASE_PATH + link)
    expect(await linksOf(response)).toEqual(links)
  })

  it('reads the status and what it means, and nothing that the address says', async () => {
    const text = await (await ask('/<script>alert(1)</script>')).text()
    expect(text).toContain('404 Not Found')
    expect(text).toContain('This path does not exist.')
    expect(text).not.toContain('alert(1)')
  })

  it('is led back to the page of this world from which they came', async () => {
    const lastPage = `${BASE_URL}/?type=dwarf&name=%22%3Cb%3E`
    expect(await linksOf(await ask('/nowhere', { Referer: lastPage }))).toContain(lastPage.replace('&', '&amp;'))
  })

  it.each([
    'https://evil.example/',
    `${BASE_ORIGIN}.evil.example/`,
    `${BASE_ORIGIN}@evil.example/`,
    'javascript:alert(1)',
    'not a URL',
    '',
  ])('is not led to another host: %j', async (lastPage) => {
    expect(await linksOf(await ask('/nowhere', { Referer: lastPage }))).toHaveLength(4)
  })

  it('is told apart from others by caches', async () => {
    expect((await ask('/nowhere')).headers.get('Vary')).toMatch(/\bAccept\b/)
    expect((await ask('/nowhere', { Accept: '*/*' })).headers.get('Vary')).toMatch(/\bAccept\b/)
  })
})

describe('who asks for data there', () => {
  it.each([undefined, '*/*', 'application/json', 'application/xml', 'text/html;q=0.5, application/json'])(
    'gets a problem: Accept: %s',
    async (accept) => {
      const response = await client.get('/nowhere', accept === undefined ? {} : { Accept: accept })
      expect(response.status).toBe(404)
      const format = accept === 'application/xml' ? 'xml' : 'json'
      expect(response.headers.get('Content-Type')).toBe(`application/problem+${format}`)
    },
  )
})
