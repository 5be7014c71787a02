import { env } from 'cloudflare:workers'
import { issueAccessToken } from '../../src/auth/access-token.ts'
import { makeApiKey } from '../../src/auth/api-key.ts'
import { makeDefectiveToken } from '../../src/auth/defective-tokens.ts'
import { ALL_SCOPES, KEY_SCOPES, type Scope } from '../../src/domain/scopes.ts'
import { TOKEN_DEFECTS, type TokenDefect } from '../../src/domain/token-defects.ts'
import { insertApiKey } from '../../src/stores/api-keys.ts'
import { insertClient } from '../../src/stores/clients.ts'
import { endGrant, insertGrant } from '../../src/stores/grants.ts'
import {
  type Account,
  type Client,
  createAccount,
  createClient,
  generationOf,
  ORIGIN,
  type Overrides,
  primaryOf,
  urlOf,
} from './app.ts'
import { commitIn } from './changes.ts'
import { ForeignProvider } from './foreign-provider.ts'
import { accessTokenOf, attackersKey, makeToken, secondsFromNow, sign } from './forge.ts'

// Users with a credential of every scheme, valid or not. They are created without the API, so that a test of one scheme
// does not depend on another.

/** A service, and a provider that it trusts. */
export interface Bench {
  client: Client
  provider: ForeignProvider
}

export async function createBench(overrides: Overrides = {}): Promise<Bench> {
  const provider = await ForeignProvider.create()
  return { client: createClient({ foreignIssuers: provider.issuers(), ...overrides }), provider }
}

/** Two users: one with a local account, the other one of the provider. */
export interface Holder {
  account: Account
  foreign: { id: number; subject: string }
}

const FOREIGN_USER = 'insert into users (issuer, subject, created_at) values (?, ?, 0) returning id'

export async function createHolder({ client, provider }: Bench): Promise<Holder> {
  const subject = crypto.randomUUID()
  const [account, user] = await Promise.all([
    createAccount(client),
    env.DB.prepare(FOREIGN_USER).bind(provider.issuer, subject).first<{ id: number }>(),
  ])
  return { account, foreign: { id: user?.id ?? 0, subject } }
}

/** How a request carries a credential. */
export interface Carried {
  headers: Record<string, string>
  query: Record<string, string>
}

/** Both in one request. */
export function together(one: Carried, other: Carried): Carried {
  return { headers: { ...one.headers, ...other.headers }, query: { ...one.query, ...other.query } }
}

/** Sends a request with credentials. */
export function sendWith(
  { client }: Bench,
  path: string,
  { headers, query }: Carried,
  init: RequestInit = {},
): Promise<Response> {
  const url = new URL(urlOf(path))
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value)
  const all = new Headers(init.headers)
  for (const [name, value] of Object.entries(headers)) all.set(name, value)
  return client.send(url.href, { ...init, headers: all })
}

export const NOTHING: Carried = { headers: {}, query: {} }
export const inHeader = (name: string, value: string): Carried => ({ headers: { [name]: value }, query: {} })
export const bearer = (token: string) => inHeader('Authorization', `Bearer ${token}`)
export const keyInQuery = (key: string): Carried => ({ headers: {}, query: { api_key: key } })
export const keyInHeader = (key: string) => inHeader('X-API-Key', key)
export const keyInCookie = (key: string) => inHeader('Cookie', `api_key=${key}`)

/** E-mail and password in the format of RFC 7617. */
export function basic(email: string, password: string): Carried {
  return inHeader('Authorization', `Basic ${new TextEncoder().encode(`${email}:${password}`).toBase64()}`)
}

type Make = (bench: Bench, holder: Holder, scopes: readonly Scope[]) => Promise<Carried>

/** A kind of credential. */
export interface CredentialKind {
  /** For the names of tests. */
  name: string
  /** The scheme's name in the OpenAPI document. */
  scheme: string
  /** Its place in a request: two credentials with the same place cannot be in one request. */
  place: string
  /** Whether it lists its scopes. */
  hasScopes: boolean
  /** An empty credential in its place. */
  empty: Carried
  /** The user that it belongs to. */
  ownerOf(holder: Holder): number
  /** A valid one. */
  make: Make
  /** Invalid ones. */
  bad: readonly { state: string; make: Make }[]
}

const ownAccount = ({ account }: Holder) => account.id

function keyKind(scheme: string, place: string, carry: (key: string) => Carried): CredentialKind {
  const make =
    (wanted?: { expiresAt: Date }): Make =>
    async (bench, { account }, scopes) =>
      carry((await storeKey(bench.client, account.id, scopes, wanted?.expiresAt)).key)
  return {
    name: scheme,
    scheme,
    place,
    hasScopes: true,
    empty: carry(''),
    ownerOf: ownAccount,
    make: make(),
    bad: [
      { state: 'was never issued', make: async () => carry((await makeApiKey()).key) },
      { state: 'is mistyped', make: async (...args) => carry(mistype(keyOf(await make()(...args)))) },
      { state: 'has expired', make: make({ expiresAt: new Date(Date.now() - 1) }) },
      {
        state: 'was deleted',
        async make({ client }, { account }, scopes) {
          const { id, key } = await storeKey(client, account.id, scopes)
          await env.DB.prepare('delete from api_keys where id = ?').bind(id).run()
          return carry(key)
        },
      },
    ],
  }
}

/** The tokens of the laboratory that nobody accepts. All but one name a grant that lives, so only their defect counts. */
const LABORATORY_STATES: CredentialKind['bad'] = TOKEN_DEFECTS.filter((defect) => defect !== 'no-scope').map(
  (defect) => ({
    state: `is one of the laboratory (${defect})`,
    async make({ client }, { account }, scopes) {
      const grant =
        defect === 'revoked' ? { grantId: crypto.randomUUID() } : await storeGrant(client, account.id, scopes)
      return bearer((await makeLaboratoryToken(client, account, defect, { ...grant, scopes })).token)
    },
  }),
)

/** A token of the laboratory, of a user who need not own a universe. */
export async function makeLaboratoryToken(
  { services: { tokens, now } }: Client,
  { id }: Pick<Account, 'id'>,
  defect: TokenDefect,
  { grantId, scopes }: { grantId: string; scopes: readonly Scope[] },
) {
  const claims = { sub: String(id), client_id: 'galaxy-laboratory', scope: scopes.join(' '), grant_id: grantId }
  const expiresAt = new Date(now().getTime() + 3_600_000)
  return await makeDefectiveToken(defect, { tokens, issuer: ORIGIN, claims, now: now(), expiresAt })
}

/** An own access token, with the scope openid or without. */
function accessTokenKind(scheme: string, more: readonly Scope[]): CredentialKind {
  const issue = async ({ client }: Bench, { account }: Holder, scopes: readonly Scope[], now = new Date()) =>
    await giveAccessToken(client, account.id, [...new Set([...scopes, ...more])], now)
  return {
    name: `${scheme}, own`,
    scheme,
    place: 'Authorization',
    hasScopes: true,
    empty: bearer(''),
    ownerOf: ownAccount,
    make: async (...args) => bearer((await issue(...args)).token),
    bad: [
      {
        state: 'is signed with another key',
        async make({ client }, { account }, scopes) {
          const grant = await storeGrant(client, account.id, scopes)
          const original = accessTokenOf(account, grant, [...scopes, ...more])
          return bearer(await sign({ ...original, key: await attackersKey() }))
        },
      },
      {
        state: 'has expired',
        make: async (bench, holder, scopes) =>
          bearer((await issue(bench, holder, scopes, new Date(Date.now() - 3_601_000))).token),
      },
      {
        state: 'was revoked',
        async make(bench, holder, scopes) {
          const { token, grantId } = await issue(bench, holder, scopes)
          await endGrant(primaryOf(bench.client), grantId, new Date())
          return bearer(token)
        },
      },
      ...(more.length > 0 ? [] : LABORATORY_STATES),
    ],
  }
}

/** Registry: the kinds of credentials, for the seven schemes; openIdConnect has two. */
export const KINDS: readonly CredentialKind[] = [
  {
    name: 'bearerAuth',
    scheme: 'bearerAuth',
    place: 'Authorization',
    hasScopes: false,
    empty: bearer(''),
    ownerOf: ownAccount,
    make: async (_, { account }) => bearer(account.token),
    bad: [
      {
        state: 'has the signature of another text',
        make: async (_, { account }) =>
          bearer([...account.token.split('.').slice(0, 2), (await makeToken(account)).split('.')[2]].join('.')),
      },
      {
        state: 'has expired',
        make: async (_, { account }) => bearer(await makeToken(account, { exp: secondsFromNow(0) })),
      },
      {
        state: 'precedes a password change',
        make: async (_, { account }) => bearer(await makeToken(account, { password_generation: -1 })),
      },
    ],
  },
  {
    name: 'basicAuth',
    scheme: 'basicAuth',
    place: 'Authorization',
    hasScopes: false,
    empty: inHeader('Authorization', 'Basic'),
    ownerOf: ownAccount,
    make: async (_, { account: { email, password } }) => basic(email, password),
    bad: [
      { state: 'has another password', make: async (_, { account }) => basic(account.email, 'wrong horse') },
      { state: 'has an unknown e-mail address', make: async () => basic('nobody@galaxy.test', 'correct horse') },
    ],
  },
  keyKind('apiKeyQuery', 'query', keyInQuery),
  keyKind('apiKeyHeader', 'X-API-Key', keyInHeader),
  keyKind('apiKeyCookie', 'Cookie', keyInCookie),
  accessTokenKind('oAuth2', []),
  accessTokenKind('openIdConnect', ['openid']),
  {
    name: 'openIdConnect, foreign',
    scheme: 'openIdConnect',
    place: 'Authorization',
    hasScopes: true,
    empty: bearer(''),
    ownerOf: ({ foreign }) => foreign.id,
    make: async ({ provider }, { foreign }, scopes) => bearer(await provider.issue(foreign.subject, scopes)),
    bad: [
      {
        state: 'is signed with another key',
        make: async ({ provider }, { foreign }, scopes) =>
          bearer(await provider.issue(foreign.subject, scopes, { key: await attackersKey() })),
      },
      {
        state: 'has expired',
        make: async ({ provider }, { foreign }, scopes) =>
          bearer(await provider.issue(foreign.subject, scopes, { claims: { exp: secondsFromNow(-31) } })),
      },
      {
        state: 'is for another audience',
        make: async ({ provider }, { foreign }, scopes) =>
          bearer(await provider.issue(foreign.subject, scopes, { claims: { aud: 'https://else.test' } })),
      },
      {
        state: 'is from an untrusted provider',
        make: async ({ provider }, { foreign }, scopes) =>
          bearer(await provider.issue(foreign.subject, scopes, { claims: { iss: 'https://stranger.example' } })),
      },
    ],
  },
]

/** All scopes except the given one. */
export function scopesWithout(scope: Scope): Scope[] {
  return ALL_SCOPES.filter((other) => other !== scope)
}

/** Stores a key of a user, with the given scopes that a key can have. */
export async function storeKey(
  client: Client,
  userId: number,
  scopes: readonly Scope[] = KEY_SCOPES,
  expiresAt: Date | null = null,
): Promise<{ id: number; key: string }> {
  const { key, ...made } = await makeApiKey()
  const draft = { ...made, name: null, scopes: KEY_SCOPES.filter((scope) => scopes.includes(scope)), expiresAt }
  const credential = { keyId: null, grantId: null, depth: 0 }
  const maker = { id: userId, passwordGeneration: await generationOf(userId), credential }
  const ids = await client.services.ids.take(primaryOf(client), { api_keys: 1 })
  const stored = { id: ids.next('api_keys'), ...draft, createdAt: new Date() }
  await commitIn(client, insertApiKey(maker, stored, 1000, new Error('a test has too many keys')))
  return { id: stored.id, key }
}

/** A public client as it is registered. */
export const CLIENT_METADATA = {
  redirect_uris: ['http://127.0.0.1/callback'],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code'],
  response_types: ['code'],
  scope: ALL_SCOPES.join(' '),
  post_logout_redirect_uris: [],
} satisfies Parameters<typeof insertClient>[0]['metadata']

/** Stores a client, of a user or of nobody. */
export async function storeClient(client: Client, ownerId: number | null = null): Promise<string> {
  const id = crypto.randomUUID()
  const owner = {
    ownerId,
    passwordGeneration: ownerId === null ? null : await generationOf(ownerId),
    madeByKey: null,
    madeByGrant: null,
    depth: 0,
  }
  const stored = { id, secretHash: null, metadata: CLIENT_METADATA, expiresAt: null, ...owner }
  await commitIn(client, insertClient(stored, 1000, new Date(), new Error('a test has too many clients')))
  return id
}

/** Stores what a user has allowed a client: one of nobody, if none is given. */
export async function storeGrant(
  client: Client,
  userId: number,
  scopes: readonly Scope[],
  knownClientId?: string,
): Promise<{ clientId: string; grantId: string; grantEndsAt: Date }> {
  const clientId = knownClientId ?? (await storeClient(client))
  const [grantId, now] = [crypto.randomUUID(), new Date()]
  // Later than any token under it.
  const expiresAt = new Date(now.getTime() + 2 * 3_600_000)
  const passwordGeneration = await generationOf(userId)
  const grant = { id: grantId, clientId, userId, passwordGeneration, authenticatedAt: now, expiresAt }
  await insertGrant(primaryOf(client), { ...grant, scopes: [...scopes] }, undefined, now)
  return { clientId, grantId, grantEndsAt: expiresAt }
}

/** An own access token, under a grant of its own. */
export async function giveAccessToken(
  client: Client,
  userId: number,
  scopes: readonly Scope[],
  now = new Date(),
): Promise<{ token: string; clientId: string; grantId: string }> {
  const { grantEndsAt, ...grant } = await storeGrant(client, userId, scopes)
  const claims = { ...grant, userId, scopes, authenticatedAt: now }
  const { token } = await issueAccessToken(client.services.tokens, claims, ORIGIN, now, grantEndsAt)
  return { ...grant, token }
}

/** The key in a request that has one and nothing else. */
function keyOf({ headers, query }: Carried): string {
  return /glx_\w+/.exec(JSON.stringify([headers, query]))?.[0] ?? ''
}

/** A key with one digit changed. */
export function mistype(key: string, position = 10): string {
  const digit = key[position] === 'a' ? 'b' : 'a'
  return key.slice(0, position) + digit + key.slice(position + 1)
}
