import { beforeAll, describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { Planet, PlanetInput, PlanetPage } from '../../../src/schemas/planet.ts'
import { decodeXml } from '../../../src/xml/decode.ts'
import { encodeXml } from '../../../src/xml/encode.ts'
import { type Account, authorization, bodyOf, type Client, createAccount, createClient } from '../../support/app.ts'
import { loadShippedPlanets, SHIPPED } from '../../support/shipped.ts'
import { withoutAdditions, withoutEmptyLists } from '../../support/xml.ts'

// Passes every shipped planet through the functions that write and read both formats, and some of them through every
// operation.

const XML = 'application/xml'
const PAGE = 100
/**
 * One of this many planets is sent, and one of this many pages is read. All pass through the functions that write and
 * read them.
 */
const SAMPLE = 200
const SAMPLE_PAGES = 10
const TIMEOUT_MS = 60_000

let client: Client
let account: Account

/** The planets as the service shows them in JSON. */
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

/** One item of every `step`, and the last. */
function sampleOf<Item>(items: readonly Item[], step: number): Item[] {
  return items.filter((_, index) => index % step === 0 || index === items.length - 1)
}

function decode<Schema extends z.ZodType>(text: string, schema: Schema): z.output<Schema> {
  const { value, faults } = decodeXml(text, schema)
  expect(faults).toEqual([])
  return schema.parse(value)
}

async function readXml<Schema extends z.ZodType>(response: Response, schema: Schema): Promise<z.output<Schema>> {
  return decode(await response.text(), schema)
}

function sendXml(method: string, path: string, planet: object): Promise<Response> {
  const headers = { 'Content-Type': XML, Accept: XML, ...authorization(account) }
  return client.send(path, { method, body: encodeXml(planet, PlanetInput), headers })
}

describe('each of the shipped planets', () => {
  it('is present', () => {
    expect(shipped).toHaveLength(SHIPPED)
  })

  it('is the same in both formats, as it is shown and as it is sent', { timeout: TIMEOUT_MS }, () => {
    for (const planet of shipped) {
      const own = withoutAdditions(planet)
      expect(decode(encodeXml(planet, Planet), Planet)).toEqual(planet)
      expect(Planet.parse(JSON.parse(JSON.stringify(planet)))).toEqual(planet)
      expect(PlanetInput.parse(own)).toEqual(own)
      expect(decode(encodeXml(own, PlanetInput), PlanetInput)).toEqual(withoutEmptyLists(own))
    }
  })
})

describe(`one of ${SAMPLE} shipped planets`, () => {
  it('is read the same in both formats, alone and in its page', { timeout: TIMEOUT_MS }, async () => {
    for (const offset of sampleOf([...shipped.keys()], SAMPLE_PAGES * PAGE)) {
      const page = await client.get(`/planets?limit=${PAGE}&offset=${offset}`, { Accept: XML })
      expect((await readXml(page, PlanetPage)).data).toEqual(shipped.slice(offset, offset + PAGE))
    }
    for (const planet of sampleOf(shipped, SAMPLE)) {
      const alone = await client.get(`/planets/${planet.id}`, { Accept: XML })
      expect(await readXml(alone, Planet)).toEqual(planet)
    }
  })

  it('is created and replaced the same from both formats', { timeout: TIMEOUT_MS }, async () => {
    for (const planet of sampleOf(shipped, SAMPLE)) {
      const own = withoutAdditions(planet)
      const expected = withoutEmptyLists(own)
      const fromJson = await bodyOf(await client.sendJson('POST', '/planets', own, account))
      const fromXml = await readXml(await sendXml('POST', '/planets', own), Planet)
      expect(withoutAdditions(fromJson)).toEqual(own)
      expect(withoutAdditions(fromXml)).toEqual(expected)
      // Each is replaced in the other format, with what was read of it.
      const nowFromXml = await readXml(await sendXml('PUT', `/planets/${fromJson.id}`, fromJson), Planet)
      const nowFromJson = await bodyOf(await client.sendJson('PUT', `/planets/${fromXml.id}`, fromXml, account))
      expect(withoutAdditions(nowFromXml)).toEqual(expected)
      expect(withoutAdditions(nowFromJson)).toEqual(expected)
    }
  })
})
