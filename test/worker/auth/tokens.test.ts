import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { TokenAuthority } from '../../../src/auth/tokens.ts'
import { parseConfig } from '../../../src/env.ts'
import { makeSigningKeySet } from '../../support/keys.ts'

const ISSUER = 'https://galaxy.test'
const claims = { userId: 7, passwordGeneration: 2 }

it('a token outlives the rotation of its key, and ends when the key is taken away', async () => {
  const [old, fresh] = [await makeSigningKeySet(), await makeSigningKeySet()]
  const token = await new TokenAuthority([old]).issue(claims, ISSUER, new Date())
  expect(await new TokenAuthority([fresh, old]).verify(token, ISSUER, new Date())).toEqual(claims)
  await expect(new TokenAuthority([fresh]).verify(token, ISSUER, new Date())).rejects.toThrow('The token is not valid')
  expect(parseConfig(env).signingKeys).toHaveLength(1)
})

it('the first key signs', async () => {
  const [old, fresh] = [await makeSigningKeySet(), await makeSigningKeySet()]
  const token = await new TokenAuthority([fresh, old]).issue(claims, ISSUER, new Date())
  expect(JSON.parse(atob(token.split('.')[0] ?? ''))).toMatchObject({ kid: fresh.kid })
})
