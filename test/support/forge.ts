import { env } from 'cloudflare:workers'
import { decodeJwt, exportSPKI, importJWK } from 'jose'
import type { SigningKey } from '../../src/env.ts'
import { type Account, ORIGIN } from './app.ts'
import { makeSigningKeySet } from './keys.ts'

// Tokens that a forger might send: each differs from a valid one in a single point.

const HOUR_SECONDS = 60 * 60
const RS256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }

/** An unsigned token, which would be accepted once it is signed. */
export interface Original {
  header: Record<string, unknown>
  claims: Record<string, unknown>
  /** The signing key of its issuer. */
  key: SigningKey
}

export interface Attack {
  /** The error in the token, for the names of tests. */
  fault: string
  forge(original: Original): Promise<string>
}

/** An attack on the tokens of POST /auth/token. */
export interface Forgery {
  /** The error in the token, for the names of tests. */
  fault: string
  make(account: Account): Promise<string>
}

/** The service's own signing key. */
export const [OWN_KEY] = (JSON.parse(env.SIGNING_KEYS) as { keys: [SigningKey] }).keys

/** The content of a token of POST /auth/token, unsigned. */
export function userTokenOf({ id, token }: Account): Original {
  const { password_generation } = decodeJwt(token)
  const claims = { ...ownClaims(id), password_generation }
  return { header: { alg: 'RS256', typ: 'JWT', kid: OWN_KEY.kid }, claims, key: OWN_KEY }
}

/** The content of a token of POST /oauth/token, unsigned. */
export function accessTokenOf(
  { id }: Pick<Account, 'id'>,
  grant: { clientId: string; grantId: string },
  scopes: readonly string[],
): Original {
  const { clientId: client_id, grantId: grant_id } = grant
  const claims = { ...ownClaims(id), client_id, grant_id, scope: scopes.join(' ') }
  return { header: { alg: 'RS256', typ: 'at+jwt', kid: OWN_KEY.kid }, claims, key: OWN_KEY }
}

function ownClaims(userId: number) {
  const times = { iat: secondsFromNow(0), exp: secondsFromNow(HOUR_SECONDS) }
  return { iss: ORIGIN, aud: ORIGIN, sub: String(userId), jti: crypto.randomUUID(), ...times }
}

/** A token of POST /auth/token that is valid except for the given parts. */
export async function makeToken(
  account: Account,
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
): Promise<string> {
  return await signChanged(userTokenOf(account), { claims, header })
}

/** A time in the format of JWTs. */
export function secondsFromNow(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds
}

/** Signs with RS256, whatever the header says. Strings and bytes are signed unchanged, anything else as JSON. */
export async function sign({ header, claims, key }: { header: unknown; claims: unknown; key: SigningKey }) {
  const input = `${encode(header)}.${encode(claims)}`
  const privateKey = await crypto.subtle.importKey('jwk', { ...key }, RS256, false, ['sign'])
  const signature = await crypto.subtle.sign(RS256.name, privateKey, new TextEncoder().encode(input))
  return `${input}.${encodeBytes(new Uint8Array(signature))}`
}

/** Signs with HMAC, with a secret that the forger hopes the service verifies with. */
async function signWithSecret({ header, claims }: Original, secret: string, changes: object = {}): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  // An empty key cannot be imported; one NUL is equivalent (RFC 2104, section 2 pads with them).
  const bytes = new TextEncoder().encode(secret || '\0')
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign'])
  const input = `${encode({ ...header, alg: 'HS256', ...changes })}.${encode(claims)}`
  const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(input))
  return `${input}.${encodeBytes(new Uint8Array(signature))}`
}

function encode(part: unknown): string {
  if (part instanceof Uint8Array) return encodeBytes(part)
  return encodeBytes(new TextEncoder().encode(typeof part === 'string' ? part : JSON.stringify(part)))
}

function encodeBytes(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: 'base64url', omitPadding: true })
}

interface Changes {
  header?: Record<string, unknown>
  claims?: Record<string, unknown>
  key?: SigningKey
}

async function signChanged({ header, claims, key }: Original, changes: Changes): Promise<string> {
  return await sign({
    header: { ...header, ...changes.header },
    claims: { ...claims, ...changes.claims },
    key: changes.key ?? key,
  })
}

/** An attack that changes the header or the claims, with a correct signature. Undefined removes a member. */
function changed(fault: string, changes: Changes | ((original: Original) => Changes)): Attack {
  const of = typeof changes === 'function' ? changes : () => changes
  return { fault, forge: (original) => signChanged(original, of(original)) }
}

/** An attack that replaces a part of the signed token: 0 header, 1 claims, 2 signature. */
function replaced(fault: string, part: 0 | 1 | 2, replace: (original: Original, text: string) => string): Attack {
  return {
    fault,
    async forge(original) {
      const parts = (await sign(original)).split('.')
      return parts.with(part, replace(original, parts[part] ?? '')).join('.')
    },
  }
}

let attackers: Promise<SigningKey> | undefined

/** The forger's own key, created at its first use. */
export function attackersKey(): Promise<SigningKey> {
  attackers ??= makeSigningKeySet()
  return attackers
}

function publicPart({ kty, n, e }: SigningKey, kid: string) {
  return { kty, n, e, kid, alg: 'RS256', use: 'sig' }
}

/** An attack that is signed with the forger's key, which its header may contain or name. */
function signedByForger(
  fault: string,
  header: (key: SigningKey, original: Original) => Record<string, unknown>,
): Attack {
  return {
    fault,
    async forge(original) {
      const key = await attackersKey()
      return await signChanged(original, { key, header: header(key, original) })
    },
  }
}

function signedBySecret(fault: string, secret: (key: SigningKey) => Promise<string> | string, header = {}): Attack {
  return { fault, forge: async (original) => signWithSecret(original, await secret(original.key), header) }
}

async function publicPem({ n, e }: SigningKey): Promise<string> {
  return await exportSPKI((await importJWK({ kty: 'RSA', n, e }, 'RS256', { extractable: true })) as CryptoKey)
}

const EVIL = 'https://evil.test'
const UNKNOWN_EXTENSION = 'https://evil.test/extension'
const LONG = 100_000

/** The algorithm, the key and the signature (RFC 8725, sections 2.1 to 2.4 and 3.1 to 3.4). */
const SIGNATURE_ATTACKS: readonly Attack[] = [
  ...['none', 'None', 'NONE', 'nOnE'].map(
    (alg): Attack => ({
      fault: `has no signature (alg ${alg})`,
      forge: async ({ header, claims }) => `${encode({ ...header, alg })}.${encode(claims)}.`,
    }),
  ),
  replaced('has alg none and keeps its signature', 0, ({ header }) => encode({ ...header, alg: 'none' })),
  changed('has no algorithm', { header: { alg: undefined } }),
  changed('claims to be signed with RS512', { header: { alg: 'RS512' } }),
  changed('claims to be signed with ES256', { header: { alg: 'ES256' } }),
  replaced('has no signature after the last dot', 2, () => ''),
  replaced('has a truncated signature', 2, (_, text) => text.slice(0, -4)),
  replaced('has a longer signature', 2, (_, text) => `${text}AAAA`),
  replaced('has a signature of zeros', 2, () => encodeBytes(new Uint8Array(256))),
  replaced('has claims that were changed after signing', 1, ({ claims }) =>
    encode({ ...claims, sub: `${claims.sub}0` }),
  ),
  replaced('has a header that was changed after signing', 0, ({ header }) => encode({ ...header, more: true })),
  signedBySecret('is signed with HS256, with the public key as its secret', publicPem),
  signedBySecret('is signed with HS256, with the public JWK as its secret', (key) =>
    JSON.stringify(publicPart(key, key.kid)),
  ),
  signedBySecret('is signed with HS256, with the modulus as its secret', ({ n }) => n),
  signedBySecret('is signed with HS256, with the kid as its secret', ({ kid }) => kid),
  signedBySecret('is signed with HS256, with an empty secret', () => ''),
  signedBySecret('names an empty file as its key (kid)', () => '', { kid: '../../../../../../dev/null' }),
  signedBySecret('injects SQL into its key lookup (kid)', () => 'secret', { kid: "' union select 'secret' --" }),
  signedByForger('is signed with another key under the service’s kid', () => ({})),
  signedByForger('is signed with another key under its own kid', ({ kid }) => ({ kid })),
  signedByForger('is signed with another key without a kid', () => ({ kid: undefined })),
  signedByForger('has its own key in its header (jwk)', (key) => ({
    jwk: publicPart(key, key.kid),
    kid: undefined,
  })),
  signedByForger('has its own key in its header under the service’s kid', (key, { header }) => ({
    jwk: publicPart(key, String(header.kid)),
  })),
  signedByForger('names the URL of its key (jku)', ({ kid }) => ({ jku: `${EVIL}/jwks.json`, kid })),
  signedByForger('names the URL of its certificate (x5u)', ({ kid }) => ({ x5u: `${EVIL}/key.pem`, kid })),
  signedByForger('has its own certificate (x5c)', ({ n }) => ({ x5c: [n] })),
  changed('names a key that its issuer does not have', { header: { kid: 'unknown' } }),
  changed('requires an extension (crit)', { header: { crit: [UNKNOWN_EXTENSION], [UNKNOWN_EXTENSION]: true } }),
  changed('requires an extension that it does not have', { header: { crit: [UNKNOWN_EXTENSION] } }),
  changed('has an empty list of required extensions', { header: { crit: [] } }),
  changed('declares its claims as not encoded (b64)', { header: { crit: ['b64'], b64: false } }),
]

/** The claims and the type (RFC 8725, sections 2.7, 2.8 and 3.8 to 3.12). */
const CLAIM_ATTACKS: readonly Attack[] = [
  changed('has no type', { header: { typ: undefined } }),
  changed('has an empty type', { header: { typ: '' } }),
  changed('has a type that is not a string', { header: { typ: 5 } }),
  changed('has the type of another kind of token', { header: { typ: 'logout+jwt' } }),
  changed('has no audience', { claims: { aud: undefined } }),
  changed('has another audience', { claims: { aud: EVIL } }),
  changed('has several other audiences', { claims: { aud: [EVIL, 'https://other.test'] } }),
  changed('has an empty list of audiences', { claims: { aud: [] } }),
  changed('has an audience that begins like the right one', ({ claims }) => ({
    claims: { aud: `${claims.aud}.evil.test` },
  })),
  changed('has the right audience with a slash', ({ claims }) => ({ claims: { aud: `${claims.aud}/` } })),
  changed('has an audience that is not a string', ({ claims }) => ({
    claims: { aud: { [String(claims.aud)]: true } },
  })),
  changed('has no issuer', { claims: { iss: undefined } }),
  changed('has another issuer', { claims: { iss: EVIL } }),
  changed('has its issuer with a slash', ({ claims }) => ({ claims: { iss: `${claims.iss}/` } })),
  changed('has its issuer in capitals', ({ claims }) => ({ claims: { iss: String(claims.iss).toUpperCase() } })),
  changed('has a list of issuers', ({ claims }) => ({ claims: { iss: [claims.iss] } })),
  changed('has no subject', { claims: { sub: undefined } }),
  changed('has an empty subject', { claims: { sub: '' } }),
  changed('has a subject that is a number', { claims: { sub: 1 } }),
  changed('has a subject that is a list', { claims: { sub: ['1'] } }),
  changed('never expires', { claims: { exp: undefined } }),
  changed('has expired', () => ({ claims: { exp: secondsFromNow(-31) } })),
  changed('has an expiry that is a string', () => ({ claims: { exp: String(secondsFromNow(HOUR_SECONDS)) } })),
  changed('has null as its expiry', { claims: { exp: null } }),
  changed('is not valid yet', () => ({ claims: { nbf: secondsFromNow(60) } })),
  changed('has a start of validity that is a string', { claims: { nbf: '0' } }),
  changed('has a time of issue that is a string', { claims: { iat: '0' } }),
  {
    fault: 'has two expiries, and the second has passed',
    async forge({ header, claims, key }) {
      const text = JSON.stringify(claims).replace(/\}$/, `,"exp":${secondsFromNow(-31)}}`)
      return await sign({ header, claims: text, key })
    },
  },
]

/** An attack that replaces the claims of a token, with a correct signature. */
function claiming(fault: string, claims: unknown): Attack {
  return { fault, forge: ({ header, key }) => sign({ header, claims, key }) }
}

/** Texts that are not tokens. */
const JUNK_ATTACKS: readonly Attack[] = [
  { fault: 'is empty', forge: async () => '' },
  { fault: 'is not a JWT', forge: async () => 'secret' },
  { fault: 'is two dots', forge: async () => '..' },
  { fault: 'has a second word', forge: async (original) => `${await sign(original)} x` },
  { fault: 'is repeated', forge: async (original) => `${await sign(original)}, Bearer ${await sign(original)}` },
  { fault: 'has a fourth part', forge: async (original) => `${await sign(original)}.AAAA` },
  { fault: 'has five parts, as an encrypted one has', forge: async (original) => `${await sign(original)}.AAAA.AAAA` },
  {
    fault: 'is the same signature in JSON (RFC 7515, section 7.2)',
    async forge(original) {
      const [header, payload, signature] = (await sign(original)).split('.')
      return JSON.stringify({ payload, protected: header, signature })
    },
  },
  ...([0, 1, 2] as const).flatMap((part) => {
    const name = ['header', 'claims', 'signature'][part]
    return [
      replaced(`has characters in its ${name} that are not base64url`, part, (_, text) => `${text.slice(0, -2)}!*`),
      replaced(`has junk bytes for its ${name}`, part, () => encodeBytes(new Uint8Array(300).fill(0xff))),
      replaced(`has NULs for its ${name}`, part, () => encodeBytes(new Uint8Array(300))),
      replaced(`has 100 KB for its ${name}`, part, () => 'A'.repeat(LONG)),
    ]
  }),
  ...['null', '5', '"text"', '[]', '{', ''].flatMap((json) => [
    replaced(`has ${json ? `the header ${json}` : 'an empty header'}`, 0, () => encode(json)),
    claiming(`claims ${json || 'nothing'}`, json),
  ]),
  claiming('claims 100,000 nested lists', '['.repeat(LONG)),
  {
    fault: 'has claims that are not UTF-8',
    async forge({ header, claims, key }) {
      const bytes = new TextEncoder().encode(JSON.stringify({ ...claims, name: '?' }))
      return await sign({ header, claims: bytes.with(bytes.lastIndexOf(0x3f), 0xff), key })
    },
  },
  { fault: 'is 100 KB of one letter', forge: async () => 'A'.repeat(LONG) },
  { fault: 'is 100,000 dots', forge: async () => '.'.repeat(LONG) },
]

/** The attacks on any kind of token. */
export const ATTACKS: readonly Attack[] = [...JUNK_ATTACKS, ...SIGNATURE_ATTACKS, ...CLAIM_ATTACKS]

/**
 * The attacks on tokens that the service issues itself. They get no clock tolerance, because only one clock is
 * involved.
 */
const OWN_ATTACKS: readonly Attack[] = [
  changed('expired a second ago', () => ({ claims: { exp: secondsFromNow(-1) } })),
  changed('has no time of issue', { claims: { iat: undefined } }),
  changed('has no id', { claims: { jti: undefined } }),
  ...["1' or '1'='1", '0', '01', '-1', '+1', ' 1', '1 ', '1e3', '0x1', '1.0', '9'.repeat(17)].map((sub) =>
    changed(`has the subject '${sub}', which is not an id`, { claims: { sub } }),
  ),
]

/** The attacks on tokens of POST /auth/token. */
export const USER_TOKEN_ATTACKS: readonly Attack[] = [
  ...OWN_ATTACKS,
  changed('has the type of an access token', { header: { typ: 'at+jwt' } }),
  changed('has the type of an access token, in full', { header: { typ: 'application/at+jwt' } }),
  changed('has an unknown user', { claims: { sub: '9007199254740991' } }),
  changed('precedes a password change', { claims: { password_generation: 1 } }),
  changed('has no password generation', { claims: { password_generation: undefined } }),
  ...['0', null, 0.5, -1, [0], true].map((password_generation) =>
    changed(`has the password generation ${JSON.stringify(password_generation)}`, { claims: { password_generation } }),
  ),
]

/** The attacks on access tokens of POST /oauth/token. */
export const ACCESS_TOKEN_ATTACKS: readonly Attack[] = [
  ...OWN_ATTACKS,
  changed('has the type of a token of POST /auth/token', { header: { typ: 'JWT' } }),
  changed('has no grant', { claims: { grant_id: undefined } }),
  changed('has an unknown grant', () => ({
    claims: { grant_id: crypto.randomUUID() },
  })),
  changed('has a wildcard as its grant', { claims: { grant_id: '%' } }),
  changed('has a list of grants', ({ claims }) => ({ claims: { grant_id: [claims.grant_id] } })),
  changed('has no client', { claims: { client_id: undefined } }),
  changed('has a list as its scope', { claims: { scope: ['read:account', 'write:account'] } }),
]

/** The attacks on tokens of other providers. */
export const FOREIGN_TOKEN_ATTACKS: readonly Attack[] = [
  changed('has a subject of 256 characters', { claims: { sub: 'x'.repeat(256) } }),
  changed('has the type of an ID token', { header: { typ: 'id+jwt' } }),
  changed('names the service as its issuer', { claims: { iss: ORIGIN } }),
]

/** All attacks on tokens of POST /auth/token, by the attacked part. */
export const FORGERY_FAMILIES: readonly (readonly Forgery[])[] = [
  JUNK_ATTACKS,
  SIGNATURE_ATTACKS,
  CLAIM_ATTACKS,
  USER_TOKEN_ATTACKS,
].map((attacks) => attacks.map(({ fault, forge }) => ({ fault, make: (account) => forge(userTokenOf(account)) })))
