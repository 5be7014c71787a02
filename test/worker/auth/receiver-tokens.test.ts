import { beforeEach, describe, expect, it } from 'vitest'
import { ReceiverTokens, type TokenCall, type TokenSource } from '../../../src/auth/receiver-tokens.ts'
import { TargetRefused } from '../../../src/domain/guarded-fetch.ts'
import { MustWait } from '../../../src/domain/target-host.ts'
import { atOnce, type Call, FakeNetwork } from '../../support/callbacks.ts'

// Tokens for receivers that require one: how they are requested, how long they are kept, and which responses are
// invalid.

const NOW = new Date('2026-01-15T12:00:00Z')
const TOKEN_URL = 'https://id.example/token'
const ISSUER = 'https://id.example'
const CLIENT = { clientId: 'galaxy', clientSecret: 's3cr3t' }
const OAUTH: TokenSource = { from: { tokenUrl: TOKEN_URL }, ...CLIENT }
const OPENID: TokenSource = { from: { issuer: ISSUER }, ...CLIENT }

let tokens: ReceiverTokens
let network: FakeNetwork
let issued: number

beforeEach(() => {
  tokens = new ReceiverTokens()
  issued = 0
  network = new FakeNetwork(grant)
})

/** A response with a unique token. */
function grant(_call?: Call, members: object = { expires_in: 300 }): Response {
  return Response.json({ access_token: `token ${++issued}`, token_type: 'Bearer', ...members })
}

function get(source: TokenSource = OAUTH, seconds = 0, changes: Partial<TokenCall['rules']> = {}): Promise<string> {
  const { signal } = new AbortController()
  const rules = { allowsPrivate: false, ownOrigins: ['https://galaxy.test'], signal, ...changes }
  const now = new Date(NOW.getTime() + seconds * 1000)
  return tokens.get(source, { fetch: network.fetch, rules, now, throttle: atOnce })
}

const answerWith = (answer: () => Response | Promise<Response>) => {
  network.answer = answer
}

describe('an endpoint that does not respond', () => {
  const hang = (_url: string, init?: RequestInit) =>
    new Promise<Response>((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
    })
  const ask = (source: TokenSource, seconds: number, fetcher: unknown) =>
    tokens.get(source, {
      fetch: fetcher as typeof fetch,
      rules: { allowsPrivate: false, ownOrigins: ['https://galaxy.test'], signal: new AbortController().signal },
      now: new Date(NOW.getTime() + seconds * 1000),
      throttle: atOnce,
    })

  beforeEach(() => {
    tokens = new ReceiverTokens(50)
  })

  it('is awaited no longer than the limit, and not asked again for a minute, whoever needs a token', async () => {
    await expect(ask(OAUTH, 0, hang)).rejects.toThrow('id.example did not respond within 0.05 seconds')
    const other = { ...OAUTH, clientId: 'another' }
    for (const source of [OAUTH, other]) {
      await expect(ask(source, 59, network.fetch)).rejects.toThrow('in the last minute')
    }
    expect(network.calls).toEqual([])
    expect(await ask(OAUTH, 60, network.fetch)).toBe('token 1')
  })

  it('does not stop requests to other endpoints, on the same host or elsewhere', async () => {
    await expect(ask(OAUTH, 0, hang)).rejects.toThrow()
    for (const tokenUrl of ['https://elsewhere.example/token', `${TOKEN_URL}/other`]) {
      expect(await ask({ ...OAUTH, from: { tokenUrl } }, 1, network.fetch)).toMatch(/^token /)
    }
  })

  it('is not blamed if the limits of its host refuse the call after that time', async () => {
    const throttle = async () => {
      await scheduler.wait(100)
      throw new MustWait('id.example')
    }
    const signal = new AbortController().signal
    const rules = { allowsPrivate: false, ownOrigins: ['https://galaxy.test'], signal }
    const refused = tokens.get(OAUTH, { fetch: network.fetch, rules, now: NOW, throttle })
    await expect(refused).rejects.toThrow(MustWait)
    expect(await get()).toBe('token 1')
  })

  it('is asked again at once if it responded with an error', async () => {
    answerWith(() => new Response(null, { status: 500 }))
    await expect(get()).rejects.toThrow('could not get a token')
    answerWith(grant)
    expect(await get()).toBe('token 1')
  })
})

describe('a token', () => {
  it('is requested with client credentials, and Basic authentication of the client', async () => {
    expect(await get()).toBe('token 1')
    const [call] = network.calls
    expect(call).toMatchObject({ url: TOKEN_URL, method: 'POST', body: 'grant_type=client_credentials' })
    expect(call?.headers.get('Authorization')).toBe(`Basic ${btoa('galaxy:s3cr3t')}`)
    expect(call?.headers.get('Content-Type')).toMatch(/^application\/x-www-form-urlencoded/)
    expect(call?.headers.get('Accept')).toBe('application/json')
  })

  it('is requested with the scope, if there is one', async () => {
    await get({ ...OAUTH, scope: 'events:write a' })
    expect([...new URLSearchParams(network.calls[0]?.body)]).toEqual([
      ['scope', 'events:write a'],
      ['grant_type', 'client_credentials'],
    ])
  })

  it('is requested with an id and a secret of any characters, encoded as RFC 6749, section 2.3.1 defines', async () => {
    await get({ ...OAUTH, clientId: 'a:b', clientSecret: 'p@ss wörd%' })
    expect(network.calls[0]?.headers.get('Authorization')).toBe(`Basic ${btoa('a%3Ab:p%40ss+w%C3%B6rd%25')}`)
  })

  it('is requested over plain http too, if the URL guard allows it', async () => {
    expect(await get({ ...OAUTH, from: { tokenUrl: 'http://id.example/token' } })).toBe('token 1')
  })

  it('is requested from the endpoint in the discovery document of its issuer', async () => {
    network.answer = (call) =>
      call.method === 'GET' ? Response.json({ issuer: ISSUER, token_endpoint: `${ISSUER}/oauth/token` }) : grant()
    expect(await get(OPENID)).toBe('token 1')
    expect(network.calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET ${ISSUER}/.well-known/openid-configuration`,
      `POST ${ISSUER}/oauth/token`,
    ])
    expect(network.calls[0]?.headers.get('Authorization')).toBeNull()
  })

  it.each([
    ['https://id.example/tenant', 'https://id.example/tenant/.well-known/openid-configuration'],
    ['https://id.example:8443/tenant/', 'https://id.example:8443/tenant/.well-known/openid-configuration'],
  ])('is requested through the discovery URL of an issuer with a path: %s', async (issuer, discovery) => {
    network.answer = (call) => (call.method === 'GET' ? Response.json({ issuer, token_endpoint: TOKEN_URL }) : grant())
    expect(await get({ ...OPENID, from: { issuer } })).toBe('token 1')
    expect(network.calls.map(({ url }) => url)).toEqual([discovery, TOKEN_URL])
  })

  it('can be any text, with any case of its token type', async () => {
    answerWith(() => Response.json({ access_token: 'a.b-c_d~e+f/g=', token_type: 'bEARER', refresh_token: 'r' }))
    expect(await get()).toBe('a.b-c_d~e+f/g=')
  })
})

describe('a token is kept', () => {
  it('until half a minute before it expires, so that it is valid when it arrives', async () => {
    const seen: string[] = []
    for (const seconds of [0, 1, 269.999, 270, 539.999, 540]) seen.push(await get(OAUTH, seconds))
    expect(seen).toEqual(['token 1', 'token 1', 'token 1', 'token 2', 'token 2', 'token 3'])
    expect(network.calls).toHaveLength(3)
  })

  it('for five minutes at most if its response has no expiry', async () => {
    answerWith(() => grant(undefined, {}))
    const seen: string[] = []
    for (const seconds of [0, 269.999, 270]) seen.push(await get(OAUTH, seconds))
    expect(seen).toEqual(['token 1', 'token 1', 'token 2'])
  })

  it('not at all if it expires at once', async () => {
    for (const seconds of [0, 1, 30]) {
      answerWith(() => grant(undefined, { expires_in: seconds }))
      const [first, second] = [await get(OAUTH, 1000), await get(OAUTH, 1000)]
      expect(first).not.toBe(second)
      await tokens.forget(OAUTH)
    }
  })

  it('together with the discovery document: nothing is requested twice', async () => {
    network.answer = (call) =>
      call.method === 'GET' ? Response.json({ issuer: ISSUER, token_endpoint: TOKEN_URL }) : grant()
    await get(OPENID)
    await get(OPENID, 100)
    expect(network.calls).toHaveLength(2)
  })

  it.each<[string, Partial<TokenSource>]>([
    ['endpoint', { from: { tokenUrl: 'https://id.example/other' } }],
    ['client', { clientId: 'nebula' }],
    ['secret', { clientSecret: 'guessed' }],
    ['scope', { scope: 'events:write' }],
    ['split between client and secret', { clientId: 'galaxys', clientSecret: '3cr3t' }],
  ])('for no other credentials: another %s gets another token', async (_, changes) => {
    expect(await get()).toBe('token 1')
    expect(await get({ ...OAUTH, ...changes })).toBe('token 2')
    expect(await get()).toBe('token 1')
  })

  it('for an issuer separately from an endpoint of the same URL', async () => {
    await get()
    answerWith(() => Response.json({ issuer: 'nobody' }))
    await expect(get({ ...OAUTH, from: { issuer: TOKEN_URL } })).rejects.toThrow()
  })

  it('until its receiver has rejected it', async () => {
    await get()
    const other = { ...OAUTH, clientId: 'nebula' }
    await get(other)
    await tokens.forget(OAUTH)
    expect(await get()).toBe('token 3')
    expect(await get(other)).toBe('token 2')
    await tokens.forget({ ...OAUTH, clientId: 'stranger' })
    expect(await get()).toBe('token 3')
  })

  it('for 1,000 sources; one more removes the oldest', async () => {
    const sourceOf = (index: number) => ({ ...OAUTH, clientId: `client ${index}` })
    for (let index = 0; index < 1000; index++) await get(sourceOf(index))
    await get(sourceOf(0))
    expect(issued).toBe(1000)
    await get(sourceOf(1000))
    expect(issued).toBe(1001)
    for (const index of [1, 999, 1000]) await get(sourceOf(index))
    expect(issued).toBe(1001)
    await get(sourceOf(0))
    expect(issued).toBe(1002)
  })

  it('as the newest when it is requested again, without a second place', async () => {
    const sourceOf = (index: number) => ({ ...OAUTH, clientId: `client ${index}` })
    for (let index = 0; index < 1000; index++) await get(sourceOf(index))
    await get(sourceOf(0), 280)
    await get(sourceOf(1000), 280)
    expect(issued).toBe(1002)
    await get(sourceOf(0), 280)
    expect(issued).toBe(1002)
  })
})

describe('no token is obtained', () => {
  it.each<[string, () => Response]>([
    ['refused', () => Response.json({ error: 'invalid_client' }, { status: 400 })],
    ['challenged', () => new Response('', { status: 401, headers: { 'WWW-Authenticate': 'Basic realm="id"' } })],
    ['broken', () => new Response('oops', { status: 500 })],
    ['no JSON', () => new Response('token')],
    ['no object', () => Response.json(['token'])],
    ['without a token', () => Response.json({ token_type: 'Bearer' })],
    ['an empty token', () => Response.json({ access_token: '', token_type: 'Bearer' })],
    ['a number for a token', () => Response.json({ access_token: 7, token_type: 'Bearer' })],
    ['without a type', () => Response.json({ access_token: 't' })],
    ['another type', () => Response.json({ access_token: 't', token_type: 'mac' })],
    ['a type that requires a proof', () => Response.json({ access_token: 't', token_type: 'DPoP' })],
    ['a word instead of the seconds', () => grant(undefined, { expires_in: 'soon' })],
    ['negative seconds', () => grant(undefined, { expires_in: -1 })],
    ['created, not found', () => Response.json({ access_token: 't', token_type: 'Bearer' }, { status: 201 })],
    ['nothing', () => new Response(null, { status: 204 })],
  ])('if the response is %s, and the next attempt requests it again', async (_, answer) => {
    answerWith(answer)
    await expect(get()).rejects.toThrow()
    network.answer = grant
    expect(await get()).toMatch(/^token \d$/)
    expect(network.calls).toHaveLength(2)
  })

  it('if the response has no body, and the error names the response', async () => {
    answerWith(() => new Response(null, { status: 204 }))
    await expect(get()).rejects.toThrow('is not a conform Token Endpoint response')
  })

  it('if the endpoint redirects: the redirect is not followed', async () => {
    answerWith(() => new Response(null, { status: 307, headers: { Location: 'https://elsewhere.example/' } }))
    await expect(get()).rejects.toThrow()
    expect(network.calls.map(({ url }) => url)).toEqual([TOKEN_URL])
  })

  it('if the response is longer than 64 KiB, and no more than that is read', async () => {
    const padded = (length: number) =>
      JSON.stringify({ access_token: 't', token_type: 'Bearer', padding: '' }).replace('""', `"${'x'.repeat(length)}"`)
    const empty = padded(0).length
    const headers = { 'Content-Type': 'application/json' }
    answerWith(() => new Response(padded(64 * 1024 - empty + 1), { headers }))
    await expect(get()).rejects.toThrow()
    answerWith(() => new Response(padded(64 * 1024 - empty), { headers }))
    expect(await get()).toBe('t')
    let parts = 0
    const endless = new ReadableStream({
      pull(controller) {
        parts++
        controller.enqueue(new Uint8Array(1024).fill(0x20))
      },
    })
    answerWith(() => new Response(endless, { headers }))
    await expect(get({ ...OAUTH, clientId: 'another' })).rejects.toThrow()
    expect(parts).toBeLessThan(70)
  })

  it('if it is longer than 8 KiB, which no receiver would accept', async () => {
    const answerOf = (length: number) => () => Response.json({ access_token: 'x'.repeat(length), token_type: 'Bearer' })
    answerWith(answerOf(8 * 1024 + 1))
    await expect(get()).rejects.toThrow('the token is longer than 8192 characters')
    answerWith(answerOf(8 * 1024))
    expect(await get()).toHaveLength(8 * 1024)
  })

  it('if the network fails', async () => {
    answerWith(() => Promise.reject(new Error('Network connection lost.')))
    await expect(get()).rejects.toThrow('Network connection lost.')
  })

  it('if the time of the call is over', async () => {
    const controller = new AbortController()
    network.answer = (_, signal) => {
      controller.abort(new Error('ten seconds'))
      return Promise.reject(signal?.reason)
    }
    await expect(get(OAUTH, 0, { signal: controller.signal })).rejects.toThrow('ten seconds')
  })
})

describe('no request is made', () => {
  it.each(['http://127.0.0.1/token', 'http://169.254.169.254/token', 'https://user:pass@id.example/token'])(
    'at %s',
    async (tokenUrl) => {
      await expect(get({ ...OAUTH, from: { tokenUrl } })).rejects.toThrow(TargetRefused)
      await expect(get({ ...OAUTH, from: { issuer: tokenUrl } })).rejects.toThrow(TargetRefused)
      expect(network.calls).toEqual([])
    },
  )

  it.each(['http://127.0.0.1/token', 'http://[::ffff:10.0.0.1]/token', 'https://galaxy.test/oauth/token'])(
    'at %s, even if a public discovery document names it',
    async (token_endpoint) => {
      answerWith(() => Response.json({ issuer: ISSUER, token_endpoint }))
      await expect(get(OPENID)).rejects.toThrow(TargetRefused)
      expect(network.calls.map(({ method }) => method)).toEqual(['GET'])
    },
  )

  it.each<[string, unknown]>([
    ['another issuer', { issuer: 'https://other.example', token_endpoint: TOKEN_URL }],
    ['no issuer', { token_endpoint: TOKEN_URL }],
    ['no token endpoint', { issuer: ISSUER }],
    ['a token endpoint that is not a URL', { issuer: ISSUER, token_endpoint: '/token' }],
  ])('if the discovery document has %s', async (_, document) => {
    answerWith(() => Response.json(document))
    await expect(get(OPENID)).rejects.toThrow()
    expect(network.calls.map(({ method }) => method)).toEqual(['GET'])
  })

  it('if the discovery URL redirects', async () => {
    answerWith(() => new Response(null, { status: 302, headers: { Location: 'http://127.0.0.1/' } }))
    await expect(get(OPENID)).rejects.toThrow()
    expect(network.calls).toHaveLength(1)
  })
})
