import { beforeEach, describe, expect, it } from 'vitest'
import { bodyOf, type Client, createClient } from '../../support/app.ts'

// The limit of reads that pass over all planets or celestial bodies, which the platform counts.

let asked: string[]
let client: Client

beforeEach(() => {
  asked = []
  const searchLimiter = {
    limit: async ({ key }: { key: string }) => {
      asked.push(key)
      return { success: asked.length <= 120 }
    },
  }
  client = createClient({ config: { limitsSearches: true }, searchLimiter })
})

it('the 120th filtered read of an address is answered, and the next one is 429', async () => {
  const headers = { 'CF-Connecting-IP': '192.0.2.1' }
  const read = () => client.get('/planets?name=a', headers)
  for (let count = 0; count < 119; count++) await read()
  expect((await read()).status).toBe(200)
  const refused = await read()
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60'])
  expect((await bodyOf(refused)).type).toMatch(/too-many-requests$/)
  expect(new Set(asked)).toEqual(new Set(['192.0.2.1']))
})

it('a plain page is not counted, by cursor neither, and each read by filter or order is', async () => {
  const { meta } = await bodyOf(await client.get('/planets?limit=1'))
  await client.get('/planets?limit=5&offset=1&fields=type')
  if (meta.nextCursor !== null) await client.get(`/planets?cursor=${meta.nextCursor}`)
  await client.sendRaw('/planets/search')
  expect(asked).toHaveLength(0)
  const counted = ['/planets?type=dwarf', '/planets?minHabitabilityIndex=0', '/planets?sort=name']
  for (const path of counted) await client.get(path)
  await client.sendRaw('/planets/search?%7B%22name%22:%22a%22%7D')
  expect(asked.length).toBe(counted.length + 1)
})

describe('celestial bodies of one type', () => {
  it('count together with the filtered planets of an address', async () => {
    const headers = { 'CF-Connecting-IP': '192.0.2.2' }
    for (let count = 0; count < 118; count++) await client.get('/planets?name=a', headers)
    expect((await client.get('/celestial-bodies?type=dwarf', headers)).status).toBe(200)
    expect((await client.get('/celestial-bodies?type=star&limit=1', headers)).status).toBe(200)
    const refused = await client.get('/celestial-bodies?type=moon', headers)
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60'])
    expect((await client.get('/planets?name=a', headers)).status).toBe(429)
    expect((await client.get('/celestial-bodies', headers)).status).toBe(200)
    expect(new Set(asked)).toEqual(new Set(['192.0.2.2']))
  })

  it('are not counted without a type, nor if the type is refused', async () => {
    await client.get('/celestial-bodies?limit=2&offset=1')
    expect((await client.get('/celestial-bodies?type=comets')).status).toBe(400)
    expect(asked).toHaveLength(0)
  })
})
