import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeCompletely } from '../../documents/documents.ts'
import { COMMON_ROUTES } from '../../src/app.ts'
import { CURRENT_API_VERSION } from '../../src/http/api-versions.ts'
import type { Route } from '../../src/http/pipeline/route.ts'
import { isRead } from '../../src/http/pipeline/route-facts.ts'
import {
  type Account,
  BASIC_CHALLENGE,
  bodyOf,
  CHALLENGE,
  type Client,
  createAccount,
  createClient,
  createPlanet,
} from '../support/app.ts'
import { eachRow } from '../support/each-row.ts'
import { FORGERY_FAMILIES, makeToken } from '../support/forge.ts'
import { type GoodRequest, makeGoodRequest, sendGood } from '../support/good-requests.ts'
import { oneOfEach, turnOf } from '../support/one-of-each.ts'

// Holds for every route that takes credentials, tested with the tokens of POST /auth/token. A new route joins as soon
// as it is in COMMON_ROUTES. One verifier checks the tokens of all routes, and gets every forgery in
// auth/own-tokens.test.ts. Therefore one route of each kind gets one forgery of each family here, and each other route
// gets one forgery.

const SECURED = COMMON_ROUTES.filter(({ security }) => security.length > 0)
const WITH_TOKENS = SECURED.filter(({ security }) => security.includes('bearerAuth'))
const WITHOUT_TOKENS = SECURED.filter((route) => !WITH_TOKENS.includes(route))
const PUBLIC = COMMON_ROUTES.filter(({ security }) => security.length === 0)

/** Public routes that accept input, and what protects each of them instead of a credential. */
const UNSAFE_PUBLIC: Readonly<Record<string, string>> = {
  '/auth/token': 'the password, and a limit of attempts',
  '/device': 'the cookie of a browser that has signed in, a proof that the form is ours, and a limit of attempts',
  '/inboxes': 'a limit for each address',
  '/inboxes/{inboxId}': 'an id that only its maker has',
  '/lab/runs': 'a limit for each address',
  '/lab/runs/{runId}': 'an id that only its maker has',
  '/lab/webhooks/verify': 'changes nothing',
  '/oauth/authorize': 'changes nothing',
  '/oauth/consent': 'the cookie of a browser that has signed in, and a proof that the form is ours',
  '/oauth/device': 'the credentials of a client, and a limit for each address',
  '/oauth/end-session': 'those of the consent, or an ID token',
  '/oauth/introspect': 'the credentials of a client',
  '/oauth/revoke': 'the credentials of a client, and a token of its own',
  '/oauth/sign-in': 'the password, a limit of attempts, and a proof that the form is ours',
  '/oauth/sign-up': 'a limit of attempts, and a proof that the form is ours',
  '/oauth/token': 'a code, token or secret',
  '/universes': 'a limit for each address',
  '/user/signup': 'a limit of attempts',
}

/** What the check of a token depends on, and the format of its refusal. */
const MODELS = oneOfEach(SECURED, ({ security, allowsAnonymous, errorStyle }) => [
  security,
  allowsAnonymous,
  errorStyle,
])

function forgeriesFor(route: Route) {
  const turn = SECURED.indexOf(route)
  const forgeries = FORGERY_FAMILIES.flatMap((family) => turnOf(family, turn))
  return MODELS.includes(route) ? forgeries : turnOf(forgeries, turn)
}

const UNKNOWN_SCHEMES = ['Digest x', 'Token x', '']
const WRONG_PASSWORD = 'Basic dXNlcjpwYXNz'

/** What is not taken for a credential, or for a wrong one. */
function othersFor(route: Route): readonly string[] {
  const others = [...UNKNOWN_SCHEMES, WRONG_PASSWORD]
  return MODELS.includes(route) ? others : turnOf(others, SECURED.indexOf(route))
}

const document = describeCompletely('common', CURRENT_API_VERSION)

let client: Client
let account: Account
/** A request to each route that succeeds with a valid credential of `account`. */
let requests: ReadonlyMap<Route, GoodRequest>

beforeAll(async () => {
  client = createClient({ config: { signupsPerHour: 1000, passwordAttempts: 1000 } })
  // The user whom forged tokens claim to be.
  await createAccount(client)
  account = await createAccount(client)
  requests = new Map(
    await Promise.all(SECURED.map(async (route) => [route, await makeGoodRequest(client, route, account)] as const)),
  )
})

function call(route: Route, authorization: string | undefined): Promise<Response> {
  const request = requests.get(route)
  if (!request) throw new Error(`${route.operationId} is not secured`)
  return sendGood(client, request, { Authorization: authorization })
}

async function countRows(): Promise<unknown> {
  const counts = {
    planets: 'count(*) from planets',
    versions: 'sum(version) from planets',
    images: 'count(*) from images',
    users: 'count(*) from users',
    passwords: 'sum(password_generation) from users',
    names: 'group_concat(name) from users',
    keys: 'count(*) from api_keys',
    clients: 'count(*) from clients',
    grants: 'count(*) from grants',
    endedGrants: 'count(ended_at) from grants',
    secrets: 'sum(created_at) from signing_secrets',
    webhooks: 'count(*) from webhooks',
    paused: "count(*) from webhooks where status = 'paused'",
    events: 'count(*) from events',
    log: 'count(*) from log',
    deliveries: 'count(*) from deliveries',
    due: 'sum(next_attempt_at) from deliveries',
  }
  const columns = Object.entries(counts).map(([name, query]) => `(select ${query}) as ${name}`)
  return await env.DB.prepare(`select ${columns.join(', ')}`).first()
}

/** Checks that a 401 has the error format of its route. */
async function expectUnauthorized(route: Route, response: Response): Promise<void> {
  expect(response.status).toBe(401)
  const expected =
    route.errorStyle === 'oauth'
      ? { error: 'invalid_token' }
      : { status: 401, type: expect.stringMatching(/\/problems\/unauthorized$/) }
  expect(await bodyOf(response)).toMatchObject(expected)
}

/** The start of the WWW-Authenticate header of a 401. */
const challengeOf = ({ security }: Route) =>
  security.includes('basicAuth') ? `${BASIC_CHALLENGE}, ${CHALLENGE}` : CHALLENGE

describe.each(SECURED)('$method $path', (route) => {
  const { allowsAnonymous } = route

  it(`${allowsAnonymous ? 'accepts' : 'rejects'} a request without credentials, as the document says`, async () => {
    const requirements = document.paths[route.path]?.[route.method]?.security ?? []
    expect(requirements.some((requirement) => Object.keys(requirement).length === 0)).toBe(allowsAnonymous === true)
    const before = await countRows()
    const response = await call(route, undefined)
    if (allowsAnonymous) return expect(response.status).toBe(requests.get(route)?.status)
    expect(response.headers.get('WWW-Authenticate')).toBe(challengeOf(route))
    await expectUnauthorized(route, response)
    expect(await countRows()).toEqual(before)
  })

  it('ignores an unknown auth scheme, rejects a wrong password, and offers Basic only if the route accepts it', () =>
    eachRow(othersFor(route), async (sent) => {
      const response = await call(route, sent)
      if (allowsAnonymous && sent !== WRONG_PASSWORD) return expect(response.status).toBe(requests.get(route)?.status)
      expect(response.headers.get('WWW-Authenticate')).toBe(challengeOf(route))
      await expectUnauthorized(route, response)
    }))

  it('rejects a forged token, and changes nothing', async () => {
    const before = await countRows()
    await eachRow(forgeriesFor(route), async ({ make }) => {
      const response = await call(route, `Bearer ${await make(account)}`)
      const challenge = response.headers.get('WWW-Authenticate') ?? ''
      const expected = challengeOf(route)
      expect(challenge.slice(0, expected.length)).toBe(expected)
      expect(challenge.slice(expected.length)).toMatch(/^, error="invalid_token", error_description="[^"]+"$/)
      await expectUnauthorized(route, response)
    })
    expect(await countRows()).toEqual(before)
  })
})

// One verifier serves all routes. The matrix tries these tokens, and all other credentials, on the operations in turn.
describe.each(WITH_TOKENS.filter((route) => MODELS.includes(route)))('$method $path', (route) => {
  it('rejects the token of a suspended account with 403, at once', async () => {
    const suspended = await createAccount(client)
    await env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(suspended.id).run()
    const response = await call(route, `Bearer ${suspended.token}`)
    expect(response.status).toBe(403)
    const { type, error_description } = await bodyOf(response)
    if (route.errorStyle === 'oauth') expect(error_description).toMatch(/^This account is suspended\./)
    else expect(type).toMatch(/\/problems\/account-suspended$/)
  })

  it('rejects tokens issued before a password change, at once', async () => {
    const changed = await createAccount(client)
    await env.DB.prepare('update users set password_generation = 1 where id = ?').bind(changed.id).run()
    await expectUnauthorized(route, await call(route, `Bearer ${changed.token}`))
  })

  it('accepts the token that the forgeries were derived from', async () => {
    const owner = await createAccount(client)
    const request = await makeGoodRequest(client, route, owner)
    const response = await sendGood(client, request, { Authorization: `bearer ${await makeToken(owner)}` })
    expect(response.status).toBe(request.status)
  })
})

describe.each(WITHOUT_TOKENS)('$method $path', (route) => {
  it('rejects a valid token of POST /auth/token, and accepts a token of a kind that it takes', async () => {
    await expectUnauthorized(route, await call(route, `Bearer ${await makeToken(account)}`))
    const request = requests.get(route)
    expect((await call(route, request?.headers.Authorization)).status).toBe(request?.status)
  })
})

/** Everybody may copy any planet, and observe it, which does not change it. */
const OF_CREATORS = SECURED.filter(
  ({ method, path }) => /\{planetId\}(?!\/observations)/.test(path) && method !== 'copy',
)

describe.each(OF_CREATORS)('$method $path', (route) => {
  it('rejects a caller who did not create the planet', async () => {
    const { id } = await createPlanet(client, account, { name: 'Theirs' })
    const request = await makeGoodRequest(client, route, await createAccount(client))
    const response = await sendGood(client, { ...request, path: route.path.replace('{planetId}', String(id)) })
    expect(response.status).toBe(403)
    expect((await bodyOf(await client.get(`/planets/${id}`))).name).toBe('Theirs')
  })
})

const OWN = SECURED.filter(({ path }) => /\{(?:keyId|clientId|grantId|webhookId|deliveryId|batchId)\}/.test(path))

describe.each(OWN)('$method $path', (route) => {
  it('answers 404 for what belongs to another user, and leaves it unchanged', async () => {
    const owner = await createAccount(client)
    const { path } = await makeGoodRequest(client, route, owner)
    const request = await makeGoodRequest(client, route, await createAccount(client))
    expect((await sendGood(client, { ...request, path })).status).toBe(404)
    const own = { Authorization: `Bearer ${owner.token}` }
    expect((await sendGood(client, { ...request, path }, own)).status).toBe(request.status)
  })
})

describe.each(PUBLIC)('$method $path', (route) => {
  it(`${route.refusesBadCredentials ? 'rejects' : 'ignores'} an invalid credential`, async () => {
    const request = await makeGoodRequest(client, route, await createAccount(client))
    const response = await sendGood(client, request, { Authorization: 'Bearer forged' })
    if (!route.refusesBadCredentials) return expect(response.status).toBe(request.status)
    expect(response.headers.get('WWW-Authenticate')).toContain('error="invalid_token"')
    await expectUnauthorized(route, response)
  })
})

it('covers every route that can change something, except those protected in another way', () => {
  const unsafePublic = new Set(PUBLIC.filter(({ method }) => !isRead(method)).map(({ path }) => path))
  expect([...unsafePublic].sort()).toEqual(Object.keys(UNSAFE_PUBLIC))
})

/** Paths with one scope for all methods. */
const OTHER_SCOPES: Readonly<Record<string, string>> = {
  '/oauth/userinfo': 'openid',
  // Whoever reads the secret can sign in the name of the service.
  '/me/signing-secret': 'write:account',
}

/** What the scopes are named after, by the beginning of the path; `account` for all others. */
const SUBJECTS: Readonly<Record<string, string>> = {
  planets: 'planets',
  'celestial-bodies': 'planets',
  events: 'events',
}

it('requires a scope on every route that takes a credential: write for changes, read for the rest', () => {
  for (const { path, method, scope } of SECURED) {
    const [, subject = ''] = path.split('/')
    const about = SUBJECTS[subject] ?? 'account'
    const needed = OTHER_SCOPES[path] ?? `${method === 'get' ? 'read' : 'write'}:${about}`
    expect([method, path, scope]).toEqual([method, path, needed])
  }
})
