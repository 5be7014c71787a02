import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { issueUserToken } from '../../../../src/auth/bearer.ts'
import { KEY_SCOPES, type KeyScope, type Scope } from '../../../../src/domain/scopes.ts'
import type { Route } from '../../../../src/http/pipeline/route.ts'
import { takesIdempotencyKey } from '../../../../src/http/pipeline/route-facts.ts'
import {
  type Account,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  generationOf,
  ORIGIN,
  ROUTES,
} from '../../../support/app.ts'
import { basic, bearer, type Carried, giveAccessToken, keyInHeader, storeKey } from '../../../support/credentials.ts'
import { makeGoodRequest, sendGood } from '../../../support/good-requests.ts'

// A kept reply can have what only a broad credential may create. So only credentials with at least the authority of the
// one that made it get it: its scopes, its end, and the end of what it creates.

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const CREATING = ROUTES.filter(takesIdempotencyKey).map((route) => ({ name: route.operationId, route }))

let client: Client
let account: Account
/** One time for the whole test, so that ends that should be equal are. */
let now: Date

beforeAll(() => {
  client = createClient()
})

beforeEach(async () => {
  now = new Date()
  account = await createAccount(client)
})

const isReplayed = ({ headers }: Response) => headers.get('Idempotency-Replayed') === 'true'

const later = (ms: number) => new Date(now.getTime() + ms)

async function key(scopes: readonly Scope[] = KEY_SCOPES, expiresAt: Date | null = null): Promise<Carried> {
  return keyInHeader((await storeKey(client, account.id, scopes, expiresAt)).key)
}

/** A token from POST /auth/token, as if it were issued at this time. */
async function token(issuedAt: Date): Promise<Carried> {
  const claims = { userId: account.id, passwordGeneration: await generationOf(account.id) }
  return bearer(await issueUserToken(client.services.tokens, claims, ORIGIN, issuedAt))
}

const accessToken = async (scopes: readonly Scope[], issuedAt = now) =>
  bearer((await giveAccessToken(client, account.id, scopes, issuedAt)).token)

const password = () => basic(account.email, account.password)

/** Another key of the same scopes, made by a key that was made by a key: it can create no further key. */
async function lastOfChain(): Promise<Carried> {
  const make = async ({ headers }: Carried) => {
    const json = { ...headers, 'Content-Type': 'application/json' }
    const response = await client.send('/me/api-keys', { method: 'POST', body: '{}', headers: json })
    return keyInHeader((await bodyOf(response)).key)
  }
  return await make(await make(await key()))
}

const countOf = async () =>
  await env.DB.prepare(
    `select (select count(*) from api_keys) as keys, (select count(*) from clients) as clients,
      (select count(*) from planets) as planets, (select count(*) from webhooks) as webhooks`,
  ).first()

/** Creates an API key, under an Idempotency-Key that is always the same. */
function createKey({ headers }: Carried, via = client): Promise<Response> {
  const own = { ...headers, 'Content-Type': 'application/json', 'Idempotency-Key': 'deploy-key' }
  return via.send('/me/api-keys', { method: 'POST', body: '{"name":"deploy"}', headers: own })
}

async function expectRefused(response: Response): Promise<void> {
  expect([response.status, isReplayed(response)]).toEqual([422, false])
  const text = await response.text()
  expect(text).toContain('with a credential that can do more or lasts longer')
  expect(text).not.toContain('glx_')
}

describe.each(CREATING)('$name', ({ route }) => {
  it('gives a key with fewer scopes and an earlier end nothing, and a new token its reply', async () => {
    const request = await makeGoodRequest(client, route, account)
    const own = { 'Idempotency-Key': 'retried' }
    const first = await sendGood(client, request, { ...own, ...(await token(now)).headers })
    expect(first.status).toBe(request.status)
    const made = await first.text()
    const narrow = await key(scopesOf(route), later(2 * MINUTE_MS))
    const before = await countOf()
    const withoutToken = { Authorization: undefined, ...own }
    const refused = await sendGood(client, request, { ...withoutToken, ...narrow.headers })
    expect([refused.status, isReplayed(refused)]).toEqual([422, false])
    expect(await countOf()).toEqual(before)
    const retry = await sendGood(client, request, { ...own, ...(await token(later(1000))).headers })
    expect([retry.status, isReplayed(retry)]).toEqual([request.status, true])
    expect(await retry.text()).toBe(made)
  })
})

const scopesOf = ({ scope }: Route): Scope[] => (scope === undefined ? [] : [scope])

const FEWER: KeyScope[] = KEY_SCOPES.filter((scope) => scope !== 'write:planets')

describe('the reply of', () => {
  it.each([
    { made: 'a token', by: () => token(now), retry: 'the same token', with: () => token(now) },
    { made: 'a token', by: () => token(now), retry: 'a newer token', with: () => token(later(MINUTE_MS)) },
    { made: 'a token', by: () => token(now), retry: 'the password', with: password },
    { made: 'a token', by: () => token(now), retry: 'a key without an end', with: () => key() },
    { made: 'the password', by: password, retry: 'the password', with: password },
    { made: 'the password', by: password, retry: 'a key without an end', with: () => key() },
    { made: 'a key', by: () => key(), retry: 'the password', with: password },
    { made: 'a key', by: () => key(FEWER), retry: 'a key with more scopes', with: () => key() },
    {
      made: 'a key with an end',
      by: () => key(KEY_SCOPES, later(HOUR_MS)),
      retry: 'a key with the same end',
      with: () => key(KEY_SCOPES, later(HOUR_MS)),
    },
    {
      made: 'a key with an end',
      by: () => key(KEY_SCOPES, later(HOUR_MS)),
      retry: 'a token that ends later',
      with: () => token(later(MINUTE_MS)),
    },
    {
      made: 'an access token',
      by: () => accessToken(['write:account']),
      retry: 'a newer one of another grant',
      with: () => accessToken(['write:account', 'read:account'], later(MINUTE_MS)),
    },
    {
      made: 'an access token with scopes that give no access',
      by: () => accessToken(['write:account', 'openid', 'profile', 'email', 'offline_access']),
      retry: 'a key',
      with: () => key(['write:account']),
    },
  ])('$made is for $retry', async ({ by, with: retrier }) => {
    const maker = await by()
    const first = await createKey(maker)
    expect(first.status).toBe(201)
    const retry = await createKey(await retrier())
    expect([retry.status, isReplayed(retry)]).toEqual([201, true])
    expect(await retry.text()).toBe(await first.text())
  })

  it.each([
    { made: 'the password', by: password, retry: 'a key with fewer scopes', with: () => key(FEWER) },
    { made: 'a token', by: () => token(now), retry: 'a key with fewer scopes', with: () => key(FEWER) },
    {
      made: 'a token',
      by: () => token(now),
      retry: 'a key that ends before it',
      with: () => key(KEY_SCOPES, later(2 * MINUTE_MS)),
    },
    {
      made: 'a token',
      by: () => token(now),
      retry: 'a key that ends after it, whose keys would end too',
      with: () => key(KEY_SCOPES, later(2 * HOUR_MS)),
    },
    { made: 'a token', by: () => token(later(MINUTE_MS)), retry: 'an older token', with: () => token(now) },
    { made: 'the password', by: password, retry: 'a token, which ends', with: () => token(now) },
    { made: 'a key', by: () => key(), retry: 'a token, which ends', with: () => token(now) },
    {
      made: 'a key with an end',
      by: () => key(KEY_SCOPES, later(HOUR_MS)),
      retry: 'a key that ends a millisecond before it',
      with: () => key(KEY_SCOPES, later(HOUR_MS - 1)),
    },
    {
      made: 'a token',
      by: () => token(now),
      retry: 'an access token with all scopes, whose grant ends',
      with: () => accessToken(KEY_SCOPES, later(MINUTE_MS)),
    },
    {
      made: 'an access token',
      by: () => accessToken(['write:account', 'read:account']),
      retry: 'a newer one with fewer scopes',
      with: () => accessToken(['write:account'], later(MINUTE_MS)),
    },
    { made: 'a key', by: () => key(), retry: 'the last key of a chain, which creates none', with: lastOfChain },
  ])('$made is not for $retry', async ({ by, with: retrier }) => {
    expect((await createKey(await by())).status).toBe(201)
    const narrow = await retrier()
    const before = await countOf()
    await expectRefused(await createKey(narrow))
    expect(await countOf()).toEqual(before)
  })

  it('a request that takes over an interrupted one has its own authority', async () => {
    const narrow = await key(['write:account'])
    await env.DB.prepare(
      `insert into kept_replies (user_id, key, fingerprint, claim, created_at, maker)
       values (?, 'deploy-key', 'interrupted', 'claim', ?, '{"scopes":[],"endsAt":1,"creationsEndAt":1}')`,
    )
      .bind(account.id, now.getTime() - MINUTE_MS)
      .run()
    const first = await createKey(narrow)
    expect([first.status, isReplayed(first)]).toEqual([201, false])
    await expectRefused(await createKey(await key(['write:account', 'read:account'], later(HOUR_MS))))
    expect(isReplayed(await createKey(await key(['write:account', 'read:account'])))).toBe(true)
  })
})
