import { env } from 'cloudflare:workers'
import { exportSPKI, importJWK } from 'jose'
import type { SigningKey } from '../../src/env.ts'
import { type Account, ORIGIN } from './app.ts'
import { makeSigningKeySet } from './keys.ts'

// Tokens that a forger might send: each differs from a good one in a single point.

const HOUR_SECONDS = 60 * 60
const RS256 = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }

/** A token before it is signed, which would be taken as it is. */
export interface Original {
  header: Record<string, unknown>
  claims: Record<string, unknown>
  /** What its issuer signs with. */
  key: SigningKey
}

export interface Attack {
  /** What is wrong with the token. */
  fault: string
  forge(original: Original): Promise<string>
}

/** An attack on the tokens of POST /auth/token. */
export interface Forgery {
  /** What is wrong with the token. */
  fault: string
  make(account: Account): Promise<string>
}

/** The service's own signing key. */
export const [OWN_KEY] = (JSON.parse(env.SIGNING_KEYS) as { keys: [SigningKey] }).keys

/** What POST /auth/token gives, unsigned. */
export function userTokenOf({ id }: Account): Original {
  const claims = { ...ownClaims(id), password_generation: 0 }
  return { header: { alg: 'RS256', typ: 'JWT', kid: OWN_KEY.kid }, claims, key: OWN_KEY }
}

/** What POST /oauth/token gives, unsigned. */
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

/** A token of POST /auth/token that is right in every point, but for those given. */
export async function makeToken(
  account: Account,
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
): Promise<string> {
  return await signChanged(userTokenOf(account), { claims, header })
}

/** A time as JWTs have it. */
export function secondsFromNow(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds
}

/** Signs with RS256, whatever the header says. Texts and bytes are signed as they are, anything else as JSON. */
export async function sign({ header, claims, key }: { header: unknown; claims: unknown; key: SigningKey }) {
  const input = `${encode(header)}.${encode(claims)}`
  const privateKey = await crypto.subtle.importKey('jwk', { ...key }, RS256, false, ['sign'])
  const signature = await crypto.subtle.sign(RS256.name, privateKey, new TextEncoder().encode(input))
  return `${input}.${encodeBytes(new Uint8Array(signature))}`
}

/** Signs with HMAC, by a secret that the forger hopes the service to verify with. */
async function signWithSecret({ header, claims }: Original, secret: string, changes: object = {}): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  // A key of nothing cannot be imported; one NUL makes the same (RFC 2104, section 2 pads with them).
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

/** An attack that changes the header or the claims, and signs them rightly. Undefined takes a member away. */
function changed(fault: string, changes: Changes | ((original: Original) => Changes)): Attack {
  const of = typeof changes === 'function' ? changes : () => changes
  return { fault, forge: (original) => signChanged(original, of(original)) }
}

/** An attack that puts something else in the place of a part of the signed token: 0 header, 1 claims, 2 signature. */
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

/** A key of the forger's own, made at its first use. */
export function attackersKey(): Promise<SigningKey> {
  attackers ??= makeSigningKeySet()
  return attackers
}

function publicPart({ kty, n, e }: SigningKey, kid: string) {
  return { kty, n, e, kid, alg: 'RS256', use: 'sig' }
}

/** An attack that is signed with the forger's key, which its header may bring along or name. */
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
  replaced('says alg none and keeps its signature', 0, ({ header }) => encode({ ...header, alg: 'none' })),
  changed('says nothing of its algorithm', { header: { alg: undefined } }),
  changed('says that it is signed by RS512', { header: { alg: 'RS512' } }),
  changed('says that it is signed by ES256', { header: { alg: 'ES256' } }),
  replaced('has its signature cut off', 2, () => ''),
  replaced('has a part of its signature cut off', 2, (_, text) => text.slice(0, -4)),
  replaced('has a longer signature', 2, (_, text) => `${text}AAAA`),
  replaced('has a signature of zeros', 2, () => encodeBytes(new Uint8Array(256))),
  replaced('has claims that were changed after signing', 1, ({ claims }) =>
    encode({ ...claims, sub: `${claims.sub}0` }),
  ),
  replaced('has a header that was changed after signing', 0, ({ header }) => encode({ ...header, more: true })),
  signedBySecret('is signed by HS256 with the public key as its secret', publicPem),
  signedBySecret('is signed by HS256 with the public JWK as its secret', (key) =>
    JSON.stringify(publicPart(key, key.kid)),
  ),
  signedBySecret('is signed by HS256 with the modulus as its secret', ({ n }) => n),
  signedBySecret('is signed by HS256 with the kid as its secret', ({ kid }) => kid),
  signedBySecret('is signed by HS256 with nothing as its secret', () => ''),
  signedBySecret('names an empty file as its key (kid)', () => '', { kid: '../../../../../../dev/null' }),
  signedBySecret('asks SQL for its key (kid)', () => 'secret', { kid: "' union select 'secret' --" }),
  signedByForger('is signed by another key under our kid', () => ({})),
  signedByForger('is signed by another key under its own kid', ({ kid }) => ({ kid })),
  signedByForger('is signed by another key under no kid', () => ({ kid: undefined })),
  signedByForger('brings its own key in its header (jwk)', (key) => ({
    jwk: publicPart(key, key.kid),
    kid: undefined,
  })),
  signedByForger('brings its own key in its header under our kid', (key, { header }) => ({
    jwk: publicPart(key, String(header.kid)),
  })),
  signedByForger('says where its key is (jku)', ({ kid }) => ({ jku: `${EVIL}/jwks.json`, kid })),
  signedByForger('says where its certificate is (x5u)', ({ kid }) => ({ x5u: `${EVIL}/key.pem`, kid })),
  signedByForger('brings its own certificate (x5c)', ({ n }) => ({ x5c: [n] })),
  changed('names a key that its issuer does not have', { header: { kid: 'unknown' } }),
  changed('needs an extension (crit)', { header: { crit: [UNKNOWN_EXTENSION], [UNKNOWN_EXTENSION]: true } }),
  changed('needs an extension that it does not have', { header: { crit: [UNKNOWN_EXTENSION] } }),
  changed('needs no extension, and says so', { header: { crit: [] } }),
  changed('says that its claims are not encoded (b64)', { header: { crit: ['b64'], b64: false } }),
]

/** What the token says (RFC 8725, sections 2.7, 2.8 and 3.8 to 3.12). */
const CLAIM_ATTACKS: readonly Attack[] = [
  changed('has no type', { header: { typ: undefined } }),
  changed('has an empty type', { header: { typ: '' } }),
  changed('has a type that is no text', { header: { typ: 5 } }),
  changed('is of a type for something else', { header: { typ: 'logout+jwt' } }),
  changed('is for nobody', { claims: { aud: undefined } }),
  changed('is for somebody else', { claims: { aud: EVIL } }),
  changed('is for some others', { claims: { aud: [EVIL, 'https://other.test'] } }),
  changed('is for a list of nobody', { claims: { aud: [] } }),
  changed('is for somebody whose name begins like ours', ({ claims }) => ({
    claims: { aud: `${claims.aud}.evil.test` },
  })),
  changed('is for us, with a slash', ({ claims }) => ({ claims: { aud: `${claims.aud}/` } })),
  changed('has an audience that is no text', ({ claims }) => ({ claims: { aud: { [String(claims.aud)]: true } } })),
  changed('is from nobody', { claims: { iss: undefined } }),
  changed('is from another issuer', { claims: { iss: EVIL } }),
  changed('is from its issuer with a slash', ({ claims }) => ({ claims: { iss: `${claims.iss}/` } })),
  changed('is from its issuer in capitals', ({ claims }) => ({ claims: { iss: String(claims.iss).toUpperCase() } })),
  changed('is from a list of issuers', ({ claims }) => ({ claims: { iss: [claims.iss] } })),
  changed('has no subject', { claims: { sub: undefined } }),
  changed('has an empty subject', { claims: { sub: '' } }),
  changed('has a subject that is a number', { claims: { sub: 1 } }),
  changed('has a subject that is a list', { claims: { sub: ['1'] } }),
  changed('never expires', { claims: { exp: undefined } }),
  changed('has expired', () => ({ claims: { exp: secondsFromNow(-31) } })),
  changed('expires at a time that is a text', () => ({ claims: { exp: String(secondsFromNow(HOUR_SECONDS)) } })),
  changed('expires at null', { claims: { exp: null } }),
  changed('is not valid yet', () => ({ claims: { nbf: secondsFromNow(60) } })),
  changed('is valid from a time that is a text', { claims: { nbf: '0' } }),
  changed('was issued at a time that is a text', { claims: { iat: '0' } }),
  {
    fault: 'says twice when it expires, and the second time has passed',
    async forge({ header, claims, key }) {
      const text = JSON.stringify(claims).replace(/\}$/, `,"exp":${secondsFromNow(-31)}}`)
      return await sign({ header, claims: text, key })
    },
  },
]

/** Claims in the place of a token's, rightly signed. */
function claiming(fault: string, claims: unknown): Attack {
  return { fault, forge: ({ header, key }) => sign({ header, claims, key }) }
}

/** What is no token at all. */
const JUNK_ATTACKS: readonly Attack[] = [
  { fault: 'is empty', forge: async () => '' },
  { fault: 'is no JWT', forge: async () => 'secret' },
  { fault: 'is two dots', forge: async () => '..' },
  { fault: 'has a second word', forge: async (original) => `${await sign(original)} x` },
  { fault: 'is there twice', forge: async (original) => `${await sign(original)}, Bearer ${await sign(original)}` },
  { fault: 'has a fourth part', forge: async (original) => `${await sign(original)}.AAAA` },
  { fault: 'has the five parts of an encrypted one', forge: async (original) => `${await sign(original)}.AAAA.AAAA` },
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
      replaced(
        `has characters in its ${name} that base64url does not have`,
        part,
        (_, text) => `${text.slice(0, -2)}!*`,
      ),
      replaced(`has junk bytes for its ${name}`, part, () => encodeBytes(new Uint8Array(300).fill(0xff))),
      replaced(`has NULs for its ${name}`, part, () => encodeBytes(new Uint8Array(300))),
      replaced(`has 100 KB for its ${name}`, part, () => 'A'.repeat(LONG)),
    ]
  }),
  ...['null', '5', '"text"', '[]', '{', ''].flatMap((json) => [
    replaced(`has the header ${json || 'of nothing'}`, 0, () => encode(json)),
    claiming(`claims ${json || 'nothing'}`, json),
  ]),
  claiming('claims 100,000 lists in one another', '['.repeat(LONG)),
  {
    fault: 'has claims that are no UTF-8',
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

/** The attacks on tokens that we issue ourselves, by a clock that nobody else has. */
const OWN_ATTACKS: readonly Attack[] = [
  changed('expired a second ago', () => ({ claims: { exp: secondsFromNow(-1) } })),
  changed('does not say when it was issued', { claims: { iat: undefined } }),
  changed('has no id', { claims: { jti: undefined } }),
  ...["1' or '1'='1", '0', '01', '-1', '+1', ' 1', '1 ', '1e3', '0x1', '1.0', '9'.repeat(17)].map((sub) =>
    changed(`has the subject '${sub}', which is no id`, { claims: { sub } }),
  ),
]

/** The attacks on tokens of POST /auth/token. */
export const USER_TOKEN_ATTACKS: readonly Attack[] = [
  ...OWN_ATTACKS,
  changed('has the type of an access token', { header: { typ: 'at+jwt' } }),
  changed('has the type of an access token, in full', { header: { typ: 'application/at+jwt' } }),
  changed('is for a user who does not exist', { claims: { sub: '9007199254740991' } }),
  changed('is for a password that was changed', { claims: { password_generation: 1 } }),
  changed('says nothing of the password', { claims: { password_generation: undefined } }),
  ...['0', null, 0.5, -1, [0], true].map((password_generation) =>
    changed(`is for the password ${JSON.stringify(password_generation)}`, { claims: { password_generation } }),
  ),
]

/** The attacks on access tokens of POST /oauth/token. */
export const ACCESS_TOKEN_ATTACKS: readonly Attack[] = [
  ...OWN_ATTACKS,
  changed('has the type of a token of POST /auth/token', { header: { typ: 'JWT' } }),
  changed('was given for nothing', { claims: { grant_id: undefined } }),
  changed('was given under a grant that does not exist', () => ({
    claims: { grant_id: crypto.randomUUID() },
  })),
  changed('was given under every grant', { claims: { grant_id: '%' } }),
  changed('was given under a list of grants', ({ claims }) => ({ claims: { grant_id: [claims.grant_id] } })),
  changed('was given to nobody', { claims: { client_id: undefined } }),
  changed('says nothing of its scope', { claims: { scope: undefined } }),
  changed('has a list for its scope', { claims: { scope: ['read:account', 'write:account'] } }),
]

/** The attacks on tokens of other providers. */
export const FOREIGN_TOKEN_ATTACKS: readonly Attack[] = [
  changed('has a subject of 256 characters', { claims: { sub: 'x'.repeat(256) } }),
  changed('has the type of an ID token of somebody', { header: { typ: 'id+jwt' } }),
  changed('says that it is from us', { claims: { iss: ORIGIN } }),
]

/** All attacks on tokens of POST /auth/token, by what they attack. */
export const FORGERY_FAMILIES: readonly (readonly Forgery[])[] = [
  JUNK_ATTACKS,
  SIGNATURE_ATTACKS,
  CLAIM_ATTACKS,
  USER_TOKEN_ATTACKS,
].map((attacks) => attacks.map(({ fault, forge }) => ({ fault, make: (account) => forge(userTokenOf(account)) })))
