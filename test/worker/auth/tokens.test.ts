import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { verifyAccessToken } from '../../../src/auth/access-token.ts'
import { issueUserToken, verifyUserToken } from '../../../src/auth/bearer.ts'
import { issueIdToken, readIdTokenHint } from '../../../src/auth/id-token.ts'
import { TokenAuthority } from '../../../src/auth/tokens.ts'
import { parseConfig } from '../../../src/env.ts'
import { makeSigningKeySet } from '../../support/keys.ts'

const ISSUER = 'https://galaxy.test'
const claims = { userId: 7, passwordGeneration: 2 }

/** A request to a world with a single address. */
const at = (tokens: TokenAuthority, now: Date, baseUrl = ISSUER) => {
  const isOwnIssuer = (issuer: string) => issuer === baseUrl
  return { services: { tokens, isOwnIssuer, era: undefined }, baseUrl, now }
}

it('a token survives the rotation of its key, and ends when the key is removed', async () => {
  const [old, fresh] = [await makeSigningKeySet(), await makeSigningKeySet()]
  const token = await issueUserToken(new TokenAuthority([old]), claims, ISSUER, new Date())
  expect(await verifyUserToken(token, at(new TokenAuthority([fresh, old]), new Date()))).toEqual({
    ...claims,
    tokenExpiresAt: expect.any(Date),
    provedAt: expect.any(Date),
  })
  await expect(verifyUserToken(token, at(new TokenAuthority([fresh]), new Date()))).rejects.toThrow(
    'The token is signed with an unknown key.',
  )
  expect(parseConfig(env).signingKeys).toHaveLength(1)
})

it('the first key signs', async () => {
  const [old, fresh] = [await makeSigningKeySet(), await makeSigningKeySet()]
  const token = await issueUserToken(new TokenAuthority([fresh, old]), claims, ISSUER, new Date())
  expect(JSON.parse(atob(token.split('.')[0] ?? ''))).toMatchObject({ kid: fresh.kid })
})

describe('the signature of a token is verified once', () => {
  const LIFETIME_MS = 60 * 60 * 1000
  let authority: TokenAuthority
  let token: string
  const now = new Date('2026-11-22T12:00:00Z')

  beforeEach(async () => {
    authority = new TokenAuthority([await makeSigningKeySet()])
    token = await issueUserToken(authority, claims, ISSUER, now)
    vi.spyOn(crypto.subtle, 'verify')
    await verifyUserToken(token, at(authority, now))
  })

  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('and its claims stay the same', async () => {
    expect(await verifyUserToken(token, at(authority, now))).toMatchObject(claims)
    expect(crypto.subtle.verify).toHaveBeenCalledTimes(1)
  })

  it('but it still ends when it expires', async () => {
    const last = new Date(now.getTime() + LIFETIME_MS - 1)
    expect(await verifyUserToken(token, at(authority, last))).toMatchObject(claims)
    await expect(verifyUserToken(token, at(authority, new Date(last.getTime() + 1)))).rejects.toThrow('has expired')
  })

  it('but another issuer or another kind of token is still refused', async () => {
    await expect(verifyUserToken(token, at(authority, now, 'https://other.test'))).rejects.toThrow('not accepted')
    await expect(verifyAccessToken(token, at(authority, now))).rejects.toThrow('wrong type')
  })

  it('but a token with the same beginning is still refused', async () => {
    await expect(verifyUserToken(`${token.slice(0, -8)}AAAAAAAA`, at(authority, now))).rejects.toThrow('signature')
  })

  it('unless a thousand other tokens were verified after it', async () => {
    for (let index = 0; index < 1000; index++) {
      const other = await issueUserToken(authority, { ...claims, userId: 8 + index }, ISSUER, now)
      await verifyUserToken(other, at(authority, now))
    }
    const before = vi.mocked(crypto.subtle.verify).mock.calls.length
    await verifyUserToken(token, at(authority, now))
    expect(vi.mocked(crypto.subtle.verify).mock.calls.length).toBe(before + 1)
  })

  it('unless it is long, so that a thousand of them need little memory', async () => {
    const signIn = { clientId: 'client', scopes: [], authenticatedAt: null, accessToken: undefined }
    const user = { id: 7, name: null, email: null, createdAt: now, renamedAt: null }
    for (const [length, verifications] of [
      [20, 1],
      [2048, 2],
    ] as const) {
      const nonce = 'n'.repeat(length)
      const idToken = await issueIdToken({ ...signIn, user, nonce }, at(authority, now))
      vi.mocked(crypto.subtle.verify).mockClear()
      await readIdTokenHint(idToken, at(authority, now))
      await readIdTokenHint(idToken, at(authority, now))
      expect(crypto.subtle.verify).toHaveBeenCalledTimes(verifications)
    }
  })
})
