import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Account, bodyOf, type Client, createAccount, createClient } from '../../support/app.ts'
import { bearer, giveAccessToken, storeGrant } from '../../support/credentials.ts'
import { eachRow } from '../../support/each-row.ts'
import {
  ACCESS_TOKEN_ATTACKS,
  ATTACKS,
  accessTokenOf,
  type Original,
  secondsFromNow,
  sign,
  USER_TOKEN_ATTACKS,
  userTokenOf,
} from '../../support/forge.ts'
import { getTokens, registerClient, type Tokens } from '../../support/oauth.ts'
import { readDatabase } from '../../support/stored.ts'

// The tokens that the service issues itself: each forged one differs from a valid one in a single point.

let client: Client
let account: Account
let grant: { clientId: string; grantId: string }

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
  grant = await storeGrant(client, account.id, ['read:account', 'write:planets'])
})

beforeEach(() => {
  vi.spyOn(globalThis, 'fetch')
})

afterEach(() => {
  vi.restoreAllMocks()
})

/** The statuses of a read and of a write with a token. */
async function use(token: string): Promise<Response[]> {
  const { headers } = bearer(token)
  const body = '{"name":"Forged"}'
  const json = { ...headers, 'Content-Type': 'application/json' }
  return [await client.get('/me', headers), await client.send('/planets', { method: 'POST', body, headers: json })]
}

const statusesOf = async (token: string) => (await use(token)).map(({ status }) => status)

async function expectRefused(token: string): Promise<void> {
  for (const response of await use(token)) {
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toMatch(/, error="invalid_token", error_description="[^"]+"$/)
  }
  // Whatever URL a token names for its key, the service does not request it.
  expect(fetch).not.toHaveBeenCalled()
}

const KINDS = [
  {
    kind: 'POST /auth/token',
    original: () => userTokenOf(account),
    attacks: [...ATTACKS, ...USER_TOKEN_ATTACKS],
  },
  {
    kind: 'POST /oauth/token',
    original: () => accessTokenOf(account, grant, ['read:account', 'write:planets']),
    attacks: [...ATTACKS, ...ACCESS_TOKEN_ATTACKS],
  },
  {
    kind: 'POST /oauth/token with openid',
    original: () => accessTokenOf(account, grant, ['openid', 'read:account', 'write:planets']),
    // The verifier is that of the tokens without openid, so that some of the attacks show that it is asked.
    attacks: [...ATTACKS, ...ACCESS_TOKEN_ATTACKS].filter((_, index) => index % 10 === 0),
  },
]

describe.each(KINDS)('a token of $kind', ({ original, attacks }) => {
  it('is accepted unchanged, as the base of all forgeries', async () => {
    expect(await statusesOf(await sign(original()))).toEqual([200, 201])
  })

  it('is rejected if it is forged, and changes nothing', async () => {
    const before = await readDatabase()
    await eachRow(attacks, async ({ forge }) => expectRefused(await forge(original())))
    expect(await readDatabase()).toEqual(before)
  })

  const notations: readonly { way: string; change: (good: Original) => Partial<Original> }[] = [
    {
      way: 'its type in capitals',
      change: ({ header }) => ({ header: { ...header, typ: String(header.typ).toUpperCase() } }),
    },
    { way: 'its type in full', change: ({ header }) => ({ header: { ...header, typ: `application/${header.typ}` } }) },
    { way: 'a list of one audience', change: ({ claims }) => ({ claims: { ...claims, aud: [claims.aud] } }) },
    { way: 'a claim that nobody knows', change: ({ claims }) => ({ claims: { ...claims, is_admin: true } }) },
    {
      way: 'a header that nobody knows',
      change: ({ header }) => ({ header: { ...header, jku: 'https://evil.test' } }),
    },
    {
      way: 'the time from which it is valid',
      change: ({ claims }) => ({ claims: { ...claims, nbf: secondsFromNow(0) } }),
    },
  ]
  it('is accepted in other notations of the same', () =>
    eachRow(notations, async ({ change }) => {
      const good = original()
      expect(await statusesOf(await sign({ ...good, ...change(good) }))).toEqual([200, 201])
    }))

  const reasons: readonly (readonly [string, (good: Original) => Partial<Original>])[] = [
    ['The token has expired.', ({ claims }) => ({ claims: { ...claims, exp: secondsFromNow(-1) } })],
    ['The token is not valid yet.', ({ claims }) => ({ claims: { ...claims, nbf: secondsFromNow(60) } })],
    ['The issuer of the token is not accepted.', ({ claims }) => ({ claims: { ...claims, iss: 'https://evil.test' } })],
    ['The token is for another audience.', ({ claims }) => ({ claims: { ...claims, aud: 'https://evil.test' } })],
    ['The token is signed with an unknown key.', ({ header }) => ({ header: { ...header, kid: 'x' } })],
  ]
  it('that is rejected comes with the reason', () =>
    eachRow(reasons, async ([reason, change]) => {
      const good = original()
      const response = await client.get('/me', bearer(await sign({ ...good, ...change(good) })).headers)
      expect(response.headers.get('WWW-Authenticate')).toContain(`error="invalid_token", error_description="${reason}"`)
      expect((await bodyOf(response)).detail).toBe(reason)
    }))

  it('is accepted after its scheme in any case', () =>
    eachRow(['bearer', 'BEARER', 'Bearer  '], async (word) => {
      const token = await sign(original())
      expect((await client.get('/me', { Authorization: `${word} ${token}` })).status).toBe(200)
    }))

  it('with duplicated claims is read by the last of them, by every reader', async () => {
    const { header, claims, key } = original()
    const twice = (first: string) => sign({ header, key, claims: JSON.stringify(claims).replace('{', `{${first},`) })
    expect(await statusesOf(await twice(`"exp":${secondsFromNow(-1)}`))).toEqual([200, 201])
    expect(await statusesOf(await twice('"iss":"https://evil.test"'))).toEqual([200, 201])
  })

  it('is valid up to the second before it expires', async () => {
    const good = original()
    const exp = Number(good.claims.exp)
    const token = await sign(good)
    const statuses = await Promise.all(
      [exp - 1, exp - 0.001, exp, exp + 1].map(async (seconds) => {
        const then = createClient({ now: () => new Date(seconds * 1000) })
        return (await then.get('/me', bearer(token).headers)).status
      }),
    )
    expect(statuses).toEqual([200, 200, 401, 401])
  })
})

describe('one token in place of another', () => {
  let tokens: Tokens & { id_token: string }
  let clientId: string

  beforeAll(async () => {
    const registered = await registerClient(client.send)
    const { id_token = '', ...rest } = await getTokens(
      client.send,
      account,
      registered,
      'openid read:account offline_access',
    )
    tokens = { ...rest, id_token }
    clientId = registered.id
  })

  it('an ID token is not an access token', async () => {
    await expectRefused(tokens.id_token)
  })

  it('an ID token is not an access token either if its client has the name of the service', async () => {
    // Its audience is then that of the service's own tokens, so something else must tell them apart.
    const { header, claims, key } = userTokenOf(account)
    await expectRefused(await sign({ header, key, claims: { ...claims, jti: undefined, at_hash: 'x', auth_time: 0 } }))
    const { password_generation, ...identity } = claims
    await expectRefused(await sign({ header, key, claims: { ...identity, at_hash: 'x', nonce: 'y' } }))
  })

  it('a refresh token is not an access token', async () => {
    await expectRefused(tokens.refresh_token ?? '')
  })

  it('a token of POST /auth/token is not an access token of OAuth under another type', async () => {
    const { header, claims, key } = userTokenOf(account)
    const [, body, signature] = (await sign({ header, claims, key })).split('.')
    const [label] = (await sign({ header: { ...header, typ: 'at+jwt' }, claims: {}, key })).split('.')
    await expectRefused(`${label}.${body}.${signature}`)
    await expectRefused(await sign({ header: { ...header, typ: 'at+jwt' }, claims, key }))
  })

  it('an access token of OAuth is not a token of POST /auth/token under another type', async () => {
    const [, body, signature] = tokens.access_token.split('.')
    const { header, claims, key } = accessTokenOf(account, grant, ['read:account'])
    const [label] = (await sign(userTokenOf(account))).split('.')
    await expectRefused(`${label}.${body}.${signature}`)
    await expectRefused(await sign({ header: { ...header, typ: 'JWT' }, claims, key }))
  })

  it.each(['access token', 'token of POST /auth/token', 'relabelled access token', 'forged ID token'])(
    'a(n) %s is not a hint of the user to sign out',
    async (kind) => {
      const { header, claims, key } = accessTokenOf(account, grant, ['read:account'])
      const idHeader = { ...header, typ: 'JWT' }
      const hints: Record<string, () => Promise<string> | string> = {
        'access token': () => tokens.access_token,
        'token of POST /auth/token': () => account.token,
        'relabelled access token': () => sign({ header: idHeader, claims, key }),
        'forged ID token': async () => {
          const [start, body] = tokens.id_token.split('.')
          return `${start}.${body}.${(await sign({ header: idHeader, claims, key })).split('.')[2]}`
        },
      }
      const query = new URLSearchParams({ id_token_hint: (await hints[kind]?.()) ?? '' })
      expect((await client.get(`/oauth/end-session?${query}`)).status).toBe(400)
    },
  )

  it('an ID token is such a hint, even if it has expired', async () => {
    const later = createClient({ now: () => new Date(Date.now() + 2 * 3_600_000) })
    const query = new URLSearchParams({ id_token_hint: tokens.id_token, client_id: clientId })
    expect((await later.get(`/oauth/end-session?${query}`)).status).toBe(200)
  })
})

describe('an access token ends with its grant', () => {
  it.each(['update grants set ended_at = 1 where id = ?', 'delete from grants where id = ?'])(
    'at once: %s',
    async (statement) => {
      const { token, grantId } = await giveAccessToken(client, account.id, ['read:account', 'write:planets'])
      expect(await statusesOf(token)).toEqual([200, 201])
      await env.DB.prepare(statement).bind(grantId).run()
      await expectRefused(token)
    },
  )

  it('is for the user who gave the grant, and no other user of its client', async () => {
    const other = await createAccount(client)
    const { token } = await giveAccessToken(client, other.id, ['read:account'])
    expect((await bodyOf(await client.get('/me', bearer(token).headers))).id).toBe(other.id)
  })

  it('is limited to its own scope, not that of its grant', async () => {
    const narrow = await sign(accessTokenOf(account, grant, ['read:account']))
    expect(await statusesOf(narrow)).toEqual([200, 403])
  })
})
