import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount, createClient } from '../../support/app.ts'
import { loadShippedPlanets } from '../../support/shipped.ts'
import { BASE_PATH } from '../../support/world.ts'

// The list of planets by filter, order, part and cursor, in its three dresses.

let client: Client
let account: Account

interface Shown {
  id: number
  name: string
  type?: string
  habitabilityIndex?: number
}

interface Query {
  name?: string
  type?: string[]
  minHabitabilityIndex?: number
  sort?: 'name' | '-name' | 'habitabilityIndex' | '-habitabilityIndex'
  fields?: string[]
  limit?: number
  offset?: number
  cursor?: string
}

/** Names that differ in what a filter may confuse. */
const NAMES = ['100% Sand', 'under_score', 'Ünal', 'ünal', 'ÜNAL', 'ZETA', 'zeta', '𝒵eta', "O'Neill", 'a"b', 'ﬁn', 'İ']

let all: Shown[]

beforeAll(async () => {
  await loadShippedPlanets()
  client = createClient()
  account = await createAccount(client, 'Grace')
  for (const [index, name] of NAMES.entries()) {
    const more = index % 3 === 0 ? {} : { habitabilityIndex: index / NAMES.length, type: 'dwarf' }
    expect((await client.sendJson('POST', '/planets', { name, ...more }, account)).status).toBe(201)
  }
  all = await readAll()
})

async function readAll(): Promise<Shown[]> {
  const planets: Shown[] = []
  for (let path: string | null = '/planets?limit=100&fields=type,habitabilityIndex'; path !== null; ) {
    const { data, meta } = await bodyOf(await client.get(path))
    planets.push(...data)
    path = meta.next === null ? null : meta.next.slice(BASE_PATH.length)
  }
  return planets
}

const DRESSES = {
  parameters: (query: Query) => client.get(`/planets?${parametersOf(query)}`),
  search: (query: Query) => client.sendRaw(`/planets/search?${encodeURIComponent(JSON.stringify(query))}`),
  'QUERY with JSON': (query: Query) => sendQuery(JSON.stringify(query), 'application/json'),
  'QUERY with a form': (query: Query) => sendQuery(parametersOf(query), 'application/x-www-form-urlencoded'),
}

function parametersOf({ type = [], fields, ...others }: Query): string {
  const parameters = new URLSearchParams(Object.entries(others).map(([name, value]) => [name, String(value)]))
  for (const value of type) parameters.append('type', value)
  if (fields) parameters.set('fields', fields.join())
  return String(parameters)
}

const sendQuery = (body: string, type: string, headers: Record<string, string> = {}) =>
  client.sendRaw('/planets', { method: 'QUERY', body, headers: { 'Content-Type': type, ...headers } })

const lower = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
const byCodePoints = (a: string, b: string) => {
  const [x, y] = [[...a], [...b]].map((letters) => letters.map((letter) => letter.codePointAt(0) ?? 0)) as [
    number[],
    number[],
  ]
  const at = x.findIndex((value, index) => value !== y[index])
  return at < 0 ? x.length - y.length : (x[at] ?? 0) - (y[at] ?? -1)
}

/** What a plain program finds. */
function find({ name = '', type = [], minHabitabilityIndex, sort }: Query): Shown[] {
  const found = all.filter(
    (planet) =>
      lower(planet.name).includes(lower(name)) &&
      (type.length === 0 || (planet.type !== undefined && type.includes(planet.type))) &&
      (minHabitabilityIndex === undefined || (planet.habitabilityIndex ?? -1) >= minHabitabilityIndex),
  )
  const sign = sort?.startsWith('-') ? -1 : 1
  return found.toSorted((a, b) => {
    if (sort?.endsWith('name')) return sign * byCodePoints(lower(a.name), lower(b.name)) || a.id - b.id
    if (!sort) return a.id - b.id
    if (a.habitabilityIndex === undefined || b.habitabilityIndex === undefined)
      return Number(a.habitabilityIndex === undefined) - Number(b.habitabilityIndex === undefined) || a.id - b.id
    return sign * (a.habitabilityIndex - b.habitabilityIndex) || a.id - b.id
  })
}

const types = ['terrestrial', 'gas_giant', 'ice_giant', 'dwarf', 'super_earth']
const anyQuery: fc.Arbitrary<Query> = fc.record(
  {
    name: fc.oneof(
      fc.constantFrom('', 'kepler', 'KEP', '%', '_', 'ü', 'Ü', 'eta', "'", '"', '𝒵', 'i'),
      fc.string({ maxLength: 3 }),
    ),
    type: fc.array(fc.constantFrom(...types), { maxLength: 4 }),
    minHabitabilityIndex: fc.constantFrom(0, 0.25, 0.5, 1e-1, 1),
    sort: fc.constantFrom('name', '-name', 'habitabilityIndex', '-habitabilityIndex'),
    limit: fc.integer({ min: 1, max: 100 }),
    offset: fc.constantFrom(0, 1, 7, 100, 6000),
  },
  { requiredKeys: [] },
)

describe('every dress of a query', () => {
  it('returns the page that a plain program computes from all planets', async () => {
    await fc.assert(
      fc.asyncProperty(anyQuery, async (query) => {
        const { limit = 10, offset = 0 } = query
        const expected = find(query)
        const pages = await Promise.all(Object.values(DRESSES).map(async (send) => await bodyOf(await send(query))))
        for (const { data, meta } of pages) {
          expect(data.map(({ id }: Shown) => id)).toEqual(expected.slice(offset, offset + limit).map(({ id }) => id))
          expect(meta).toMatchObject({ limit, offset, total: expected.length, nextCursor: pages[0].meta.nextCursor })
        }
        const follows = offset + limit < expected.length
        expect(typeof pages[0].meta.nextCursor).toBe(follows ? 'string' : 'object')
      }),
      { numRuns: 60 },
    )
  })

  it.each(['name', '-name', 'habitabilityIndex', '-habitabilityIndex', undefined] as const)(
    'walks by cursor in the order %s over everything that stays, exactly once, while others come and go',
    async (sort) => {
      const name = `Walk${crypto.randomUUID()}`
      const make = async (index: number) => {
        const more = index % 4 === 0 ? {} : { habitabilityIndex: ((index * 7) % 10) / 10 }
        return (
          await bodyOf(
            await client.sendJson('POST', '/planets', { name: `${name}-${(index * 37) % 50}`, ...more }, account),
          )
        ).id
      }
      const staying: number[] = []
      for (let index = 0; index < 30; index++) staying.push(await make(index))
      const leaving: number[] = []
      for (let index = 0; index < 10; index++) leaving.push(await make(index))
      const seen: number[] = []
      const query: Query = { name: name.toUpperCase().replaceAll(/[^A-Z0-9-]/g, ''), limit: 4, ...(sort && { sort }) }
      let cursor: string | undefined
      const dresses = Object.values(DRESSES)
      for (let round = 0; ; round++) {
        const send = dresses[round % dresses.length] ?? DRESSES.parameters
        const { data, meta } = await bodyOf(await send(cursor === undefined ? query : { ...query, cursor }))
        seen.push(...data.map(({ id }: Shown) => id))
        if (meta.nextCursor === null) break
        cursor = meta.nextCursor
        await make(100 + round)
        const gone = leaving.pop()
        if (gone !== undefined)
          expect((await client.sendJson('DELETE', `/planets/${gone}`, undefined, account)).status).toBe(204)
      }
      expect(new Set(seen).size).toBe(seen.length)
      expect(seen.filter((id) => staying.includes(id)).toSorted((a, b) => a - b)).toEqual(staying)
    },
  )
})
