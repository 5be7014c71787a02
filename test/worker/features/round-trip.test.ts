import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { findTargetFault } from '../../../src/domain/url-guard.ts'
import { type Account, authorization, bodyOf, type Client, createAccount, createClient } from '../../support/app.ts'

// Any valid planet is returned as it was sent.

const RUNS = 30

const CELESTIAL_TYPES = [
  'terrestrial',
  'gas_giant',
  'ice_giant',
  'dwarf',
  'super_earth',
  'moon',
  'asteroid',
  'comet',
  'star',
] as const

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

/** Text of the characters that any format can carry. */
const text = (minLength: number, maxLength: number) =>
  fc
    .string({ unit: 'binary', minLength, maxLength })
    .filter((value) => !/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(value))

// JSON cannot tell negative zero from zero.
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
const positive = fc.double({ min: 0, minExcluded: true, noNaN: true, noDefaultInfinity: true })
const key = text(1, 10).filter((name) => !['constructor', 'prototype', '__proto__'].includes(name))

/** An object with known members, each of which can be absent, and additional ones. */
const open = <Value>(known: Record<string, fc.Arbitrary<unknown>>, free: fc.Arbitrary<Value>) =>
  fc
    .tuple(
      fc.dictionary(
        key.filter((name) => !(name in known)),
        free,
        { maxKeys: 3 },
      ),
      fc.record(known, { requiredKeys: [] }),
    )
    .map(([others, members]) => ({ ...others, ...members }))

/**
 * Some of the names that fast-check makes are private, such as `a.lan`. The service refuses them (url-guard.test.ts).
 */
const publicUrl = fc.webUrl().filter((url) => !findTargetFault(url, { allowsPrivate: false, ownOrigins: [] }))

const satellite = fc.record(
  {
    name: text(1, 20),
    description: fc.option(text(0, 20), { nil: null }),
    diameter: number,
    type: fc.constantFrom('moon', 'asteroid', 'comet'),
    orbit: fc.record({ orbitalPeriod: number, distance: number }, { requiredKeys: [] }),
  },
  { requiredKeys: ['name'] },
)

const planet = fc.record(
  {
    name: text(1, 50),
    description: fc.option(text(0, 50), { nil: null }),
    type: fc.constantFrom('terrestrial', 'gas_giant', 'ice_giant', 'dwarf', 'super_earth'),
    habitabilityIndex: fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0),
    physicalProperties: open(
      {
        mass: positive,
        radius: positive,
        gravity: number,
        temperature: open({ min: number, average: number }, number),
      },
      number,
    ),
    atmosphere: fc.array(
      open(
        { compound: text(0, 5), percentage: fc.double({ min: 0, max: 100, noNaN: true }).map((value) => value + 0) },
        text(0, 9),
      ),
      { maxLength: 3 },
    ),
    image: fc.option(text(0, 30), { nil: null }),
    satellites: fc.array(satellite, { maxLength: 3 }),
    tags: fc.array(text(1, 10), { maxLength: 3 }),
    successCallbackUrl: publicUrl,
  },
  { requiredKeys: ['name'] },
)

it('any valid planet is returned as it was sent, by POST, GET and PUT', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(planet, planet, async (first, second) => {
      const posted = await client.sendJson('POST', '/planets', first, account)
      expect(posted.status).toBe(201)
      const made = await bodyOf(posted)
      expect(withoutAdditions(made)).toEqual(first)
      expect(await bodyOf(await client.get(`/planets/${made.id}`))).toEqual(made)
      const put = await client.sendJson('PUT', `/planets/${made.id}`, second, account)
      expect(withoutAdditions(await bodyOf(put))).toEqual(second)
    }),
    { numRuns: RUNS },
  )
})

/** What a body of any type can have. Planets have `diameter` and `orbit` only as celestial bodies. */
const celestialBody = fc
  .tuple(planet, satellite, fc.constantFrom(undefined, ...CELESTIAL_TYPES))
  .map(([{ type: _type, ...properties }, { diameter, orbit }, type]) => ({
    ...properties,
    ...(diameter !== undefined && { diameter }),
    ...(orbit && { orbit }),
    ...(type && { type }),
  }))

it('whatever a celestial body returns can be sent again, with or without what the service adds', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(celestialBody, fc.boolean(), async (sent, isOnPlanet) => {
      const isSatellite = ['moon', 'asteroid', 'comet'].includes(sent.type ?? '')
      const host = isSatellite && isOnPlanet ? await bodyOf(await postPlanet({ name: 'Host' })) : undefined
      const orbit = host ? { ...sent.orbit, planet: { id: host.id } } : sent.orbit
      const posted = await client.sendJson('POST', '/celestial-bodies', { ...sent, ...(orbit && { orbit }) }, account)
      expect(posted.status).toBe(201)
      const made = await bodyOf(posted)
      const read = await bodyOf(await client.get(`/celestial-bodies/${made.id}`))
      const { id: _id, creator: _creator, lastUpdated: _lastUpdated, ...withoutAdded } = made
      for (const again of [made, read, withoutAdded]) {
        const response = await client.sendJson('POST', '/celestial-bodies', again, account)
        expect([response.status, again]).toEqual([201, again])
        expect(withoutAdditions(await bodyOf(response))).toEqual(withoutAdditions(made))
      }
    }),
    { numRuns: RUNS },
  )
})

it('whatever a planet returns can be sent again, in JSON and in XML', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(planet, fc.constantFrom('application/json', 'application/xml'), async (sent, type) => {
      const { id } = await bodyOf(await postPlanet(sent))
      const readAs = async () => await (await client.get(`/planets/${id}`, { Accept: type })).text()
      const document = await readAs()
      const put = async (body: string) =>
        (
          await client.send(`/planets/${id}`, {
            method: 'PUT',
            headers: { ...authorization(account), 'Content-Type': type },
            body,
          })
        ).status
      expect([await put(document), document]).toEqual([200, document])
      // The only difference is the time.
      const times = /\d{4}-\d\d-\d\dT[\d:.]+Z/
      expect((await readAs()).replace(times, '')).toBe(document.replace(times, ''))
      const posted = await client.send('/planets', {
        method: 'POST',
        headers: { ...authorization(account), 'Content-Type': type },
        body: document,
      })
      expect([posted.status, document]).toEqual([201, document])
    }),
    { numRuns: RUNS },
  )
})

const postPlanet = (body: object) => client.sendJson('POST', '/planets', body, account)

type Sent = Record<string, unknown> & { satellites?: Record<string, unknown>[] }

/** A planet as the service shows it, without the members that the service adds. */
function withoutAdditions({ id: _id, creator: _creator, lastUpdated: _lastUpdated, ...sent }: Sent): Sent {
  if (!sent.satellites) return sent
  return { ...sent, satellites: sent.satellites.map(({ id: _satelliteId, ...satellite }) => withoutPlanet(satellite)) }
}

function withoutPlanet(satellite: { orbit?: { planet?: unknown } }): Record<string, unknown> {
  if (!satellite.orbit) return satellite
  const { planet: _planet, ...orbit } = satellite.orbit
  return { ...satellite, orbit }
}
