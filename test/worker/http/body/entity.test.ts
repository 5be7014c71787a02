import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { ENTITY_MAX_BYTES } from '../../../../src/domain/limits.ts'
import { entity } from '../../../../src/http/body/entity.ts'
import { type Account, bodyOf, type Client, createAccount, createClient } from '../../../support/app.ts'

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

/** A planet whose measurements have names that grow in XML: a space there takes seven characters, written twice. */
function planetWithSpaces(spaces: number): { name: string; physicalProperties: Record<string, number> } {
  const names = Array.from({ length: 100 }, (_, index) => `m${index}${' '.repeat(spaces)}`)
  return { name: 'Wide', physicalProperties: Object.fromEntries(names.map((name) => [name, 1])) }
}

const sizeIn = async (accept: string, id: number) =>
  (await (await client.get(`/planets/${id}`, { Accept: accept })).arrayBuffer()).byteLength

describe('every accepted body can be returned in either format', () => {
  it('a planet that fits into a body in both formats is stored', async () => {
    const response = await client.sendJson('POST', '/planets', planetWithSpaces(180), account)
    expect(response.status).toBe(201)
    const { id } = await bodyOf(response)
    expect(await sizeIn('application/json', id)).toBeLessThan(30_000)
    expect(await sizeIn('application/xml', id)).toBeGreaterThan(250_000)
    expect(await sizeIn('application/xml', id)).toBeLessThanOrEqual(ENTITY_MAX_BYTES)
  })

  it('a planet that would be too large as XML is rejected as JSON, and nothing is stored', async () => {
    const before = (await bodyOf(await client.get('/planets'))).meta.total
    const response = await client.sendJson('POST', '/planets', planetWithSpaces(190), account)
    expect(response.status).toBe(413)
    expect((await bodyOf(response)).detail).toBe('The body, written as application/xml, can have at most 262144 bytes.')
    expect((await bodyOf(await client.get('/planets'))).meta.total).toBe(before)
  })

  it('a planet that would be too large as XML is rejected before the service looks for it', async () => {
    const put = (spaces: number) => client.sendJson('PUT', '/planets/999999', planetWithSpaces(spaces), account)
    expect((await put(180)).status).toBe(404)
    expect((await put(190)).status).toBe(413)
  })

  it('a planet that would be too large as JSON is rejected as XML', async () => {
    const body = `<planet><name>Q</name>${'<tags>""""""""""""""""""""""""""""""""""</tags>'.repeat(50)}<description>${'"'.repeat(10_000)}</description></planet>`
    const send = (text: string) =>
      client.send('/planets', {
        method: 'POST',
        body: text,
        headers: { 'Content-Type': 'application/xml', Authorization: `Bearer ${account.token}` },
      })
    expect((await send(body)).status).toBe(201)
    const quotes = '"'.repeat(9_000)
    const many = `<planet><name>Q</name>${`<satellites><name>s</name><description>${quotes}</description></satellites>`.repeat(28)}</planet>`
    expect(many.length).toBeLessThan(ENTITY_MAX_BYTES)
    expect((await send(many)).status).toBe(413)
  })
})

it('a schema that XML cannot be read by is rejected when the route is declared, not when a caller sends XML', () => {
  expect(() => entity(z.object({ a: z.map(z.string(), z.string()) }))).toThrow(/XML codec/)
  expect(() => entity(z.object({ a: z.map(z.string(), z.string()) }), ['json'])).not.toThrow()
})
