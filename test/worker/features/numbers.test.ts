import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { PlanetInput } from '../../../src/schemas/planet.ts'
import { type Account, authorization, bodyOf, type Client, createAccount, createClient } from '../../support/app.ts'

// A number is stored as the nearest double. A number that a double would turn into another one is rejected.

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

/** Every numeric member of a planet, additional ones included, with one number. */
const inJson = (number: string) => `{
  "name": "-0 1e-400", "habitabilityIndex": ${number},
  "physicalProperties": {"mass": ${number}, "radius": ${number}, "gravity": ${number}, "free \\"-0": ${number},
    "temperature": {"min": ${number}, "max": ${number}, "average": ${number}, "night": ${number}}},
  "atmosphere": [{"compound": "-0", "percentage": ${number}}],
  "satellites": [{"name": "Moon", "diameter": ${number}, "orbit": {"orbitalPeriod": ${number}, "distance": ${number}}}]
}`

const POINTERS = [
  '/atmosphere/0/percentage',
  '/habitabilityIndex',
  '/physicalProperties/free "-0',
  '/physicalProperties/gravity',
  '/physicalProperties/mass',
  '/physicalProperties/radius',
  '/physicalProperties/temperature/average',
  '/physicalProperties/temperature/max',
  '/physicalProperties/temperature/min',
  '/physicalProperties/temperature/night',
  '/satellites/0/diameter',
  '/satellites/0/orbit/distance',
  '/satellites/0/orbit/orbitalPeriod',
]

const inXml = (number: string) => `<planet>
  <name>-0 1e-400</name><habitabilityIndex>${number}</habitabilityIndex>
  <physicalProperties><mass>${number}</mass><radius> ${number} </radius><gravity>${number}</gravity>
    <free_x0020__x0022_-0>${number}</free_x0020__x0022_-0>
    <temperature><min>${number}</min><max>${number}</max><average>${number}</average><night>${number}</night></temperature>
  </physicalProperties>
  <atmosphere><compound>-0</compound><percentage>${number}</percentage></atmosphere>
  <satellites><name>Moon</name><diameter>${number}</diameter>
    <orbit><orbitalPeriod>${number}</orbitalPeriod><distance>${number}</distance></orbit></satellites>
</planet>`

const FORMATS = [
  ['application/json', inJson],
  ['application/xml', inXml],
] as const

const send = (type: string, body: string, path = '/planets') =>
  client.send(path, { method: 'POST', body, headers: { 'Content-Type': type, ...authorization(account) } })

const REFUSED = ['-0', '-0.0', '-0e5', '-0.00E-7', '1e-400', '-1e-400', '0.1e-399', `0.${'0'.repeat(400)}1`, '2e-324']

describe.each(FORMATS)('in %s', (type, write) => {
  it.each([...REFUSED, '1e400', '-1e400'])('%s is rejected at each member that has it', async (number) => {
    const response = await send(type, write(number))
    expect(response.status).toBe(400)
    const { errors } = await bodyOf(response)
    expect(errors.map(({ pointer }: { pointer: string }) => pointer).toSorted()).toEqual(POINTERS)
    expect(errors[0].detail).toBe(
      'must be a number that a double can represent: not too large, not so small that it becomes 0, and not -0',
    )
  })

  it.each([
    ['5e-324', '5e-324'],
    ['3e-324', '5e-324'],
    ['1e-320', '1e-320'],
    ['2.2250738585072014e-308', '2.2250738585072014e-308'],
    ['0.1e1', '1'],
    ['1.0', '1'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['0.300000000000000000000000001', '0.3'],
  ])('%s is stored as %s', async (number, kept) => {
    const response = await send(type, write(number))
    expect(response.status).toBe(201)
    const { id } = await bodyOf(response)
    const text = await (await client.get(`/planets/${id}`)).text()
    expect(numbersOf(text)).toEqual(Array(POINTERS.length).fill(kept))
  })
})

it.each([
  ['0', '0'],
  ['0.000', '0'],
  ['0e-400', '0'],
  ['1.7976931348623157e308', '1.7976931348623157e+308'],
  ['-1.7976931348623157E+308', '-1.7976931348623157e+308'],
  ['12345678901234567890', '12345678901234567000'],
  ['-5e-324', '-5e-324'],
])('%s is stored as %s if there is no limit', async (number, kept) => {
  const json = `{"name":"N","physicalProperties":{"gravity":${number}}}`
  const xml = `<planet><name>N</name><physicalProperties><gravity>${number}</gravity></physicalProperties></planet>`
  for (const [type, body] of [
    ['application/json', json],
    ['application/xml', xml],
  ] as const) {
    const { id } = await bodyOf(await send(type, body))
    expect(numbersOf(await (await client.get(`/planets/${id}`)).text())).toEqual([kept])
    const answer = await (await client.get(`/planets/${id}`, { Accept: 'application/xml' })).text()
    expect(answer).toContain(`<gravity>${kept}</gravity>`)
  }
})

it.each(REFUSED)('a celestial body and a PUT reject %s too', async (number) => {
  const body = `{"name":"N","type":"moon","diameter":${number},"orbit":{"distance":${number}}}`
  const refused = await send('application/json', body, '/celestial-bodies')
  expect(refused.status).toBe(400)
  expect((await bodyOf(refused)).errors).toHaveLength(2)
  const { id } = await bodyOf(await send('application/json', '{"name":"N"}'))
  const headers = { 'Content-Type': 'application/json', ...authorization(account) }
  const put = await client.send(`/planets/${id}`, { method: 'PUT', headers, body: inJson(number) })
  expect(put.status).toBe(400)
})

it('ignored members can contain any number, and strings any text', async () => {
  const response = await send(
    'application/json',
    '{"name":"-0","id":-0,"tags":["1e-400","\\"-0\\\\"],"creator":[1e-400]}',
  )
  expect(response.status).toBe(201)
  expect(await bodyOf(response)).toMatchObject({ name: '-0', tags: ['1e-400', '"-0\\'] })
})

it.each(['{"name":"N","id":-0 x}', '{"a":-01}', '{"a":[-0,1e-400,]}', '-'])(
  'invalid JSON is reported with its position: %s',
  async (text) => {
    const response = await send('application/json', text)
    expect(response.status).toBe(400)
    const { detail, errors } = await bodyOf(response)
    expect(errors).toBeUndefined()
    const place = /position (\d+)/.exec(detail)?.[1]
    if (place !== undefined) expect(Number(place)).toBeLessThan(text.length)
  },
)

it('any number is stored as JSON.parse and JSON.stringify would return it, or rejected', {
  timeout: 60_000,
}, async () => {
  const digits = fc.stringMatching(/^(?:0|[1-9]\d{0,20})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/)
  const number = fc.tuple(fc.constantFrom('', '-'), digits).map(([sign, rest]) => sign + rest)
  const text = (gravity: string) => `{"name":"N","physicalProperties":{"gravity":${gravity}}}`
  await fc.assert(
    fc.asyncProperty(number, async (gravity) => {
      const double = Number(gravity)
      const isRefused = !Number.isFinite(double) || (double === 0 && /^-|^[^eE]*[1-9]/.test(gravity))
      const response = await send('application/json', text(gravity))
      expect(response.status).toBe(isRefused ? 400 : 201)
      if (isRefused) return
      const { physicalProperties } = PlanetInput.parse(await bodyOf(response))
      expect(physicalProperties?.gravity).toBe(double)
    }),
    { numRuns: 200 },
  )
})

/** The numbers of a planet in JSON, as they are written, without ids. */
function numbersOf(text: string): string[] {
  const withoutIds = text.replaceAll(/"(?:id|creator)":(?:\d+|\{[^}]*\})/g, '')
  const withoutTexts = withoutIds.replaceAll(/"(?:\\.|[^"\\])*"/g, '""')
  return withoutTexts.match(/-?\d[\d.eE+-]*/g) ?? []
}
