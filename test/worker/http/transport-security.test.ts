import { describe, expect, it } from 'vitest'
import { createClient } from '../../support/app.ts'
import { SECURE_URL } from '../../support/world.ts'

// RFC 6797, section 7.2: over https every answer has the header. Over http, it only has a meaning to a proxy that ends
// TLS, whose requests arrive over http.

const { send } = createClient()
const PATHS = ['/planets?limit=1', '/nothing', '/problems/not-found', '/echo/any', '/me']

describe('Strict-Transport-Security', () => {
  it.each(PATHS)('is sent over https: %s', async (path) => {
    const { headers } = await send(SECURE_URL + path)
    expect(headers.get('Strict-Transport-Security')).toBe('max-age=15552000')
  })

  it.each(PATHS)('is not sent over http: %s', async (path) => {
    const { headers } = await send(path)
    expect(headers.has('Strict-Transport-Security')).toBe(false)
  })

  it.each(PATHS)('is sent if the public address has https, because a proxy may end TLS: %s', async (path) => {
    const behindProxy = createClient({ config: { publicUrl: 'https://api.example.org' } })
    const { headers } = await behindProxy.send(path)
    expect(headers.get('Strict-Transport-Security')).toBe('max-age=15552000')
  })

  it('is not sent over http if the public address has http', async () => {
    const published = createClient({ config: { publicUrl: 'http://api.example.org' } })
    const { headers } = await published.send('/planets?limit=1')
    expect(headers.has('Strict-Transport-Security')).toBe(false)
  })
})
