import { describe, expect, it } from 'vitest'
import { createClient } from '../../support/app.ts'

// Importers send the default of every optional header. Therefore each default must mean the same as no header.

const client = createClient()

describe('a header with its documented default changes nothing', () => {
  it.each([
    ['API-Version', '2.0.0'],
    ['If-Match', '*'],
    ['X-D1-Bookmark', 'first-unconstrained'],
  ])('%s: %s', async (name, value) => {
    const [plain, asked] = [await client.get('/openapi.json'), await client.get('/openapi.json', { [name]: value })]
    expect(asked.status).toBe(200)
    expect(await asked.text()).toBe(await plain.text())
  })

  it('except that a bookmark that the service did not issue is rejected', async () => {
    expect((await client.get('/openapi.json', { 'X-D1-Bookmark': 'first-primary' })).status).toBe(400)
  })
})

describe('a placeholder that an importer writes into a header without a default changes nothing', () => {
  it.each(['Prefer', 'X-Request-ID', 'If-None-Match', 'If-Modified-Since', 'If-Unmodified-Since', 'Range', 'If-Range'])(
    '%s: <string>',
    async (name) => {
      expect((await client.get('/openapi.json', { [name]: '<string>' })).status).toBe(200)
    },
  )
})
