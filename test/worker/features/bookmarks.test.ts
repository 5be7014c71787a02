import { expect, it } from 'vitest'
import { bodyOf, createClient } from '../../support/app.ts'

// Bookmarks are those of D1's replicas, which a universe does not have.

const client = createClient()

it('the bookmark of a response is accepted, and nothing else', async () => {
  const bookmark = (await client.get('/planets')).headers.get('X-D1-Bookmark') ?? ''
  expect(bookmark).toMatch(/^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{32}$/)
  expect((await client.get('/planets', { 'X-D1-Bookmark': bookmark })).status).toBe(200)
  const response = await client.get('/planets', { 'X-D1-Bookmark': "x'; drop table planets" })
  expect(response.status).toBe(400)
  expect((await bodyOf(response)).detail).toContain('X-D1-Bookmark')
})
