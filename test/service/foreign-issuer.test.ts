import { createServer, type Server } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { documentedFetch } from '../support/documented-fetch.ts'
import { bodyOf, type Galaxy, startGalaxy } from './galaxy.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'

// An OpenID provider that is not ours, and that the operator trusts (OIDC_ISSUERS). It is another server beside
// `npm start`.

const AUDIENCE = 'galaxy-for-others'

let state: Awaited<ReturnType<typeof makePreparedState>>
let galaxy: Galaxy
let provider: Server
let issuer: string
let signingKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
const calls: string[] = []

beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  signingKey = privateKey
  const jwk = { ...(await exportJWK(publicKey)), kid: 'first', alg: 'ES256', use: 'sig' }
  const port = await freePort()
  issuer = `http://localhost:${port}`
  const documents: Record<string, object> = {
    '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys` },
    '/keys': { keys: [jwk] },
  }
  provider = createServer(({ url = '' }, response) => {
    calls.push(url)
    response.setHeader('Content-Type', 'application/json').end(JSON.stringify(documents[url]))
  })
  await new Promise<void>((resolve) => provider.listen(port, 'localhost', resolve))
  state = await makePreparedState()
  const trust = ['--var', `OIDC_ISSUERS:${issuer}|${AUDIENCE}`]
  galaxy = await startGalaxy(['--port', String(await freePort()), '--persist-to', state.folder, ...trust])
})

afterAll(async () => {
  await galaxy.stop()
  await new Promise((resolve) => provider.close(resolve))
  await state.remove()
})

const issueToken = (subject: string, scope: string) =>
  new SignJWT({ scope })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'first' })
    .setIssuer(issuer)
    .setAudience(AUDIENCE)
    .setSubject(subject)
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(signingKey)

const createPlanet = (token: string) =>
  documentedFetch(new URL('/planets', galaxy.url), {
    method: 'POST',
    body: JSON.stringify({ name: 'Foreign' }),
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
  })

it('accepts the tokens of a provider that the operator trusts, and recognizes its users', async () => {
  const first = await createPlanet(await issueToken('ada', 'openid write:planets'))
  expect(first.status).toBe(201)
  const again = await createPlanet(await issueToken('ada', 'openid write:planets'))
  const other = await createPlanet(await issueToken('bob', 'openid write:planets'))
  const [ada, adaAgain, bob] = await Promise.all(
    [first, again, other].map(async (made) => (await bodyOf(made)).creator),
  )
  expect(ada).toEqual({ id: expect.any(Number) })
  expect(adaAgain).toEqual(ada)
  expect(bob).not.toEqual(ada)
  expect(calls).toEqual(['/.well-known/openid-configuration', '/keys'])
})

it('gives these users no more access than the scopes of their tokens', async () => {
  expect((await createPlanet(await issueToken('ada', 'openid read:planets'))).status).toBe(403)
})
