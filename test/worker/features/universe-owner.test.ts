import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { describeCompletely } from '../../../documents/documents.ts'
import { openD1 } from '../../../src/db/port.ts'
import type { Scope } from '../../../src/domain/scopes.ts'
import { makeUniverseId } from '../../../src/domain/universe-address.ts'
import { bodyOf, createAccount, createClient } from '../../support/app.ts'
import {
  type Bench,
  type Carried,
  type CredentialKind,
  createBench,
  createHolder,
  type Holder,
  inHeader,
  KINDS,
  NOTHING,
  scopesWithout,
  sendWith,
} from '../../support/credentials.ts'
import { eachRow } from '../../support/each-row.ts'
import { FakeUniverse } from '../../support/fake-universe.ts'
import { meterDatabase } from '../../support/metered-database.ts'
import { oneOfEach, turnOf } from '../../support/one-of-each.ts'
import { SECURED, type SecuredOperation, securedOperationsOf } from '../../support/secured-operations.ts'
import { createOwner } from '../../support/universe-owner.ts'

// What only the owner of a universe may do, with every kind of credential, as its document says it. The operations that
// universes share with the common world are tested there.

const OPERATIONS = securedOperationsOf(describeCompletely('universe', '2.0.0')).filter(
  ({ id }) => !SECURED.some((other) => other.id === id),
)
const HOUR_MS = 3_600_000
/** What each operation does to the universe. */
const EFFECTS: Readonly<Record<string, RegExp>> = {
  updateUniverse: /^ends /,
  resetUniverse: /^reset$/,
  deleteUniverse: /^ended$/,
  setFaults: /^fault_rules fault_keys fault_rules$/,
  deleteFaults: /^fault_rules fault_keys$/,
  deleteFaultAttempts: /^fault_attempts fault_rules fault_keys$/,
  getFaults: /^$/,
  listFaultAttempts: /^$/,
  createDefectiveToken: /^$/,
}

let universe: FakeUniverse
let bench: Bench
/** The owner, and a user of another provider. */
let holder: Holder

beforeEach(async () => {
  universe = new FakeUniverse(makeUniverseId(), new Date())
  bench = await createBench({ world: 'universe', universe, config: { passwordAttempts: 1000 } })
  holder = { ...(await createHolder(bench)), account: await createOwner(bench.client) }
})

function call({ method, path }: SecuredOperation, carried: Carried): Promise<Response> {
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString()
  const bodies: Record<string, object> = {
    PATCH: { expiresAt },
    PUT: { rules: [{ name: 'busy', steps: [{ status: 503 }] }] },
    // Of the operations with this method, only one has a body.
    POST: { defect: 'expired' },
  }
  const body = bodies[method] ? { body: JSON.stringify(bodies[method]) } : {}
  return sendWith(bench, path, carried, { method, ...body, headers: { 'Content-Type': 'application/json' } })
}

async function expectRefusal(response: Response, status: number, code: string): Promise<void> {
  expect([response.status, (await bodyOf(response)).type.split('/').at(-1)]).toEqual([status, code])
  expect(universe.done).toEqual([])
}

/** A user of another provider is never the owner, because the owner's account has a password. */
const isForeign = ({ name }: CredentialKind) => name === 'openIdConnect, foreign'

/** One read and one write are tested with every kind of credential, each other operation with one kind. */
const FULL = oneOfEach(OPERATIONS, ({ scope }) => scope)
const SHARED = KINDS.filter((kind) => kind.hasScopes && !isForeign(kind))

it('every operation that only universes have is here', () => {
  expect(OPERATIONS.map(({ id }) => id).sort()).toEqual(Object.keys(EFFECTS).sort())
})

describe.each(OPERATIONS)('$method $path', (operation) => {
  const isRead = operation.method === 'GET'
  const SCOPE: Scope = isRead ? 'read:account' : 'write:account'
  const kinds = FULL.includes(operation) ? KINDS : turnOf(SHARED, OPERATIONS.indexOf(operation))

  it('takes any of the seven schemes, with its scope', () => {
    expect([new Set(operation.schemes).size, operation.scope, operation.isAnonymous]).toEqual([7, SCOPE, false])
  })

  it('is done for the owner', () =>
    eachRow(
      kinds.filter((kind) => !isForeign(kind)),
      async (kind) => {
        universe.done.splice(0)
        const response = await call(operation, await kind.make(bench, holder, [SCOPE]))
        expect(response.ok, await response.text()).toBe(true)
        expect(universe.done.join(' ')).toMatch(EFFECTS[operation.id] ?? /^never$/)
      },
      ({ name }) => name,
    ))

  it('is not done for another user', () =>
    eachRow(
      kinds,
      async (kind) => {
        const stranger = { ...holder, account: await createAccount(bench.client) }
        await expectRefusal(await call(operation, await kind.make(bench, stranger, [SCOPE])), 403, 'forbidden')
      },
      ({ name }) => name,
    ))

  it('is not done without the scope', () =>
    eachRow(
      kinds.filter(({ hasScopes }) => hasScopes),
      async (kind) => {
        await expectRefusal(
          await call(operation, await kind.make(bench, holder, scopesWithout(SCOPE))),
          403,
          'insufficient-scope',
        )
      },
      ({ name }) => name,
    ))

  const bad = kinds.flatMap((kind) => kind.bad.map((state) => ({ ...state, name: kind.name })))

  it('is not done with a bad credential', () =>
    eachRow(
      bad,
      async ({ make }) => {
        await expectRefusal(await call(operation, await make(bench, holder, [SCOPE])), 401, 'unauthorized')
      },
      ({ name }) => name,
    ))

  it('is not done without a credential', () =>
    eachRow([NOTHING, ...kinds.map(({ empty }) => empty)], async (carried) => {
      await expectRefusal(await call(operation, carried), 401, 'unauthorized')
    }))

  it.skipIf(isRead)('is not done for a page of another origin with a cookie', async () => {
    const cookie = KINDS.find(({ scheme }) => scheme === 'apiKeyCookie')
    const carried = await cookie?.make(bench, holder, [SCOPE])
    const headers = { ...carried?.headers, ...inHeader('Origin', 'https://elsewhere.example').headers }
    await expectRefusal(await call(operation, { headers, query: {} }), 403, 'cross-site-request')
  })

  it('is not done for a suspended owner', async () => {
    const suspend = (time: number | null) =>
      env.DB.prepare('update users set suspended_at = ? where id = 1').bind(time).run()
    await suspend(1)
    const response = await call(operation, inHeader('Authorization', `Bearer ${holder.account.token}`))
    await suspend(null)
    await expectRefusal(response, 403, 'account-suspended')
  })

  it('asks for the account, and a write for the credential once more', async () => {
    const { database, meter } = meterDatabase(openD1(env.DB))
    bench = { ...bench, client: createClient({ world: 'universe', universe, database }) }
    expect((await call(operation, inHeader('Authorization', `Bearer ${holder.account.token}`))).ok).toBe(true)
    expect(meter).toMatchObject({ roundTrips: isRead ? 1 : 2, rowsWritten: 0 })
  })
})

it('GET /universe asks the database for nothing', async () => {
  const { database, meter } = meterDatabase(openD1(env.DB))
  const client = createClient({ world: 'universe', universe, database })
  expect((await client.get('/universe', { Authorization: 'Bearer forged' })).status).toBe(200)
  expect(meter.roundTrips).toBe(0)
})
