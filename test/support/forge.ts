import { env } from 'cloudflare:workers'
import { base64url, exportSPKI, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { type Account, ORIGIN } from './app.ts'

const HOUR_SECONDS = 60 * 60

export interface Forgery {
  /** What is wrong with the token. */
  fault: string
  make(account: Account): Promise<string>
}

/** The service's own signing key, to make tokens that differ from a good one in a single point. */
const [ownKey] = (JSON.parse(env.SIGNING_KEYS) as { keys: [JWK & { kid: string }] }).keys
const HEADER = { alg: 'RS256', typ: 'JWT', kid: ownKey.kid }

/** A token that is right in every point, but for those given. */
export async function makeToken(
  account: Account,
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  key?: CryptoKey,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const good = {
    iss: ORIGIN,
    aud: ORIGIN,
    sub: String(account.id),
    iat: now,
    exp: now + HOUR_SECONDS,
    jti: crypto.randomUUID(),
    password_generation: 0,
  }
  return await new SignJWT({ ...good, ...claims })
    .setProtectedHeader({ ...HEADER, ...header })
    .sign(key ?? (await importJWK({ ...ownKey }, 'RS256')), { crit: { 'https://evil.test/extension': true } })
}

const part = (value: unknown) => base64url.encode(JSON.stringify(value))

/** The attacks of RFC 8725, section 2, and every claim of ours that can be wrong. */
export const FORGERIES: readonly Forgery[] = [
  { fault: 'is empty', make: async () => '' },
  { fault: 'is no JWT', make: async () => 'secret' },
  { fault: 'has a second word', make: async (account) => `${account.token} x` },
  {
    fault: 'has no signature (alg none)',
    make: async (account) => `${part({ ...HEADER, alg: 'none' })}.${account.token.split('.')[1]}.`,
  },
  {
    fault: 'has its signature cut off',
    make: async (account) => account.token.split('.').slice(0, 2).join('.').concat('.'),
  },
  {
    fault: 'has claims that were changed after signing',
    make: async (account) => {
      const [header, , signature] = account.token.split('.')
      const [, claims] = (await makeToken(account, { sub: '1' })).split('.')
      return `${header}.${claims}.${signature}`
    },
  },
  {
    fault: 'is signed by HS256 with the public key as its secret',
    make: async (account) => {
      const { n = '', e = '' } = ownKey
      const publicKey = await importJWK({ kty: 'RSA', n, e }, 'RS256', { extractable: true })
      const secret = new TextEncoder().encode(await exportSPKI(publicKey as CryptoKey))
      const [, claims] = account.token.split('.')
      return await new SignJWT(JSON.parse(new TextDecoder().decode(base64url.decode(claims ?? ''))))
        .setProtectedHeader({ ...HEADER, alg: 'HS256' })
        .sign(secret)
    },
  },
  {
    fault: 'is signed by another key under our kid',
    make: async (account) => makeToken(account, {}, {}, (await generateKeyPair('RS256')).privateKey),
  },
  {
    fault: 'brings its own key in its header (jwk)',
    make: async (account) => {
      const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
      const jwk = await crypto.subtle.exportKey('jwk', publicKey)
      return makeToken(account, {}, { jwk, kid: undefined }, privateKey)
    },
  },
  { fault: 'names a key that we do not have', make: (account) => makeToken(account, {}, { kid: 'unknown' }) },
  {
    fault: 'needs an extension (crit)',
    make: (account) =>
      makeToken(account, {}, { crit: ['https://evil.test/extension'], 'https://evil.test/extension': 1 }),
  },
  { fault: 'is of another type', make: (account) => makeToken(account, {}, { typ: 'at+jwt' }) },
  { fault: 'has no type', make: (account) => makeToken(account, {}, { typ: undefined }) },
  { fault: 'has expired', make: (account) => makeToken(account, { exp: Math.floor(Date.now() / 1000) - 1 }) },
  { fault: 'never expires', make: (account) => makeToken(account, { exp: undefined }) },
  { fault: 'is not valid yet', make: (account) => makeToken(account, { nbf: Math.floor(Date.now() / 1000) + 60 }) },
  { fault: 'has no id', make: (account) => makeToken(account, { jti: undefined }) },
  { fault: 'is from another issuer', make: (account) => makeToken(account, { iss: 'https://evil.test' }) },
  { fault: 'is for somebody else', make: (account) => makeToken(account, { aud: 'https://evil.test' }) },
  { fault: 'has no subject', make: (account) => makeToken(account, { sub: undefined }) },
  { fault: 'has a subject that is no id', make: (account) => makeToken(account, { sub: "1' or '1'='1" }) },
  { fault: 'is for a user who does not exist', make: (account) => makeToken(account, { sub: '9007199254740991' }) },
  { fault: 'is for a password that was changed', make: (account) => makeToken(account, { password_generation: 1 }) },
  { fault: 'says nothing of the password', make: (account) => makeToken(account, { password_generation: undefined }) },
]
