import { env } from 'cloudflare:workers'
import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { issueAccessToken } from '../../../src/auth/access-token.ts'
import { issueUserToken } from '../../../src/auth/bearer.ts'
import { ForeignIssuers } from '../../../src/auth/foreign-issuers.ts'
import { issueIdToken } from '../../../src/auth/id-token.ts'
import { isAddressOf, makeUniverseId, universeHostUrl, universePath } from '../../../src/domain/universe-address.ts'
import type { Services } from '../../../src/services.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  generationOf,
  ORIGIN,
} from '../../support/app.ts'
import { basic, bearer, storeGrant } from '../../support/credentials.ts'
import { type Registered, registerClient, sendForm } from '../../support/oauth.ts'

// Tokens in several worlds. Here, all worlds share keys, the memory of verified tokens and even the database, so the
// only thing that can tell a token of one from a token of another is its issuer.

const CONFIG = { publicUrl: undefined, universeHost: 'worlds.test' }
const shared = createClient().services
const common = createClient({ tokens: shared.tokens })

/** An address of a world, with the world behind it. */
interface Address {
  name: string
  world: string
  baseUrl: string
  client: Client
}

function addressesOf(world: string): Address[] {
  const id = makeUniverseId()
  const isOwnIssuer: Services['isOwnIssuer'] = (issuer) => isAddressOf(id, issuer, CONFIG)
  const addresses = { path: ORIGIN + universePath(id), host: universeHostUrl(id, CONFIG.universeHost, ORIGIN) }
  return Object.entries(addresses).map(([kind, baseUrl]) => {
    const client = createClient({ tokens: shared.tokens, baseUrlOf: () => baseUrl, isOwnIssuer })
    return { name: `${world} by ${kind}`, world, baseUrl, client }
  })
}

const ADDRESSES: readonly Address[] = [
  { name: 'the common world', world: 'common', baseUrl: ORIGIN, client: common },
  ...addressesOf('one'),
  ...addressesOf('two'),
]
const PAIRS = ADDRESSES.flatMap((from) => ADDRESSES.map((to) => ({ from, to, counts: from.world === to.world })))

let account: Account
let app: Registered

beforeAll(async () => {
  account = await createAccount(common)
  app = await registerClient(common.send, {}, authorization(account).Authorization)
})

/** A token of each kind that an address issues. */
const TOKENS: Readonly<Record<string, (from: Address) => Promise<string>>> = {
  'a token of POST /auth/token': async ({ baseUrl }) =>
    await issueUserToken(
      shared.tokens,
      { userId: account.id, passwordGeneration: await generationOf(account.id) },
      baseUrl,
      new Date(),
    ),
  'an access token': (from) => giveAccessToken(from, 'read:account'),
  'an access token with the scope openid': (from) => giveAccessToken(from, 'openid'),
}

async function giveAccessToken({ baseUrl }: Address, more: 'read:account' | 'openid'): Promise<string> {
  const scopes = ['read:account', more] as const
  const { grantEndsAt, ...grant } = await storeGrant(common, account.id, scopes, app.id)
  const claims = { ...grant, userId: account.id, scopes, authenticatedAt: new Date() }
  return (await issueAccessToken(shared.tokens, claims, baseUrl, new Date(), grantEndsAt)).token
}

async function giveIdToken({ baseUrl, client }: Address): Promise<string> {
  const user = { id: account.id, name: null, email: null }
  const claims = { user, clientId: app.id, scopes: [], authenticatedAt: null, nonce: 'n', accessToken: undefined }
  return await issueIdToken(claims, { services: client.services, baseUrl, now: new Date() })
}

const readMe = async ({ client }: Address, token: string) => (await client.get('/me', bearer(token).headers)).status

describe.each(Object.entries(TOKENS))('%s', (_, issue) => {
  it.each(PAIRS)('of $from.name, at $to.name, counts: $counts', async ({ from, to, counts }) => {
    const token = await issue(from)
    expect(await readMe(to, token)).toBe(counts ? 200 : 401)
    // Now its own world remembers that it was verified.
    expect(await readMe(from, token)).toBe(200)
    expect(await readMe(to, token)).toBe(counts ? 200 : 401)
  })
})

describe('an ID token', () => {
  it.each(PAIRS)('of $from.name, at $to.name, is a hint: $counts', async ({ from, to, counts }) => {
    const hint = await giveIdToken(from)
    for (const at of [to, from, to]) {
      const response = await at.client.get(`/oauth/end-session?id_token_hint=${hint}`)
      expect(response.status).toBe(at === from || counts ? 200 : 400)
    }
  })

  it('is valid at no address as an access token', async () => {
    for (const { from, to } of PAIRS) expect(await readMe(to, await giveIdToken(from))).toBe(401)
  })
})

describe('introspection', () => {
  it.each(PAIRS)('at $to.name of an access token of $from.name: $counts', async ({ from, to, counts }) => {
    const token = await giveAccessToken(from, 'openid')
    const { headers } = basic(app.id, app.secret ?? '')
    const state = await bodyOf(await sendForm(to.client.send, '/oauth/introspect', { token }, headers))
    if (!counts) expect(state).toEqual({ active: false })
    else expect(state).toMatchObject({ active: true, iss: from.baseUrl, aud: from.baseUrl })
  })
})

it('a token of another address of the same world is not foreign, though its issuer is trusted', async () => {
  const [path, host] = ADDRESSES.filter(({ world }) => world === 'one')
  if (!path || !host) throw new Error('a universe has two addresses')
  const trusted = [{ issuer: host.baseUrl, audience: host.baseUrl }]
  const noFetch = () => Promise.reject(new Error('the keys of this issuer are our own'))
  const { tokens, baseUrlOf, isOwnIssuer } = path.client.services
  const client = createClient({ tokens, baseUrlOf, isOwnIssuer, foreignIssuers: new ForeignIssuers(trusted, noFetch) })
  for (const issue of Object.values(TOKENS)) {
    expect(await readMe({ ...path, client }, await issue(host))).toBe(200)
  }
})

describe('after a reset', () => {
  it('no token of a former user fits the user who has the same id now', async () => {
    const former = await createAccount(common)
    await env.DB.batch([
      env.DB.prepare('delete from users where id = ?').bind(former.id),
      env.DB.prepare("update sqlite_sequence set seq = ? where name = 'users'").bind(former.id - 1),
    ])
    common.services.ids.forget()
    expect((await common.get('/me', authorization(former))).status).toBe(401)
    const user = await createAccount(common)
    expect(user.id).toBe(former.id)
    expect((await common.get('/me', authorization(former))).status).toBe(401)
    expect((await common.get('/me', authorization(user))).status).toBe(200)
  })

  it('no ID token from before is a hint', async () => {
    const eras = [undefined, 'second', 'third'].map((tag) => tag && { tag, startedAt: new Date() })
    const worlds = eras.map((era) => createClient({ tokens: shared.tokens, era: era || undefined }))
    for (const issuer of worlds) {
      const hint = await giveIdToken({ name: '', world: '', baseUrl: ORIGIN, client: issuer })
      expect(decodeJwt(hint).era).toBe(issuer.services.era?.tag)
      for (const world of worlds) {
        const response = await world.get(`/oauth/end-session?id_token_hint=${hint}`)
        expect(response.status).toBe(world === issuer ? 200 : 400)
      }
    }
  })
})
