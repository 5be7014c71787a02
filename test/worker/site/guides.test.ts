import { describe, expect, it } from 'vitest'
import { GUIDE_GROUPS } from '../../../documents/guides/list.ts'
import { bodyOf, createClient } from '../../support/app.ts'
import { eachRow } from '../../support/each-row.ts'
import { linksOf } from '../../support/pages.ts'
import { BASE_PATH, BASE_URL, pathWithin } from '../../support/world.ts'

const client = createClient()
const NAMES: readonly string[] = GUIDE_GROUPS.flatMap(({ names }) => names)
const PAGE = { Accept: 'text/html' }

const pageOf = async (path: string) => await (await client.get(path, PAGE)).text()

/** The paths within this world to which a page links, each once, without anchors. */
async function ownLinksOf(path: string): Promise<string[]> {
  const links = linksOf(await pageOf(path)).map((link) => link.replace(/#.*/, ''))
  const own = links.filter((link) => link.startsWith(`${BASE_PATH}/`) || link.startsWith(`${BASE_URL}/`))
  return [...new Set(own.map(pathWithin))]
}

describe('guides', () => {
  it('are two clicks away from the first page', async () => {
    expect(await ownLinksOf('/')).toContain('/guides')
    const listed = await ownLinksOf('/guides')
    for (const name of NAMES) expect(listed).toContain(`/guides/${name}`)
  })

  it('have only links that lead somewhere, with those of every page that leads to them', async () => {
    const pages = ['/', '/guides', '/problems', '/lab', '/walk', '/account', ...NAMES.map((name) => `/guides/${name}`)]
    const links = new Set((await Promise.all(pages.map(ownLinksOf))).flat())
    await eachRow([...links], async (link) => {
      const response = await client.get(link, PAGE)
      await response.body?.cancel()
      expect(response.status).toBe(200)
    })
  })

  it('have their contents, code that can be copied, tables that scroll, and their neighbours', async () => {
    const page = await pageOf('/guides/callbacks')
    expect(page).toContain('<title>Callbacks and webhooks</title>')
    const anchors = [...page.matchAll(/<a href="#([^"]+)"/g)].map(([, anchor]) => anchor)
    expect(anchors.length).toBeGreaterThan(5)
    for (const anchor of anchors) if (anchor !== 'main') expect(page).toContain(` id="${anchor}"`)
    expect(page).toContain('data-copy="the code"')
    expect(page).toMatch(/<div class="scroll-x" tabindex="0" role="group" aria-label="Table"><table>/)
    const place = NAMES.indexOf('callbacks')
    expect(page).toContain(`<a href="${BASE_PATH}/guides/${NAMES[place - 1]}" rel="prev">`)
    expect(page).toContain(`<a href="${BASE_PATH}/guides/${NAMES[place + 1]}" rel="next">`)
  })

  it('have the addresses of the world in which they are read', async () => {
    for (const path of ['/guides/callbacks', '/guides/callbacks.md']) {
      const text = await (await client.get(path)).text()
      expect(text).toContain(`GALAXY=${BASE_URL}\n`)
      expect(text).not.toContain('localhost:8787')
      expect(text).not.toContain('https://galaxy.test')
    }
  })

  it('are Markdown by their path, or by Accept', async () => {
    const byPath = await client.get('/guides/openapi-3.2.md')
    expect(byPath.headers.get('Content-Type')).toBe('text/markdown; charset=utf-8')
    const text = await byPath.text()
    expect(text).toMatch(/^# OpenAPI 3\.2\n/)
    const byAccept = await client.get('/guides/openapi-3.2', { Accept: 'text/markdown, text/html;q=0.5' })
    expect(byAccept.headers.get('Content-Type')).toBe('text/markdown; charset=utf-8')
    expect(byAccept.headers.get('Vary')).toContain('Accept')
    expect(await byAccept.text()).toBe(text)
    const page = await client.get('/guides/openapi-3.2', { Accept: '*/*' })
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('Vary')).toContain('Accept')
  })

  it('that do not exist are 404 with a problem', () =>
    eachRow(['nothing', 'nothing.md', 'dependencies', '.md', '..%2Flab', 'Callbacks'], async (name) => {
      const response = await client.get(`/guides/${name}`)
      expect(response.status).toBe(404)
      expect(await bodyOf(response)).toMatchObject({ title: 'Not Found' })
    }))
})

describe('/llms.txt', () => {
  it('lists each guide and the documents as absolute links, which work', async () => {
    const response = await client.get('/llms.txt')
    expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
    const text = await response.text()
    const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S.*\.$/gm)].map(([, link = '']) => link)
    for (const name of NAMES) expect(links).toContain(`${BASE_URL}/guides/${name}.md`)
    for (const name of ['openapi.json', 'openapi-3.2.json', 'asyncapi.json', 'arazzo.json', 'arazzo-1.1.json']) {
      expect(links).toContain(`${BASE_URL}/${name}`)
    }
    await eachRow(links, async (link) => {
      const got = await client.get(link)
      await got.body?.cancel()
      expect(got.status).toBe(200)
    })
  })
})
