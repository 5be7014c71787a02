import { describe, expect, it } from 'vitest'
import { ReceiverTokens } from '../../../../src/auth/receiver-tokens.ts'
import { TargetRefused } from '../../../../src/domain/guarded-fetch.ts'
import { presentCredential, tokenSourceOf } from '../../../../src/features/callbacks/receiver-auth.ts'
import type { ReceiverAuth } from '../../../../src/schemas/receiver-auth.ts'
import { atOnce, FakeNetwork } from '../../../support/callbacks.ts'

// The credentials that a call carries to its receiver.

const HOOK = 'https://receiver.example/hook'
const CLIENT = { clientId: 'galaxy', clientSecret: 's3cr3t' }

const GRANTED = () => Response.json({ access_token: 'granted', token_type: 'Bearer', expires_in: 300 })

function present(auth: ReceiverAuth, url = HOOK, network = new FakeNetwork(GRANTED)) {
  const rules = { allowsPrivate: false, ownOrigins: ['https://galaxy.test'], signal: new AbortController().signal }
  const tokenCall = { fetch: network.fetch, rules, now: new Date('2026-01-15T12:00:00Z'), throttle: atOnce }
  return presentCredential(auth, url, { services: { receiverTokens: new ReceiverTokens() }, tokenCall })
}

describe('a receiver gets', () => {
  it.each([
    ['ada', 'secret', 'YWRhOnNlY3JldA=='],
    ['Aladdin', 'open sesame', 'QWxhZGRpbjpvcGVuIHNlc2FtZQ=='],
    ['ada', 'a:b', 'YWRhOmE6Yg=='],
    ['jürgen', 'größe🪐', 'asO8cmdlbjpncsO2w59l8J+qkA=='],
  ])('the Basic pair %s and %s, in UTF-8', async (username, password, base64) => {
    expect(await present({ scheme: 'basicAuth', username, password })).toEqual({
      url: HOOK,
      headers: { Authorization: `Basic ${base64}` },
      secrets: [password, base64],
    })
  })

  it('the token', async () => {
    expect(await present({ scheme: 'bearerAuth', token: 'abc.def' })).toEqual({
      url: HOOK,
      headers: { Authorization: 'Bearer abc.def' },
      secrets: ['abc.def'],
    })
  })

  it('the key in the configured header', async () => {
    expect(await present({ scheme: 'apiKeyHeader', name: 'X-Hook-Key', key: 'k3y' })).toEqual({
      url: HOOK,
      headers: { 'X-Hook-Key': 'k3y' },
      secrets: ['k3y'],
    })
  })

  it('the key in the configured cookie', async () => {
    expect(await present({ scheme: 'apiKeyCookie', name: 'hook', key: 'k3y' })).toEqual({
      url: HOOK,
      headers: { Cookie: 'hook=k3y' },
      secrets: ['k3y'],
    })
  })
})

describe('with a key in the query', () => {
  const asked = async (url: string, key = 'k3y', name = 'api_key') =>
    await present({ scheme: 'apiKeyQuery', name, key }, url)

  it('the key is there, and nowhere else', async () => {
    expect(await asked(HOOK)).toEqual({ url: `${HOOK}?api_key=k3y`, headers: {}, secrets: ['k3y', 'k3y'] })
  })

  it('existing parameters stay', async () => {
    expect((await asked(`${HOOK}?a=1&b=2`)).url).toBe(`${HOOK}?a=1&b=2&api_key=k3y`)
    expect((await asked(`${HOOK}?api_key=other`)).url).toBe(`${HOOK}?api_key=other&api_key=k3y`)
  })

  it.each(['?a=b%20c', '?a=%7E(x)%27', '?flag', '?filter[x]=a;b', '?path=/a/b,c:d'])(
    'existing parameters stay as they were written: %s',
    async (query) => {
      expect((await asked(`${HOOK}${query}`)).url).toBe(`${HOOK}${query}&api_key=k3y`)
    },
  )

  it.each(['a b', 'a&b=c', 'a+b', 'a#b', 'ä🪐', '100%', '='])('a key like %j arrives unchanged', async (key) => {
    for (const url of [HOOK, `${HOOK}?a=1`]) {
      const { searchParams, hash } = new URL((await asked(url, key, key)).url)
      expect(searchParams.getAll(key)).toEqual([key])
      expect(hash).toBe('')
    }
  })
})

describe('a receiver that requires a token of its provider', () => {
  it('gets one from the token endpoint', async () => {
    const network = new FakeNetwork(GRANTED)
    const auth = { scheme: 'oAuth2', tokenUrl: 'https://id.example/token', ...CLIENT, scope: 'events:write' } as const
    expect(await present(auth, HOOK, network)).toEqual({
      url: HOOK,
      headers: { Authorization: 'Bearer granted' },
      secrets: ['granted'],
    })
    expect(network.calls.map(({ url, body }) => [url, body])).toEqual([
      ['https://id.example/token', 'scope=events%3Awrite&grant_type=client_credentials'],
    ])
  })

  it('gets one from the endpoint that its issuer’s discovery document names', async () => {
    const issuer = 'https://id.example'
    const network = new FakeNetwork(({ method }) =>
      method === 'GET' ? Response.json({ issuer, token_endpoint: `${issuer}/oauth/token` }) : GRANTED(),
    )
    const sent = await present({ scheme: 'openIdConnect', issuer, ...CLIENT }, HOOK, network)
    expect(sent).toEqual({
      url: HOOK,
      headers: { Authorization: 'Bearer granted' },
      secrets: ['granted'],
    })
    expect(network.calls.map(({ url }) => url)).toEqual([
      'https://id.example/.well-known/openid-configuration',
      'https://id.example/oauth/token',
    ])
  })

  it('is not called if the provider issues none', async () => {
    const network = new FakeNetwork(() => new Response('nothing here', { status: 404 }))
    const auth = { scheme: 'oAuth2', tokenUrl: 'https://id.example/token', ...CLIENT } as const
    await expect(present(auth, HOOK, network)).rejects.toThrow()
    await expect(present({ ...auth, tokenUrl: 'http://10.0.0.1/token' }, HOOK, network)).rejects.toThrow(TargetRefused)
  })
})

describe('the source of a token is known', () => {
  const oAuth2: ReceiverAuth = { scheme: 'oAuth2', tokenUrl: 'https://id.example/token', ...CLIENT }

  it('for the schemes that have one, with everything it depends on', () => {
    expect(tokenSourceOf(oAuth2)).toEqual({ from: { tokenUrl: 'https://id.example/token' }, ...CLIENT })
    expect(tokenSourceOf({ ...oAuth2, scope: 'a b' })).toMatchObject({ scope: 'a b' })
    expect(tokenSourceOf({ scheme: 'openIdConnect', issuer: 'https://id.example', ...CLIENT })).toEqual({
      from: { issuer: 'https://id.example' },
      ...CLIENT,
    })
  })

  it('for no other scheme', () => {
    const others: ReceiverAuth[] = [
      { scheme: 'basicAuth', username: 'a', password: 'b' },
      { scheme: 'bearerAuth', token: 't' },
      { scheme: 'apiKeyHeader', name: 'n', key: 'k' },
      { scheme: 'apiKeyQuery', name: 'n', key: 'k' },
      { scheme: 'apiKeyCookie', name: 'n', key: 'k' },
    ]
    expect(others.map(tokenSourceOf)).toEqual(others.map(() => undefined))
  })
})
