import { beforeEach, describe, expect, it } from 'vitest'
import { ReceiverTokens, type TokenCall, type TokenSource } from '../../../src/auth/receiver-tokens.ts'
import { TargetRefused } from '../../../src/domain/guarded-fetch.ts'
import { atOnce, type Call, FakeNetwork } from '../../support/callbacks.ts'

// Tokens for receivers that want one: how they are asked for, how long they are kept, and what is no token.

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

/** An answer with a token that no other has. */
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

  it('is waited for no longer than the limit, and not asked again for a minute, whoever needs a token', async () => {
    await expect(ask(OAUTH, 0, hang)).rejects.toThrow('id.example did not respond within 0.05 seconds')
    const other = { ...OAUTH, clientId: 'another' }
    for (const source of [OAUTH, other]) {
      await expect(ask(source, 59, network.fetch)).rejects.toThrow('within the last minute')
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

  it('is asked again at once if it responded with an error', async () => {
    answerWith(() => new Response(null, { status: 500 }))
    await expect(get()).rejects.toThrow('could not get a token')
    answerWith(grant)
    expect(await get()).toBe('token 1')
  })
})

describe('a token', () => {
  it('is asked for by client credentials, the client being authenticated with Basic', async () => {
    expect(await get()).toBe('token 1')
    const [call] = network.calls
    expect(call).toMatchObject({ url: TOKEN_URL, method: 'POST', body: 'grant_type=client_credentials' })
    expect(call?.headers.get('Authorization')).toBe(`Basic ${btoa('galaxy:s3cr3t')}`)
    expect(call?.headers.get('Content-Type')).toMatch(/^application\/x-www-form-urlencoded/)
    expect(call?.headers.get('Accept')).toBe('application/json')
  })

  it('is asked for with the scope, where there is one', async () => {
    await get({ ...OAUTH, scope: 'events:write a' })
    expect([...new URLSearchParams(network.calls[0]?.body)]).toEqual([
      ['scope', 'events:write a'],
      ['grant_type', 'client_credentials'],
    ])
  })

  it('is asked for with an id and a secret of any characters, as RFC 6749, section 2.3.1 writes them', async () => {
    await get({ ...OAUTH, clientId: 'a:b', clientSecret: 'p@ss wörd%' })
    expect(network.calls[0]?.headers.get('Authorization')).toBe(`Basic ${btoa('a%3Ab:p%40ss+w%C3%B6rd%25')}`)
  })

  it('is asked for over plain http too, which the guard judges', async () => {
    expect(await get({ ...OAUTH, from: { tokenUrl: 'http://id.example/token' } })).toBe('token 1')
  })

  it('is asked for where the discovery of its issuer says', async () => {
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
  ])('is asked for where the discovery of an issuer with a path says: %s', async (issuer, discovery) => {
    network.answer = (call) => (call.method === 'GET' ? Response.json({ issuer, token_endpoint: TOKEN_URL }) : grant())
    expect(await get({ ...OPENID, from: { issuer } })).toBe('token 1')
    expect(network.calls.map(({ url }) => url)).toEqual([discovery, TOKEN_URL])
  })

  it('may be called what it likes, in whatever case it says that it is a bearer token', async () => {
    answerWith(() => Response.json({ access_token: 'a.b-c_d~e+f/g=', token_type: 'bEARER', refresh_token: 'r' }))
    expect(await get()).toBe('a.b-c_d~e+f/g=')
  })
})

describe('a token is kept', () => {
  it('until half a minute before it expires, so that it is good when it arrives', async () => {
    const seen: string[] = []
    for (const seconds of [0, 1, 269.999, 270, 539.999, 540]) seen.push(await get(OAUTH, seconds))
    expect(seen).toEqual(['token 1', 'token 1', 'token 1', 'token 2', 'token 2', 'token 3'])
    expect(network.calls).toHaveLength(3)
  })

  it('for five minutes at most where it does not say', async () => {
    answerWith(() => grant(undefined, {}))
    const seen: string[] = []
    for (const seconds of [0, 269.999, 270]) seen.push(await get(OAUTH, seconds))
    expect(seen).toEqual(['token 1', 'token 1', 'token 2'])
  })

  it('not at all where it expires at once', async () => {
    for (const seconds of [0, 1, 30]) {
      answerWith(() => grant(undefined, { expires_in: seconds }))
      const [first, second] = [await get(OAUTH, 1000), await get(OAUTH, 1000)]
      expect(first).not.toBe(second)
      await tokens.forget(OAUTH)
    }
  })

  it('together with what discovery said: nothing is asked twice', async () => {
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
  ])('for nobody else: another %s gets another', async (_, changes) => {
    expect(await get()).toBe('token 1')
    expect(await get({ ...OAUTH, ...changes })).toBe('token 2')
    expect(await get()).toBe('token 1')
  })

  it('for an issuer apart from an endpoint of the same address', async () => {
    await get()
    answerWith(() => Response.json({ issuer: 'nobody' }))
    await expect(get({ ...OAUTH, from: { issuer: TOKEN_URL } })).rejects.toThrow()
  })

  it('until its receiver has refused it', async () => {
    await get()
    const other = { ...OAUTH, clientId: 'nebula' }
    await get(other)
    await tokens.forget(OAUTH)
    expect(await get()).toBe('token 3')
    expect(await get(other)).toBe('token 2')
    await tokens.forget({ ...OAUTH, clientId: 'stranger' })
    expect(await get()).toBe('token 3')
  })

  it('of 1,000 sources; of one more the oldest is forgotten', async () => {
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

  it('at its new age when it was asked for again, and takes no second place', async () => {
    const sourceOf = (index: number) => ({ ...OAUTH, clientId: `client ${index}` })
    for (let index = 0; index < 1000; index++) await get(sourceOf(index))
    await get(sourceOf(0), 280)
    await get(sourceOf(1000), 280)
    expect(issued).toBe(1002)
    await get(sourceOf(0), 280)
    expect(issued).toBe(1002)
  })
})

describe('there is no token', () => {
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
    ['a type that wants a proof too', () => Response.json({ access_token: 't', token_type: 'DPoP' })],
    ['a word for the seconds', () => grant(undefined, { expires_in: 'soon' })],
    ['negative seconds', () => grant(undefined, { expires_in: -1 })],
    ['created, not found', () => Response.json({ access_token: 't', token_type: 'Bearer' }, { status: 201 })],
    ['nothing', () => new Response(null, { status: 204 })],
  ])('where the answer is %s, and it is asked for again the next time', async (_, answer) => {
    answerWith(answer)
    await expect(get()).rejects.toThrow()
    network.answer = grant
    expect(await get()).toMatch(/^token \d$/)
    expect(network.calls).toHaveLength(2)
  })

  it('where the answer has no body, and the error is about the answer', async () => {
    answerWith(() => new Response(null, { status: 204 }))
    await expect(get()).rejects.toThrow('is not a conform Token Endpoint response')
  })

  it('where the endpoint sends elsewhere: nobody is called there', async () => {
    answerWith(() => new Response(null, { status: 307, headers: { Location: 'https://elsewhere.example/' } }))
    await expect(get()).rejects.toThrow()
    expect(network.calls.map(({ url }) => url)).toEqual([TOKEN_URL])
  })

  it('where the answer is longer than 64 KiB, and no more than that is read', async () => {
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

  it('where it is longer than 8 KiB, which no receiver would take', async () => {
    const answerOf = (length: number) => () => Response.json({ access_token: 'x'.repeat(length), token_type: 'Bearer' })
    answerWith(answerOf(8 * 1024 + 1))
    await expect(get()).rejects.toThrow('the token is longer than 8192 characters')
    answerWith(answerOf(8 * 1024))
    expect(await get()).toHaveLength(8 * 1024)
  })

  it('where the network fails', async () => {
    answerWith(() => Promise.reject(new Error('Network connection lost.')))
    await expect(get()).rejects.toThrow('Network connection lost.')
  })

  it('when the time of the call is over', async () => {
    const controller = new AbortController()
    network.answer = (_, signal) => {
      controller.abort(new Error('ten seconds'))
      return Promise.reject(signal?.reason)
    }
    await expect(get(OAUTH, 0, { signal: controller.signal })).rejects.toThrow('ten seconds')
  })
})

describe('nobody is asked', () => {
  it.each(['http://127.0.0.1/token', 'http://169.254.169.254/token', 'https://user:pass@id.example/token'])(
    'at %s',
    async (tokenUrl) => {
      await expect(get({ ...OAUTH, from: { tokenUrl } })).rejects.toThrow(TargetRefused)
      await expect(get({ ...OAUTH, from: { issuer: tokenUrl } })).rejects.toThrow(TargetRefused)
      expect(network.calls).toEqual([])
    },
  )

  it.each(['http://127.0.0.1/token', 'http://[::ffff:10.0.0.1]/token', 'https://galaxy.test/oauth/token'])(
    'at %s, though a public discovery names it',
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
    ['a token endpoint that is no URL', { issuer: ISSUER, token_endpoint: '/token' }],
  ])('where the discovery has %s', async (_, document) => {
    answerWith(() => Response.json(document))
    await expect(get(OPENID)).rejects.toThrow()
    expect(network.calls.map(({ method }) => method)).toEqual(['GET'])
  })

  it('where the discovery sends elsewhere', async () => {
    answerWith(() => new Response(null, { status: 302, headers: { Location: 'http://127.0.0.1/' } }))
    await expect(get(OPENID)).rejects.toThrow()
    expect(network.calls).toHaveLength(1)
  })
})
