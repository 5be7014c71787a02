import { beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { Planet, PlanetInput, PlanetPage } from '../../../src/schemas/planet.ts'
import { decodeXml } from '../../../src/xml/decode.ts'
import { encodeXml } from '../../../src/xml/encode.ts'
import { type Account, authorization, bodyOf, type Client, createAccount, createClient } from '../../support/app.ts'
import { loadShippedPlanets } from '../../support/database.ts'
import { withoutAdditions, withoutEmptyLists } from '../../support/xml.ts'

// Every operation on every shipped planet, in both formats.

const XML = 'application/xml'
const SHIPPED = 5402
const PAGE = 100
const TIMEOUT_MS = 300_000

let client: Client
let account: Account

/** As the service shows them in JSON. */
const shipped: Planet[] = []

beforeAll(async () => {
  await loadShippedPlanets()
  client = createClient()
  account = await createAccount(client)
  for (let offset = 0; offset < SHIPPED; offset += PAGE) {
    const { data } = await bodyOf(await client.get(`/planets?limit=${PAGE}&offset=${offset}`))
    shipped.push(...data)
  }
}, TIMEOUT_MS)

async function readXml<Schema extends z.ZodType>(response: Response, schema: Schema): Promise<z.output<Schema>> {
  const { value, faults } = decodeXml(await response.text(), schema)
  expect(faults).toEqual([])
  return schema.parse(value)
}

function sendXml(method: string, path: string, planet: object): Promise<Response> {
  const headers = { 'Content-Type': XML, Accept: XML, ...authorization(account) }
  return client.send(path, { method, body: encodeXml(planet, PlanetInput), headers })
}

describe('each of the 5,402 planets', () => {
  it('is read the same in both formats, alone and in its page', { timeout: TIMEOUT_MS }, async () => {
    expect(shipped).toHaveLength(SHIPPED)
    for (let offset = 0; offset < SHIPPED; offset += PAGE) {
      const page = await client.get(`/planets?limit=${PAGE}&offset=${offset}`, { Accept: XML })
      expect((await readXml(page, PlanetPage)).data).toEqual(shipped.slice(offset, offset + PAGE))
    }
    for (const planet of shipped) {
      const alone = await client.get(`/planets/${planet.id}`, { Accept: XML })
      expect(await readXml(alone, Planet)).toEqual(planet)
    }
  })

  it('is created and replaced the same from both formats', { timeout: TIMEOUT_MS }, async () => {
    for (const planet of shipped) {
      const own = withoutAdditions(planet)
      const expected = withoutEmptyLists(own)
      const fromJson = await bodyOf(await client.sendJson('POST', '/planets', own, account))
      const fromXml = await readXml(await sendXml('POST', '/planets', own), Planet)
      expect(withoutAdditions(fromJson)).toEqual(own)
      expect(withoutAdditions(fromXml)).toEqual(expected)
      // Each is replaced from the other format, by what was read of it.
      const nowFromXml = await readXml(await sendXml('PUT', `/planets/${fromJson.id}`, fromJson), Planet)
      const nowFromJson = await bodyOf(await client.sendJson('PUT', `/planets/${fromXml.id}`, fromXml, account))
      expect(withoutAdditions(nowFromXml)).toEqual(expected)
      expect(withoutAdditions(nowFromJson)).toEqual(expected)
    }
  })
})
