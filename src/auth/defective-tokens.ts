import { base64url, exportJWK, exportSPKI, generateKeyPair, importJWK, type JWTPayload, SignJWT } from 'jose'
import * as z from 'zod'
import type { TokenDefect } from '../domain/token-defects.ts'
import type { SigningKey } from '../env.ts'
import { newUuid } from '../lib/ids.ts'
import { HOUR_MS, secondsOf } from '../lib/time.ts'
import { ACCESS_TOKEN_TYPE } from './authorization-header.ts'
import { TOKEN_FAULTS } from './token-faults.ts'
import { SIGNING_ALGORITHM, TokenAuthority } from './tokens.ts'

// Access tokens that every right verifier refuses, each for one reason. Whoever has one can do nothing with it: none is
// accepted, or it has no scope.

/** What the service answers to a token. */
interface Expectation {
  status: 401 | 403
  error: 'invalid_token' | 'insufficient_scope'
  /** Null if the answer has none. */
  description: string | null
}

/** An access token before it is signed. */
interface Draft {
  type: string
  claims: JWTPayload
  issuer: string
  audience: string
  issuedAt: Date
  expiresAt: Date
}

type Sign = (draft: Draft, tokens: TokenAuthority) => Promise<string>

interface Defect {
  expect: Expectation
  sign: Sign
}

/** Registry: the defects (RFC 8725, sections 2 and 3; RFC 9068, section 4): how each is made, and what becomes of it. */
const DEFECTS: Readonly<Record<TokenDefect, Defect>> = {
  expired: refused(
    TOKEN_FAULTS.expired,
    changed(({ issuedAt }) => ({ issuedAt: hoursAfter(issuedAt, -2), expiresAt: hoursAfter(issuedAt, -1) })),
  ),
  'not-yet-valid': refused(
    TOKEN_FAULTS.early,
    changed(({ claims, issuedAt }) => ({
      claims: { ...claims, nbf: secondsOf(hoursAfter(issuedAt, 1)) },
      expiresAt: hoursAfter(issuedAt, 2),
    })),
  ),
  // Its grant does not exist, or was ended.
  revoked: refused(TOKEN_FAULTS.grant, signOurs),
  'no-scope': {
    expect: { status: 403, error: 'insufficient_scope', description: null },
    sign: changed(({ claims: { scope: _, ...claims } }) => ({ claims })),
  },
  'wrong-issuer': refused(
    TOKEN_FAULTS.issuer,
    changed(() => ({ issuer: 'https://issuer.invalid' })),
  ),
  'wrong-audience': refused(
    TOKEN_FAULTS.audience,
    changed(() => ({ audience: 'https://audience.invalid' })),
  ),
  'wrong-type': refused(
    TOKEN_FAULTS.type,
    changed(() => ({ type: 'logout+jwt' })),
  ),
  'bad-signature': refused(TOKEN_FAULTS.signature, (draft, tokens) => signStrange(draft, tokens, ourKeyOf(tokens).kid)),
  'unknown-kid': refused(TOKEN_FAULTS.key, (draft, tokens) => signStrange(draft, tokens, crypto.randomUUID())),
  'alg-none': refused(TOKEN_FAULTS.algorithm, writeUnsigned),
  hs256: refused(TOKEN_FAULTS.algorithm, signWithPublicKey),
}

function refused(description: string, sign: Sign): Defect {
  return { expect: { status: 401, error: 'invalid_token', description }, sign }
}

interface Order {
  tokens: TokenAuthority
  issuer: string
  /** The claims of an access token without a defect, except those about its issuer and its times. */
  claims: JWTPayload
  now: Date
  /** When the token expires, if its defect says nothing else. */
  expiresAt: Date
}

/** Makes a token with a defect. Nothing is stored. */
export async function makeDefectiveToken(
  defect: TokenDefect,
  { tokens, issuer, claims, now, expiresAt }: Order,
): Promise<{ token: string; expect: Expectation }> {
  const { expect, sign } = DEFECTS[defect]
  const draft = { type: ACCESS_TOKEN_TYPE, claims, issuer, audience: issuer, issuedAt: now, expiresAt }
  return { token: await sign({ ...draft, claims: { ...claims, jti: newUuid('token') } }, tokens), expect }
}

/** Signs a draft with our key, after a change. */
function changed(change: (draft: Draft) => Partial<Draft>): Sign {
  return (draft, tokens) => signOurs({ ...draft, ...change(draft) }, tokens)
}

async function signOurs(
  { type, claims, issuedAt, expiresAt, ...parties }: Draft,
  tokens: TokenAuthority,
): Promise<string> {
  const kind = { type, lifetimeSeconds: 0, claims: z.unknown() }
  return await tokens.sign(kind, claims, parties, issuedAt, expiresAt)
}

/** The keys that no JWK Set has, one for each authority, because to make one takes long. */
const strangers = new WeakMap<TokenAuthority, SigningKey>()

/** Signs a draft with a key that no JWK Set has. @param kid What the token says about its key */
async function signStrange(draft: Draft, tokens: TokenAuthority, kid: string): Promise<string> {
  const key = strangers.get(tokens) ?? (await makeStranger())
  strangers.set(tokens, key)
  return await signOurs(draft, new TokenAuthority([{ ...key, kid }]))
}

async function makeStranger(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true })
  const { n = '', e = '', d = '', ...rest } = await exportJWK(privateKey)
  return { ...rest, kty: 'RSA', kid: '', n, e, d }
}

function ourKeyOf({ publicKeys: { keys } }: TokenAuthority) {
  const [ours] = keys
  if (!ours) throw new Error('the service has no key')
  return ours
}

/** All claims of a draft. */
function claimsOf({ claims, issuer, audience, issuedAt, expiresAt }: Draft): JWTPayload {
  return { ...claims, iss: issuer, aud: audience, iat: secondsOf(issuedAt), exp: secondsOf(expiresAt) }
}

/** An unsecured JWT (RFC 7519, section 6). */
async function writeUnsigned(draft: Draft): Promise<string> {
  const encode = (part: object) => base64url.encode(JSON.stringify(part))
  return `${encode({ alg: 'none', typ: draft.type })}.${encode(claimsOf(draft))}.`
}

/** Takes our public key for a secret (RFC 8725, section 2.1): its PEM, with a line feed at the end. */
async function signWithPublicKey(draft: Draft, tokens: TokenAuthority): Promise<string> {
  const { kid, kty, n, e } = ourKeyOf(tokens)
  const publicKey = await importJWK({ kty, n, e }, SIGNING_ALGORITHM, { extractable: true })
  if (publicKey instanceof Uint8Array) throw new Error('the key is not public')
  const pem = `${(await exportSPKI(publicKey)).trimEnd()}\n`
  return await new SignJWT(claimsOf(draft))
    .setProtectedHeader({ alg: 'HS256', typ: draft.type, kid })
    .sign(new TextEncoder().encode(pem))
}

function hoursAfter(date: Date, hours: number): Date {
  return new Date(date.getTime() + hours * HOUR_MS)
}
