import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { openD1 } from '../../src/db/port.ts'
import type { Scope } from '../../src/domain/scopes.ts'
import { BASIC_CHALLENGE, bodyOf, ORIGIN } from '../support/app.ts'
import {
  type Bench,
  type Carried,
  type CredentialKind,
  createBench,
  createHolder,
  type Holder,
  inHeader,
  KINDS,
  keyInHeader,
  keyInQuery,
  NOTHING,
  scopesWithout,
  storeKey,
  together,
} from '../support/credentials.ts'
import { eachRow } from '../support/each-row.ts'
import { meterDatabase } from '../support/metered-database.ts'
import { oneOfEach, turnOf } from '../support/one-of-each.ts'
import {
  callOperation,
  DOCUMENTED_SCHEMES,
  expectDone,
  makeTarget,
  SECURED,
  type SecuredOperation,
  type Target,
} from '../support/secured-operations.ts'

// Every operation that asks for credentials, with every kind of credential: as the OpenAPI document says it, which is
// all that a caller has. One function judges the credentials of all operations. Therefore every state of every kind is
// tried with one operation of each kind, and all other operations share the kinds and the states among them: each does
// its work with two of the kinds that it takes, and refuses two others of them, in the state whose turn it is.

const { database, meter } = meterDatabase(openD1(env.DB))

let bench: Bench
let holder: Holder
/** What the service writes after a response waits for this, so that it is not taken for a write of the request. */
let end = Promise.withResolvers<void>()
const deferred: Promise<unknown>[] = []
let wrote: readonly string[] = []

beforeAll(async () => {
  bench = await createBench({
    database,
    wait: () => end.promise,
    defer: (work) => void deferred.push(work),
    config: { passwordAttempts: 100_000 },
  })
})

/** Does something as a new holder of credentials. */
async function asHolder(prove: () => Promise<void>): Promise<void> {
  holder = await createHolder(bench)
  await prove()
}

/** Whether an operation takes a kind of credential. An own token with the scope openid is also an OAuth token. */
function takes({ schemes }: SecuredOperation, { name, scheme }: CredentialKind): boolean {
  return schemes.includes(scheme) || (name === 'openIdConnect, own' && schemes.includes('oAuth2'))
}

/** Combinations that are rejected although the operation takes the scheme, because they could have no effect. */
function isInVain({ id }: SecuredOperation, { name }: CredentialKind): boolean {
  // A user of a foreign provider has no password to change.
  return id === 'setPassword' && name === 'openIdConnect, foreign'
}

/** The fewest scopes that suffice. */
function leastScopes({ scope }: SecuredOperation) {
  return scope === undefined ? [] : [scope]
}

/** All scopes except the required one; undefined if a credential of the kind always has it. */
function otherScopes({ scope }: SecuredOperation, { name, hasScopes }: CredentialKind) {
  if (!hasScopes || scope === undefined || (name === 'openIdConnect, own' && scope === 'openid')) return undefined
  return scopesWithout(scope)
}

/** These are written for refused requests too: attempts are counted, and the last use of a key is noted. */
const COUNTED = /rate_limits|update "api_keys"/

/** Sends a request. Afterwards, `wrote` has what it wrote. */
async function call(operation: SecuredOperation, carried: Carried, target: Target): Promise<Response> {
  meter.writes = []
  end = Promise.withResolvers()
  const response = await callOperation(bench, operation, { target, carried, holder })
  end.resolve()
  await Promise.all(deferred.splice(0))
  wrote = meter.writes.filter((text) => !COUNTED.test(text))
  return response
}

/** Sends a request that must be rejected, and fails the test if it changes anything. */
async function refuse(
  operation: SecuredOperation,
  carried: Carried,
  ownerId: number,
  existing?: Target,
): Promise<Response> {
  const target = existing ?? (await makeTarget(ownerId))
  const response = await call(operation, carried, target)
  expect(wrote).toEqual([])
  return response
}

/** The problem code, or the OAuth error code, of a response. */
async function codeOf(response: Response): Promise<string> {
  const { type, error } = await bodyOf(response)
  return type?.split('/').at(-1) ?? error
}

const METADATA = `resource_metadata="${ORIGIN}/.well-known/oauth-protected-resource"`

/** Checks that a 401 tells the caller how to proceed (RFC 9110, section 11.6.1; RFC 6750, section 3). */
async function expectUnauthorized(operation: SecuredOperation, { headers }: Carried, response: Response) {
  expect(response.status).toBe(401)
  expect(['unauthorized', 'invalid_token']).toContain(await codeOf(response))
  const challenge = response.headers.get('WWW-Authenticate') ?? ''
  const basic = operation.schemes.includes('basicAuth') ? `${BASIC_CHALLENGE}, ` : ''
  expect(challenge.startsWith(`${basic}Bearer realm="Galaxy", ${METADATA}`)).toBe(true)
  expect(challenge.includes('error="invalid_token"')).toBe(headers.Authorization?.startsWith('Bearer') ?? false)
}

it('the document lists seven schemes, and this file tests all of them', () => {
  expect(DOCUMENTED_SCHEMES).toHaveLength(7)
  expect([...new Set(KINDS.map(({ scheme }) => scheme))].sort()).toEqual([...DOCUMENTED_SCHEMES].sort())
})

it('operations accept any of the seven schemes, with the known exceptions', () => {
  const fewer = SECURED.filter(({ schemes }) => new Set(schemes).size < 7)
  expect(Object.fromEntries(fewer.map(({ id, schemes }) => [id, [...schemes].sort()]))).toEqual({
    getMe: ['apiKeyHeader', 'apiKeyQuery', 'basicAuth', 'bearerAuth', 'oAuth2'],
    getUserInfo: ['oAuth2'],
    postUserInfo: ['oAuth2'],
  })
})

it('each operation names the scope that it requires', () =>
  eachRow(SECURED, ({ scope }) => expect(scope).toMatch(/^((read|write):(account|planets|events)|openid)$/)))

/** What the check of a credential depends on. */
const MODELS = oneOfEach(SECURED, ({ schemes, isAnonymous, method }) => [schemes, isAnonymous, method === 'GET'])

/** Something that an operation does with a credential of a kind. */
interface Step {
  name: string
  prove(operation: SecuredOperation): Promise<void>
}

/** The reasons to reject one that depend on the credential alone, and not on the operation. */
function refusalsOf(kind: CredentialKind): Step[] {
  const refusals: Step[] = [
    { name: 'an empty one', prove: (operation) => proveUnauthorized(operation, kind, async () => kind.empty) },
    ...kind.bad.map(({ state, make }) => ({
      name: `one that ${state}`,
      prove: (operation: SecuredOperation) => proveUnauthorized(operation, kind, make),
    })),
    { name: 'one of a suspended account with 403, at once', prove: (operation) => proveSuspended(operation, kind) },
  ]
  // A user of a foreign provider has no password.
  if (kind.name === 'openIdConnect, foreign') return refusals
  return [...refusals, { name: 'one issued before a password change, at once', prove: (op) => proveOutdated(op, kind) }]
}

async function proveUnauthorized(operation: SecuredOperation, kind: CredentialKind, make: CredentialKind['make']) {
  const carried = await make(bench, holder, leastScopes(operation))
  await expectUnauthorized(operation, carried, await refuse(operation, carried, kind.ownerOf(holder)))
}

async function proveSuspended(operation: SecuredOperation, kind: CredentialKind): Promise<void> {
  const userId = kind.ownerOf(holder)
  const carried = await kind.make(bench, holder, leastScopes(operation))
  const target = await makeTarget(userId)
  await env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(userId).run()
  const response = await refuse(operation, carried, userId, target)
  expect(response.status).toBe(403)
  expect(response.headers.get('WWW-Authenticate')).toBeNull()
  expect(['account-suspended', 'access_denied']).toContain(await codeOf(response))
}

async function proveOutdated(operation: SecuredOperation, kind: CredentialKind): Promise<void> {
  const carried = await kind.make(bench, holder, leastScopes(operation))
  const { account } = holder
  const target = await makeTarget(account.id)
  const change = { currentPassword: account.password, newPassword: 'another horse' }
  expect((await bench.client.sendJson('PUT', '/me/password', change, account)).status).toBe(204)
  await expectUnauthorized(operation, carried, await refuse(operation, carried, account.id, target))
}

/** Of the kinds that an operation takes, counted from the one whose turn it is: those with which it does its work. */
const WORKING = [0, 4]
/** And those of which it refuses one. */
const REFUSED = [2, 6]

/** These look at what the credential is, beyond its user and its scopes: they do their work with every kind. */
const PARTICULAR = ['createApiKey', 'deleteMe', 'setPassword']

/** Whether it is the turn of a kind with an operation: it always is with one that stands for its like. */
function isTurnOf(
  operation: SecuredOperation,
  kind: CredentialKind,
  fits: (kind: CredentialKind) => boolean,
  steps: readonly number[] = [0],
): boolean {
  const kinds = KINDS.filter((one) => takes(operation, one) && fits(one))
  if (MODELS.includes(operation)) return kinds.includes(kind)
  return steps.some((step) => turnOf(kinds, SECURED.indexOf(operation) + step).includes(kind))
}

function isTurnToWork(operation: SecuredOperation, kind: CredentialKind): boolean {
  if (PARTICULAR.includes(operation.id)) return true
  return isTurnOf(operation, kind, (one) => !isInVain(operation, one), WORKING)
}

/** All of a kind for an operation that stands for its like; otherwise one, if it is the turn of the kind. */
function refusalsFor(operation: SecuredOperation, kind: CredentialKind): Step[] {
  const all = refusalsOf(kind)
  if (MODELS.includes(operation)) return all
  if (!isTurnOf(operation, kind, () => true, REFUSED)) return []
  return turnOf(all, SECURED.indexOf(operation) + KINDS.indexOf(kind))
}

function isTurnOfScope(operation: SecuredOperation, kind: CredentialKind): boolean {
  // An open operation serves it like nobody (open-operations.test.ts).
  return !operation.isAnonymous && isTurnOf(operation, kind, (one) => otherScopes(operation, one) !== undefined)
}

function isTurnOfOwner(operation: SecuredOperation, kind: CredentialKind): boolean {
  return operation.isOwned && isTurnOf(operation, kind, () => true)
}

async function proveInVain(operation: SecuredOperation, kind: CredentialKind): Promise<void> {
  const carried = await kind.make(bench, holder, leastScopes(operation))
  const response = await refuse(operation, carried, kind.ownerOf(holder))
  expect([response.status, await codeOf(response)]).toEqual([403, 'forbidden'])
}

/** For the user of the credential, with no more than the scope that the operation needs. */
async function proveWork(operation: SecuredOperation, kind: CredentialKind): Promise<void> {
  const userId = kind.ownerOf(holder)
  const target = await makeTarget(userId)
  const carried = await kind.make(bench, holder, leastScopes(operation))
  const response = await call(operation, carried, target)
  expect(response.status, await response.clone().text()).toBeLessThan(300)
  if (operation.method !== 'GET' && operation.id !== 'postUserInfo') expect(wrote).not.toEqual([])
  await expectDone(operation, { response, userId, target, holder, bench })
}

/** The response names the scope that is missing. */
async function proveScope(operation: SecuredOperation, kind: CredentialKind, scopes: readonly Scope[]): Promise<void> {
  const carried = await kind.make(bench, holder, scopes)
  const response = await refuse(operation, carried, kind.ownerOf(holder))
  expect(response.status).toBe(403)
  expect(response.headers.get('WWW-Authenticate')).toBe(
    `Bearer realm="Galaxy", ${METADATA}, error="insufficient_scope", scope="${operation.scope}"`,
  )
  expect(['insufficient-scope', 'insufficient_scope']).toContain(await codeOf(response))
}

async function proveOwner(operation: SecuredOperation, kind: CredentialKind): Promise<void> {
  const stranger = await createHolder(bench)
  const carried = await kind.make(bench, stranger, leastScopes(operation))
  const response = await refuse(operation, carried, kind.ownerOf(holder))
  // Everybody sees a planet, and only its owner sees anything else.
  const expected = /\{planetId\}(?!.*\{)/.test(operation.path) ? [403, 'forbidden'] : [404, 'not-found']
  expect([response.status, await codeOf(response)]).toEqual(expected)
}

/** What there is to try with an operation and a kind. */
function stepsFor(operation: SecuredOperation, kind: CredentialKind): Step[] {
  const step = (name: string, prove: Step['prove'], applies: boolean) => (applies ? [{ name, prove }] : [])
  if (!takes(operation, kind)) {
    return step('a valid one, of a kind that is not taken', (one) => proveUnauthorized(one, kind, kind.make), true)
  }
  const isVain = isInVain(operation, kind)
  const scopes = otherScopes(operation, kind) ?? []
  const lacks = scopes.length > 0 && isTurnOfScope(operation, kind)
  return [
    ...step('one that could have no effect', (one) => proveInVain(one, kind), isVain),
    ...step('one that does its work', (one) => proveWork(one, kind), !isVain && isTurnToWork(operation, kind)),
    ...refusalsFor(operation, kind),
    ...step('one that has every scope but the one it needs', (one) => proveScope(one, kind, scopes), lacks),
    ...step(
      'one of who does not own what the path names',
      (one) => proveOwner(one, kind),
      isTurnOfOwner(operation, kind),
    ),
  ]
}

it('every state of every kind is tested with an operation that takes the kind', () => {
  const tried = KINDS.filter((kind) => MODELS.some((operation) => takes(operation, kind)))
  expect(tried).toEqual(KINDS)
})

describe.each(SECURED)('$method $path', (operation) => {
  if (operation.isAnonymous) {
    it('does its work for who says nothing of himself', () =>
      asHolder(async () => {
        const target = await makeTarget(holder.account.id)
        const response = await call(operation, NOTHING, target)
        expect(response.ok).toBe(true)
        await expectDone(operation, { response, userId: undefined, target, holder, bench })
      }))
  } else
    it('rejects an anonymous caller, and lists the accepted schemes', () =>
      asHolder(async () => {
        const response = await refuse(operation, NOTHING, holder.account.id)
        await expectUnauthorized(operation, NOTHING, response.clone())
        const { detail } = await bodyOf(response)
        const usages = [
          /POST \/auth\/token/,
          /Authorization: Basic/,
          /parameter api_key/,
          /X-API-Key/,
          /cookie api_key/,
        ]
        const names = ['bearerAuth', 'basicAuth', 'apiKeyQuery', 'apiKeyHeader', 'apiKeyCookie']
        for (const [index, usage] of usages.entries()) {
          expect(usage.test(detail)).toBe(operation.schemes.includes(names[index] ?? ''))
        }
      }))

  it.each(KINDS.filter((kind) => stepsFor(operation, kind).length > 0))('with $name', (kind) =>
    eachRow(
      stepsFor(operation, kind),
      ({ prove }) => asHolder(() => prove(operation)),
      ({ name }) => name,
    ),
  )

  if (['apiKeyHeader', 'apiKeyQuery'].every((scheme) => operation.schemes.includes(scheme))) {
    it('takes a key in both of the places that the document names together', () =>
      asHolder(async () => {
        const target = await makeTarget(holder.account.id)
        const { key } = await storeKey(bench.client, holder.account.id)
        const response = await call(operation, together(keyInHeader(key), keyInQuery(key)), target)
        expect(response.ok).toBe(true)
        await expectDone(operation, { response, userId: holder.account.id, target, holder, bench })
      }))
  }
})

const UNKNOWN_SCHEMES = ['Digest x', 'Token x', 'Negotiate', 'Bearerx y', 'Basicx y', 'x Bearer', '']

describe.each(MODELS)('$method $path', (operation) => {
  it('ignores an Authorization of an unknown scheme', () =>
    eachRow(UNKNOWN_SCHEMES, (text) =>
      asHolder(async () => {
        const target = await makeTarget(holder.account.id)
        const response = await call(operation, inHeader('Authorization', text), target)
        expect(response.status).toBe(operation.isAnonymous ? (operation.method === 'GET' ? 200 : 201) : 401)
      }),
    ))

  it('rejects an empty one of each kind that it does not take', async () => {
    for (const kind of KINDS.filter((one) => !takes(operation, one))) {
      await asHolder(() => proveUnauthorized(operation, kind, async () => kind.empty))
    }
  })
})
