import { beforeAll, describe, expect, it } from 'vitest'
import { BROWSER_FILES } from '../../../src/design/browser-files.ts'
import { type Client, createClient } from '../../support/app.ts'
import { policyOf } from '../../support/pages.ts'
import { linkTo, listOperations } from '../../support/reference-page.ts'

const CHROME =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7'

const { 'reference-setup': setup, reference: start } = BROWSER_FILES.scripts
let client: Client

beforeAll(() => {
  client = createClient()
})

async function textOf(path: string): Promise<string> {
  return await (await client.get(path)).text()
}

describe('the API reference', () => {
  it('is a page with a title, whatever the client accepts', async () => {
    for (const accept of ['*/*', CHROME, 'application/json']) {
      const response = await client.get('/docs', { Accept: accept })
      expect(response.status).toBe(200)
      expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
      expect(await response.text()).toContain('<title>Galaxy API reference</title>')
    }
  })

  it('allows scripts of the service only, and connections to nowhere else', async () => {
    const policy = policyOf(await client.get('/docs'))
    expect(policy).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self'",
      'connect-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    })
    expect(JSON.stringify(policy)).not.toMatch(/unsafe-eval|https?:|\*/)
  })

  it('is isolated from pages that open it, and keeps the popup in which a user signs in', async () => {
    const { headers } = await client.get('/docs')
    expect(headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin-allow-popups')
  })

  it.each([
    '/',
    '/planets',
    '/openapi.json',
    '/problems/not-found',
    '/oauth/authorize',
    '/oauth/end-session',
    '/nowhere',
  ])('is the only isolated page: a page that was opened from elsewhere keeps its opener at %s', async (path) => {
    const response = await client.get(path, { Accept: CHROME })
    expect(response.headers.get('Cross-Origin-Opener-Policy')).toBeNull()
    await response.body?.cancel()
  })

  it('refers to no other host', async () => {
    const page = await textOf('/docs')
    for (const [, url = ''] of page.matchAll(/(?:src|href|data-url|action)="([^"]*)"/g))
      expect(url).toMatch(/^(?:\/(?!\/)|data:|#)/)
    expect(page).not.toMatch(/\/\//)
  })

  it('has only scripts from files, all of which exist', async () => {
    const page = await textOf('/docs')
    const scripts = [...page.matchAll(/<script([^>]*)>([^<]*)<\/script>/g)]
    for (const [, , code] of scripts) expect(code).toBe('')
    const files = scripts.flatMap(([, attributes = '']) => /src="([^"]+)"/.exec(attributes)?.[1] ?? [])
    expect(files).toEqual([setup?.url, start?.url])
    expect(page).toContain(`data-bundle="${BROWSER_FILES.reference}"`)
    for (const file of [...files, BROWSER_FILES.reference]) expect((await client.get(file)).status).toBe(200)
  })

  it('reads the document of this service', async () => {
    const [, url = ''] = /data-url="([^"]+)"/.exec(await textOf('/docs')) ?? []
    expect(JSON.parse(await textOf(url)).info.version).toBe('2.0.0')
  })

  it.each([
    ['/docs', '3.1.1', false],
    ['/docs?document=3.1', '3.1.1', false],
    ['/docs?document=3.2', '3.2.0', true],
  ])('shows at %s the document in OpenAPI %s, and links to both', async (path, version, hasQuery) => {
    const page = await textOf(path)
    const [, url = ''] = /data-url="([^"]+)"/.exec(page) ?? []
    expect(JSON.parse(await textOf(url)).openapi).toBe(version)
    for (const operation of ['QUERY /planets', 'GET /planets/search'])
      expect(page.includes(`<code>${operation}</code>`)).toBe(hasQuery)
    const choice = /<nav class="documents".*?<\/nav>/.exec(page)?.[0] ?? ''
    const links = [...choice.matchAll(/href="([^"]+)"( aria-current="true")?>OpenAPI (3\.\d)/g)]
    expect(links.map(([, ...parts]) => parts)).toEqual([
      ['/docs', hasQuery ? undefined : ' aria-current="true"', '3.1'],
      ['/docs?document=3.2', hasQuery ? ' aria-current="true"' : undefined, '3.2'],
    ])
  })

  it.each(['', '3', '3.0', '3.2.0', 'constructor'])('refuses the document "%s"', async (name) => {
    const response = await client.get(`/docs?document=${name}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ errors: [{ pointer: '/document' }] })
  })

  it('links to the same information for readers without scripts', async () => {
    expect(await textOf('/docs')).toMatch(/<noscript>.*<a href="\/openapi\.json">.*<\/noscript>/)
  })

  it('lists every operation before its script has loaded, at the anchor that the script uses', async () => {
    const page = await textOf('/docs')
    const { paths } = JSON.parse(await textOf('/openapi.json'))
    const operations = listOperations(paths)
    expect(operations.length).toBeGreaterThan(50)
    for (const operation of operations) {
      const anchor = linkTo(operation)
      // A fragment has no braces (RFC 3986, section 3.5). The ids of older links had some.
      expect(anchor).toMatch(/^#[\w.~!$&'()*+,;=:@/-]+$/)
      const start = anchor.slice(1, anchor.indexOf(operation.method.toUpperCase()))
      const older = operation.path.includes('{')
        ? ` id="${start}${operation.method.toUpperCase()}${operation.path}"`
        : ''
      const name = `<code>${operation.method.toUpperCase()} ${operation.path}</code>`
      expect(page).toContain(
        `<div id="${anchor.slice(1)}"><dt${older}><a href="${anchor}">${name}</a></dt><dd>${operation.summary}</dd></div>`,
      )
    }
    expect(page.match(/<dt[ >]/g)).toHaveLength(operations.length)
  })
})
