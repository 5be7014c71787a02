import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { issueUserToken, verifyUserToken } from '../../../src/auth/bearer.ts'
import { TokenAuthority } from '../../../src/auth/tokens.ts'
import { parseConfig } from '../../../src/env.ts'
import { makeSigningKeySet } from '../../support/keys.ts'

const ISSUER = 'https://galaxy.test'
const claims = { userId: 7, passwordGeneration: 2 }

it('a token survives the rotation of its key, and ends when the key is removed', async () => {
  const [old, fresh] = [await makeSigningKeySet(), await makeSigningKeySet()]
  const token = await issueUserToken(new TokenAuthority([old]), claims, ISSUER, new Date())
  expect(await verifyUserToken(new TokenAuthority([fresh, old]), token, ISSUER, new Date())).toEqual({
    ...claims,
    tokenExpiresAt: expect.any(Date),
    provedAt: expect.any(Date),
  })
  await expect(verifyUserToken(new TokenAuthority([fresh]), token, ISSUER, new Date())).rejects.toThrow(
    'The token is signed with an unknown key.',
  )
  expect(parseConfig(env).signingKeys).toHaveLength(1)
})

it('the first key signs', async () => {
  const [old, fresh] = [await makeSigningKeySet(), await makeSigningKeySet()]
  const token = await issueUserToken(new TokenAuthority([fresh, old]), claims, ISSUER, new Date())
  expect(JSON.parse(atob(token.split('.')[0] ?? ''))).toMatchObject({ kid: fresh.kid })
})
