import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isExempt } from '../../src/features/faults/exempt.ts'
import { isForPeople, sendsDocuments } from '../../src/http/pipeline/route-facts.ts'
import { type Account, bodyOf, type Client, createAccount, createClient, ROUTES } from '../support/app.ts'
import { ALL_KINDS, expectedBreaks, findBreaks } from '../support/broken-answers.ts'
import { type GoodRequest, isEndless, makeGoodRequest } from '../support/good-requests.ts'
import { createOwner } from '../support/universe-owner.ts'

// A rule breaks an answer in exactly one way, which a validator finds with the complete document.

const OPERATIONS = ROUTES.filter(
  (route) => !isExempt(route) && !isForPeople(route) && sendsDocuments(route) && !isEndless(route),
).map((route) => ({ name: route.operationId, route }))

/** These have a place in every JSON answer. */
const ALWAYS = ['status', 'content-type', 'header', 'syntax', 'empty']

/** The operations whose answers a kind has broken. */
const broken = new Map<string, Set<string>>()

let client: Client
let owner: Account
let account: Account

beforeAll(async () => {
  client = createClient({ config: { passwordAttempts: 100_000, signupsPerHour: 100_000 } })
  owner = await createOwner(client)
})

// What an account can have is limited.
beforeEach(async () => {
  account = await createAccount(client)
})

async function setRules(rules: unknown[]): Promise<void> {
  expect((await client.sendJson('PUT', '/universe/faults', { rules }, owner)).status).toBe(200)
}

async function send({ path, method, body, headers }: GoodRequest): Promise<Response> {
  const init = { method, body: body ?? null, headers: { ...headers, Accept: 'application/json' } }
  return await client.sendRaw(path, init)
}

/** What an answer says about the fault that a rule did to it. */
function readField(response: Response): { isApplied: boolean; pointer: string | undefined } {
  const field = response.headers.get('Galaxy-Fault') ?? ''
  const [, pointer, isNot] = /^rule="r", attempt=\d+, action="violate"(?:, at="([^"]*)")?, applied(=\?0)?$/.exec(
    field,
  ) ?? [field, field, 'no field']
  return { isApplied: isNot === undefined, pointer }
}

describe('a rule that breaks the answer of', () => {
  it.each(OPERATIONS)('$name', async ({ route }) => {
    await setRules([])
    // To make requests, the same operation may be needed.
    const requests: GoodRequest[] = []
    for (let count = 0; count < 2 + ALL_KINDS.length; count++) {
      if (route.path.startsWith('/webhooks')) account = await createAccount(client)
      requests.push(await makeGoodRequest(client, route, account))
    }
    const [without, passing, ...violated] = requests as [GoodRequest, GoodRequest, ...GoodRequest[]]
    expect(await findBreaks(route.operationId, await send(without))).toEqual([])
    const match = { method: route.method.toUpperCase(), path: route.path }
    await setRules([{ name: 'r', match, steps: [{}, ...ALL_KINDS.map((kind) => ({ violate: kind }))] }])
    const passed = await send(passing)
    expect(passed.headers.get('Galaxy-Fault')).toBe('rule="r", attempt=1')
    const isJson = (await passed.clone().text()) !== ''
    expect(await findBreaks(route.operationId, passed)).toEqual([])
    for (const [index, kind] of ALL_KINDS.entries()) {
      const response = await send(violated[index] as GoodRequest)
      const { isApplied, pointer } = readField(response)
      const found = await findBreaks(route.operationId, response)
      expect([kind, found]).toEqual([kind, isApplied ? expectedBreaks(kind, pointer) : []])
      if (ALWAYS.includes(kind)) expect([kind, isApplied]).toEqual([kind, isJson])
      if (isApplied) broken.set(kind, (broken.get(kind) ?? new Set()).add(route.operationId))
    }
    const { rules } = await bodyOf(
      await client.send('/universe/faults', { headers: { Authorization: `Bearer ${owner.token}` } }),
    )
    expect(rules[0].requests).toBe(1 + ALL_KINDS.length)
  })
})

it.each([
  ['type', 40],
  ['required', 40],
  ['null', 40],
  ['enum', 12],
  ['additional', 40],
  ['format', 25],
  ['minimum', 20],
])('%s has a place in the answers of many operations', (kind, least) => {
  expect(broken.get(kind)?.size).toBeGreaterThanOrEqual(least)
})
