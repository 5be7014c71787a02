import { describe, expect, it } from 'vitest'
import { createClient } from '../../support/app.ts'
import { SECURE_URL } from '../../support/world.ts'

// RFC 6797, section 7.2: the header must not be sent over http, and over https every answer has it.

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

  it('depends on the request, not on the public address of the service', async () => {
    const published = createClient({ config: { publicUrl: 'https://api.example.org' } })
    const { headers } = await published.send('/planets?limit=1')
    expect(headers.has('Strict-Transport-Security')).toBe(false)
  })
})
