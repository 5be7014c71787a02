import { describe, expect, it } from 'vitest'
import { type Account, authorization, bodyOf, CHALLENGE, createAccount, createClient } from '../../../support/app.ts'
import { askForSocket, openSocket } from '../../../support/sockets.ts'
import { BASE_ORIGIN } from '../../../support/world.ts'

const client = createClient()
const account = await createAccount(client)
const CHANNELS = [
  'planets/1/events',
  `users/${account.id}/events`,
  'system/events',
  'celestial-bodies/events',
  'planets/1/get',
]
const BAD = { Authorization: 'Bearer nonsense' }

async function makeKey(scopes: string[], owner: Account = account): Promise<string> {
  const response = await client.sendJson('POST', '/me/api-keys', { name: 'Key', scopes }, owner)
  return (await bodyOf(response)).key
}

describe.each(CHANNELS)('a refusal at %s', (path) => {
  it.each(['GET', 'HEAD'])('is 426 to %s without an upgrade, whatever else is wrong', async (method) => {
    const response = await client.sendRaw(`/ws/v1/${path}?eventTypes=nonsense`, { method, headers: BAD })
    expect(response.status).toBe(426)
    expect(response.headers.get('Upgrade')).toBe('websocket')
  })

  it('is 405 to other methods', async () => {
    const response = await client.sendRaw(`/ws/v1/${path}`, { method: 'POST', headers: BAD })
    expect(response.status).toBe(405)
    expect(response.headers.get('Allow')).toBe('GET, HEAD, OPTIONS')
  })

  it.each(['/ws/v3/', '/ws/', '/'])('is 404 below %s', async (base) => {
    expect((await askForSocket(client, base + path)).status).toBe(404)
  })

  it('is 401 to wrong credentials, before the query is read', async () => {
    const response = await askForSocket(client, `${path}?eventTypes=nonsense`, BAD)
    expect(response.status).toBe(401)
    expect(response.headers.get('WWW-Authenticate')).toContain(CHALLENGE)
    expect(await bodyOf(response)).toMatchObject({ status: 401 })
  })

  it('is 401 to a wrong token in the subprotocol', async () => {
    const response = await askForSocket(client, path, { 'Sec-WebSocket-Protocol': 'bearer.nonsense' })
    expect(response.status).toBe(401)
  })

  it('does not count a cookie from a page of another origin', async () => {
    const key = await makeKey(['read:events', 'read:user:events'])
    const ask = (origin: Record<string, string>) => askForSocket(client, path, { Cookie: `api_key=${key}`, ...origin })
    const elsewhere = await ask({ Origin: 'https://elsewhere.example' })
    elsewhere.webSocket?.accept()
    elsewhere.webSocket?.close()
    // The other channels are open to all, so the page listens like nobody.
    expect(elsewhere.status).toBe(path.startsWith('users/') ? 403 : 101)
    for (const own of [{}, { Origin: BASE_ORIGIN }]) {
      const response = await ask(own)
      expect(response.status).toBe(101)
      response.webSocket?.accept()
      response.webSocket?.close()
    }
  })
})

describe('a refusal', () => {
  it.each([
    'subscriptions/ack',
    'planets/1/response',
    'planets/x/events',
    'planets/0/events',
    'users/-1/events',
    'nothing',
  ])('is 404 at %s', async (path) => {
    expect((await askForSocket(client, path)).status).toBe(404)
  })

  it('of the channel of a user is 401 without credentials', async () => {
    expect((await askForSocket(client, `users/${account.id}/events`)).status).toBe(401)
  })

  it.each([
    ['another user', 1],
    ['a user who does not exist', 999_999],
  ])('of the channel of %s is the same 403, before the query is read', async (_, user) => {
    const other = await createAccount(client)
    const id = user === 1 ? other.id : user
    const response = await askForSocket(client, `users/${id}/events?lastEventId=junk`, authorization(account))
    expect(response.status).toBe(403)
    expect((await bodyOf(response)).detail).toBe(
      'You can listen only to the events of your own account. Put your own user id into the path.',
    )
  })

  it('of the own channel is 403 without the scope', async () => {
    const key = await makeKey(['read:events', 'write:planets'])
    const response = await askForSocket(client, `users/${account.id}/events`, { 'X-API-Key': key })
    expect(response.status).toBe(403)
    expect(response.headers.get('WWW-Authenticate')).toContain('scope="read:user:events"')
  })

  it.each([
    ['planets/1/events', 'eventTypes=celestial_body.created', '/eventTypes/0'],
    ['planets/1/events', 'eventTypes=planet.created,user.deleted', '/eventTypes/1'],
    ['planets/1/events', 'includeHistory=yes', '/includeHistory'],
    ['planets/1/events', 'lastEventId=junk', '/lastEventId'],
    ['celestial-bodies/events', 'bodyType=star', '/bodyType'],
    ['celestial-bodies/events', 'minHabitability=2', '/minHabitability'],
  ])('of %s?%s is 400, with a pointer', async (path, query, pointer) => {
    const response = await askForSocket(client, `${path}?${query}`)
    expect(response.status).toBe(400)
    expect((await bodyOf(response)).errors.map((fault: { pointer: string }) => fault.pointer)).toEqual([pointer])
  })

  it('ignores unknown queries', async () => {
    const { socket } = await openSocket(client, 'system/events?eventType=x&bodyType=star')
    socket.close()
  })

  it('is 429 if there are too many, for a user or an address', async () => {
    const limited = createClient({ config: { socketLimit: 2 } })
    const address = { 'CF-Connecting-IP': '203.0.113.77' }
    const opened = [
      await openSocket(limited, 'system/events', address),
      await openSocket(limited, 'planets/1/get', address),
    ]
    const refused = await askForSocket(limited, 'planets/1/events', address)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('Retry-After')).toMatch(/^\d+$/)
    expect((await limited.sendRaw('/planets/events', { headers: address })).status).toBe(429)
    const own = await openSocket(limited, 'system/events', { ...address, ...authorization(account) })
    const second = await openSocket(limited, 'planets/1/get', authorization(account))
    const third = await askForSocket(limited, 'planets/1/events', authorization(account))
    expect(third.status).toBe(429)
    const [, told] = await own.until(2)
    expect(JSON.parse(told ?? '')).toMatchObject({
      eventType: 'rate_limit.exceeded',
      rateLimit: { limit: 2, window: 'PT60S' },
      request: { endpoint: expect.stringContaining('/ws/v1/planets/1/events'), method: 'GET' },
    })
    second.socket.close()
    opened[0]?.socket.close()
    await opened[0]?.closed
    const again = await openSocket(limited, 'planets/1/events', address)
    for (const { socket } of [...opened, own, again]) socket.close()
  })
})

describe('the subprotocol', () => {
  it.each([
    [undefined, null],
    ['galaxy.v1', 'galaxy.v1'],
    ['other, galaxy.envelope.v1, galaxy.v1', 'galaxy.envelope.v1'],
    ['galaxy.v1, galaxy.envelope.v1', 'galaxy.v1'],
    ['other', null],
  ])('of those offered in "%s" is %s', async (offered, chosen) => {
    const { response, socket, until } = await openSocket(
      client,
      'system/events',
      offered === undefined ? {} : { 'Sec-WebSocket-Protocol': offered },
    )
    expect(response.headers.get('Sec-WebSocket-Protocol')).toBe(chosen)
    const [first = ''] = await until(1)
    expect('headers' in JSON.parse(first)).toBe(chosen === 'galaxy.envelope.v1')
    socket.close()
  })

  it.each([
    ['galaxy.envelope.v1, bearer.TOKEN', 'galaxy.envelope.v1'],
    ['bearer.TOKEN', 'bearer.TOKEN'],
  ])('"%s" signs in', async (offered, chosen) => {
    const withToken = (text: string) => text.replace('TOKEN', account.token)
    const { response, socket } = await openSocket(client, `users/${account.id}/events`, {
      'Sec-WebSocket-Protocol': withToken(offered),
    })
    expect(response.headers.get('Sec-WebSocket-Protocol')).toBe(withToken(chosen))
    socket.close()
  })
})
