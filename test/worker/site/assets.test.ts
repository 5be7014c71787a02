import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { BROWSER_FILES } from '../../../src/design/browser-files.ts'
import { createClient, ORIGIN } from '../../support/app.ts'
import { eachRow } from '../../support/each-row.ts'

const { stylesheet, reference, scripts } = BROWSER_FILES
const OWN_FILES = [stylesheet, ...Object.values(scripts).flatMap(({ url, chunks }) => [url, ...chunks])]
const FOR_EVER = 'public, max-age=31536000, immutable'

const client = createClient()

/** The file as the build wrote it. */
async function builtFile(path: string): Promise<string> {
  return await digest(await (await env.ASSETS.fetch(`http://assets.test${path}`)).arrayBuffer())
}

async function servedFile(path: string, by = client): Promise<string> {
  return await digest(await (await by.get(path)).arrayBuffer())
}

describe('a file that pages load', () => {
  it('has a hash in its name', () =>
    eachRow(OWN_FILES, (path) => {
      expect(path).toMatch(/^\/assets\/[a-z-]+-[0-9A-Z]{8}\.(?:js|css)$/)
    }))

  it('can be kept for ever', () =>
    eachRow([...OWN_FILES, reference], async (path) => {
      const response = await client.get(path)
      const etag = response.headers.get('ETag') ?? ''
      expect(response.status).toBe(200)
      expect(response.headers.get('Content-Type')).toMatch(/^text\/(?:javascript|css); charset=utf-8$/)
      expect(response.headers.get('Cache-Control')).toBe(FOR_EVER)
      expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(etag).toMatch(/^(?:W\/)?"[^"]+"$/)
      await response.body?.cancel()
      const again = await client.get(path, { 'If-None-Match': etag })
      expect([again.status, again.headers.get('ETag'), again.headers.get('Cache-Control')]).toEqual([
        304,
        etag,
        FOR_EVER,
      ])
      expect(await again.text()).toBe('')
      const head = await client.send(path, { method: 'HEAD' })
      expect([head.status, head.headers.get('ETag'), head.headers.get('Cache-Control')]).toEqual([200, etag, FOR_EVER])
      expect(await head.text()).toBe('')
    }))

  it('is found at every host: the service, its public address and the host of the echo', async () => {
    const built = await builtFile(stylesheet)
    const elsewhere = createClient({ config: { publicUrl: 'https://api.example.org', echoHost: 'echo.test' } })
    for (const origin of [ORIGIN, 'https://api.example.org', 'http://echo.test', 'http://localhost:8787']) {
      expect(await servedFile(origin + stylesheet, elsewhere)).toBe(built)
    }
  })

  it('is not any other: 404, which is not kept', () =>
    eachRow(
      [
        '/assets/',
        '/assets',
        '/assets/unknown.js',
        '/assets/galaxy-00000000.css',
        '/assets/files.json',
        '/assets/../files.json',
        '/files.json',
        '/standalone.js',
        '/docs/scalar.js',
      ],
      async (path) => {
        const response = await client.get(path)
        expect(response.status).toBe(404)
        expect(response.headers.get('Content-Type')).toBe('application/problem+json')
        expect(response.headers.get('Cache-Control')).toBe('no-store')
        await response.body?.cancel()
      },
    ))

  it('can only be read', () =>
    eachRow(['POST', 'PUT', 'DELETE'], async (method) => {
      const response = await client.send(stylesheet, { method })
      expect([404, 405]).toContain(response.status)
      expect(response.headers.get('Cache-Control')).toBe('no-store')
    }))
})

describe('the bundle of the API reference', () => {
  it('starts with the function that the page calls', async () => {
    expect(await (await client.get(reference)).text()).toContain('createApiReference')
  })
})

async function digest(bytes: ArrayBuffer): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)).toHex()
}
