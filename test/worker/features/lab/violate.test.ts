import { beforeAll, describe, expect, it } from 'vitest'
import { isForPeople, sendsDocuments } from '../../../../src/http/pipeline/route-facts.ts'
import {
  type Account,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  ROUTES,
} from '../../../support/app.ts'
import { ALL_KINDS, expectedBreaks, findBreaks } from '../../../support/broken-answers.ts'
import { eachRow } from '../../../support/each-row.ts'
import { isEndless, makeGoodRequest } from '../../../support/good-requests.ts'
import { oneOfEach } from '../../../support/one-of-each.ts'

// `Prefer: violate` breaks an answer in exactly one way, which a validator finds with the complete document.

const OPERATIONS = ROUTES.filter((route) => !isForPeople(route) && sendsDocuments(route) && !isEndless(route)).map(
  (route) => ({ name: route.operationId, route }),
)

/** One of each kind is broken in every way. The others share the ways among them. */
const MODELS = oneOfEach(OPERATIONS, ({ route }) => [route.method, Object.keys(route.responses)[0], route.errorStyle])
/** How many operations share all ways. */
const SHARERS = 3

function kindsFor(operation: (typeof OPERATIONS)[number]): readonly string[] {
  if (MODELS.includes(operation)) return ALL_KINDS
  const turn = OPERATIONS.indexOf(operation) % SHARERS
  return ALL_KINDS.filter((_, index) => index % SHARERS === turn)
}

/** These have a place in every JSON answer. */
const ALWAYS = ['status', 'content-type', 'header', 'syntax', 'empty']

/** The operations whose answers a kind has broken. */
const applied = new Map<string, string[]>()

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient({ config: { passwordAttempts: 100_000, signupsPerHour: 100_000 } })
  account = await createAccount(client)
})

/** The pointer that the answer names. */
function pointerIn(applied: string): string | undefined {
  const [, pointer] = /, at="([^"]*)"$/.exec(applied) ?? []
  return pointer
}

describe.each(OPERATIONS)('$name', (operation) => {
  const { route } = operation

  // Each has an account of its own.
  beforeAll(async () => {
    account = await createAccount(client)
  })

  const ask = async (prefer: Record<string, string>) => {
    // The subscriptions of an account are few.
    if (route.path.startsWith('/webhooks')) account = await createAccount(client)
    const { path, method, body, headers } = await makeGoodRequest(client, route, account)
    return await client.sendRaw(path, {
      method,
      body: body ?? null,
      headers: { ...headers, Accept: 'application/json', ...prefer },
    })
  }

  it('without a preference, a validator finds nothing', async () => {
    expect(await findBreaks(route.operationId, await ask({}))).toEqual([])
  })

  it('is broken in one way, or not at all', () =>
    eachRow(kindsFor(operation), async (kind) => {
      const response = await ask({ Prefer: `violate=${kind}` })
      const note = response.headers.get('Preference-Applied')
      const hasApplied = note !== null
      const isJson = (await response.clone().text()) !== '' || (kind === 'empty' && route.operationId !== 'revokeToken')
      if (hasApplied) expect(note).toMatch(new RegExp(`^violate=${kind}(?:, at="/[ -~]*")?$`))
      const expected = hasApplied ? expectedBreaks(kind, pointerIn(note)) : []
      expect(await findBreaks(route.operationId, response)).toEqual(expected)
      if (ALWAYS.includes(kind)) expect(hasApplied).toBe(isJson)
      if (hasApplied) applied.set(kind, [...(applied.get(kind) ?? []), route.operationId])
    }))
})

it.each([
  ['type', 20],
  ['required', 20],
  ['null', 20],
  ['enum', 5],
  ['additional', 20],
  ['format', 12],
  ['minimum', 9],
])('%s has a place in the answers of many operations', (kind, least) => {
  expect(new Set(applied.get(kind)).size).toBeGreaterThanOrEqual(least)
})

describe('at chooses the place', () => {
  const readPlanet = async (prefer: string) => {
    const { id } = await createPlanet(client, account, { name: 'Broken', type: 'terrestrial', tags: ['a', 'b'] })
    const response = await client.sendRaw(`/planets/${id}`, { headers: { Prefer: prefer } })
    const applied = response.headers.get('Preference-Applied')
    return { applied, body: await bodyOf(response), stored: await bodyOf(await client.get(`/planets/${id}`)) }
  }

  it.each([
    ['type', '/name', (planet: Record<string, unknown>) => typeof planet.name, 'boolean'],
    ['null', '/name', (planet: Record<string, unknown>) => planet.name, null],
    ['required', '/name', (planet: Record<string, unknown>) => planet.name, undefined],
    ['enum', '/type', (planet: Record<string, unknown>) => planet.type, 'undocumented'],
    ['minimum', '/id', (planet: Record<string, unknown>) => planet.id, 0],
    ['format', '/lastUpdated', (planet: Record<string, unknown>) => planet.lastUpdated, 'not a time'],
    ['additional', '/creator/extra', (planet: Record<string, unknown>) => Object(planet.creator).extra, true],
    ['type', '/tags/1', (planet: Record<string, unknown>) => Object(planet.tags)[1], true],
  ])('%s at %s', async (kind, at, read, value) => {
    const { applied, body, stored } = await readPlanet(`violate=${kind}, at="${at}"`)
    expect(applied).toBe(`violate=${kind}, at="${at}"`)
    expect(read(body)).toBe(value)
    expect(stored.name).toBe('Broken')
  })

  it.each([
    ['minimum', '/name'],
    ['required', '/tags'],
    ['required', '/nowhere'],
    ['additional', '/name'],
    ['additional', '/tags/extra'],
    ['additional', '/nowhere/extra'],
    ['enum', '/name'],
    ['type', '/nowhere'],
    ['format', '/name'],
  ])('where %s cannot fail at %s, the true answer goes out', async (kind, at) => {
    const { applied, body, stored } = await readPlanet(`violate=${kind}, at="${at}"`)
    expect(applied).toBeNull()
    expect(body).toEqual(stored)
  })

  it('the empty pointer is the whole document', async () => {
    const { applied, body } = await readPlanet('violate=type, at=""')
    expect([applied, body]).toEqual(['violate=type, at=""', 'of another type'])
  })
})
