import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { sweep } from '../../../../src/sweep.ts'
import { bodyOf, createPlanet, ORIGIN } from '../../../support/app.ts'
import { drain } from '../../../support/callbacks.ts'
import { BASE_HOST, BASE_PATH } from '../../../support/world.ts'
import {
  ask,
  countRows,
  createInbox,
  createStage,
  createTold,
  DAY_MS,
  HOUR_MS,
  hmacOf,
  MINUTE_MS,
  messageHmacOf,
  pass,
  RECEIVER,
  read,
  readOnly,
  type Stage,
  sendRaw,
  subscribe,
  sweepAndDrain,
} from './support.ts'

const KIB = 1024

let stage: Stage

beforeEach(async () => {
  stage = await createStage()
})

// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
const listRequests = async ({ id }: { id: string }, query = '?limit=100'): Promise<any> =>
  await bodyOf(await stage.client.get(`/inboxes/${id}${query}`))

/** The only request that came. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
async function onlyRequest(inbox: { id: string }): Promise<any> {
  const { data } = await listRequests(inbox)
  expect(data).toHaveLength(1)
  return data[0]
}

describe('an inbox', () => {
  it('is created without credentials, and returns its URL', async () => {
    const response = await stage.client.send('/inboxes', { method: 'POST' })
    expect(response.status).toBe(201)
    const inbox = await bodyOf(response)
    expect(inbox).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/),
      url: `${ORIGIN}/inboxes/${inbox.id}/callbacks`,
      status: 200,
      body: '',
      expiresAt: new Date(stage.clock.ms + DAY_MS).toISOString(),
    })
    expect(response.headers.get('Location')).toBe(`${ORIGIN}/inboxes/${inbox.id}`)
    expect(await listRequests(inbox)).toEqual({
      data: [],
      meta: { limit: 100, offset: 0, total: 0, next: null },
      inbox,
    })
  })

  // In a universe, the limit is another one (test/universes/inbox-limit.test.ts).
  it.runIf(BASE_PATH === '')('can be created as often as INBOX_RATE_LIMIT says', async () => {
    const limited = await createStage({ config: { inboxLimit: { perHour: 2, countsPer: 'address' } } })
    const statuses = []
    for (let count = 0; count < 3; count++) {
      const { status, headers } = await limited.client.send('/inboxes', { method: 'POST' })
      statuses.push(status)
      expect(headers.get('X-RateLimit-Limit')).toBe('2')
    }
    expect(statuses).toEqual([201, 201, 429])
  })

  it.runIf(BASE_PATH === '')(
    'can be created ten times an hour from one address, as often from another, and again in the next hour',
    async () => {
      const make = (address: string) =>
        stage.client.send('/inboxes', { method: 'POST', headers: { 'CF-Connecting-IP': address } })
      for (let count = 1; count <= 10; count++) {
        const response = await make('192.0.2.1')
        expect(response.status).toBe(201)
        expect(response.headers.get('X-RateLimit-Remaining')).toBe(String(10 - count))
      }
      const refused = await make('192.0.2.1')
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0)
      expect((await make('192.0.2.2')).status).toBe(201)
      expect(await countRows('inboxes')).toBe(11)
      await pass(stage, HOUR_MS + 1)
      expect((await make('192.0.2.1')).status).toBe(201)
    },
  )

  it.each([200, 299, 301, 404, 503, 599])('returns %i and its body', async (status) => {
    const inbox = await createInbox(stage, { status, body: 'Ünïcødé <b>' })
    const response = await sendRaw(stage, inbox.url, { method: 'POST', body: 'x' })
    expect(response.status).toBe(status)
    expect(await response.text()).toBe('Ünïcødé <b>')
    expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(response.headers.get('Content-Security-Policy')).toContain('sandbox')
  })

  it.each([204, 205, 304])('returns %i and no body', async (status) => {
    const inbox = await createInbox(stage, { status, body: 'never seen' })
    const response = await sendRaw(stage, inbox.url, { method: 'POST' })
    expect(response.status).toBe(status)
    expect(await response.text()).toBe('')
    expect(await listRequests(inbox)).toMatchObject({ data: [{ method: 'POST' }], inbox: { status } })
  })

  it.each<[object, string]>([
    [{ status: 199 }, '/status'],
    [{ status: 600 }, '/status'],
    [{ status: 200.5 }, '/status'],
    [{ status: '200' }, '/status'],
    [{ status: 101 }, '/status'],
    [{ body: 'x'.repeat(4097) }, '/body'],
    [{ body: null }, '/body'],
    [{ colour: 'red' }, ''],
  ])('cannot be set to return %j', async (input, pointer) => {
    const inbox = await createInbox(stage)
    const made = await stage.client.sendJson('POST', '/inboxes', input)
    const changed = await stage.client.sendJson('PUT', `/inboxes/${inbox.id}`, input)
    expect([made.status, changed.status]).toEqual([400, 400])
    expect((await bodyOf(made)).errors).toMatchObject([{ pointer: expect.stringMatching(`^${pointer}`) }])
    expect(await countRows('inboxes')).toBe(1)
  })

  it('can have a response body of 4,096 characters', async () => {
    const inbox = await createInbox(stage, { body: '💥'.repeat(4096) })
    expect(await (await sendRaw(stage, inbox.url)).text()).toBe('💥'.repeat(4096))
  })

  it('changes its response on request, and keeps its requests and its end', async () => {
    const inbox = await createInbox(stage, { status: 503, body: 'Not today' })
    await sendRaw(stage, inbox.url, { method: 'POST', body: 'first' })
    await pass(stage, HOUR_MS)
    const changed = await stage.client.sendJson('PUT', `/inboxes/${inbox.id}`, { status: 202 })
    expect(changed.status).toBe(200)
    const expected = { ...inbox, status: 202, body: '' }
    expect(await bodyOf(changed)).toEqual(expected)
    expect((await sendRaw(stage, inbox.url, { method: 'POST', body: 'second' })).status).toBe(202)
    const { data, inbox: now } = await listRequests(inbox)
    expect(data.map(({ body }: { body: string }) => body)).toEqual(['first', 'second'])
    expect(now).toEqual(expected)
  })

  it('is gone after 24 hours, with all its requests', async () => {
    const inbox = await createInbox(stage)
    await sendRaw(stage, inbox.url, { method: 'POST' })
    const statuses = async () => [
      (await sendRaw(stage, inbox.url, { method: 'POST' })).status,
      (await stage.client.get(`/inboxes/${inbox.id}`)).status,
      (await stage.client.sendJson('PUT', `/inboxes/${inbox.id}`, {})).status,
    ]
    await pass(stage, DAY_MS - 1)
    await sweep(stage.client.services)
    expect(await statuses()).toEqual([200, 200, 200])
    await pass(stage, 1)
    expect(await statuses()).toEqual([404, 404, 404])
    expect((await ask(stage, 'DELETE', `/inboxes/${inbox.id}`)).status).toBe(404)
    await pass(stage, 1)
    await sweep(stage.client.services)
    expect([await countRows('inboxes'), await countRows('inbox_requests')]).toEqual([0, 0])
  })

  it('is gone after its deletion, with all its requests', async () => {
    const inbox = await createInbox(stage)
    await sendRaw(stage, inbox.url, { method: 'POST' })
    expect((await stage.client.send(`/inboxes/${inbox.id}`, { method: 'DELETE' })).status).toBe(204)
    expect((await stage.client.get(`/inboxes/${inbox.id}`)).status).toBe(404)
    expect((await sendRaw(stage, inbox.url)).status).toBe(404)
    expect((await stage.client.send(`/inboxes/${inbox.id}`, { method: 'DELETE' })).status).toBe(404)
    expect(await countRows('inbox_requests')).toBe(0)
  })

  it('is 404 if nobody created it', async () => {
    const id = crypto.randomUUID()
    for (const path of [`/inboxes/${id}/callbacks`, `/inboxes/${id}/`, '/inboxes/x/y']) {
      expect((await sendRaw(stage, path, { method: 'POST' })).status).toBe(404)
    }
    expect((await stage.client.get(`/inboxes/${id}`)).status).toBe(404)
    expect((await stage.client.sendJson('PUT', `/inboxes/${id}`, {})).status).toBe(404)
  })
})

describe('a request to an inbox', () => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PURGE'])(
    'by %s is kept and answered',
    async (method) => {
      const inbox = await createInbox(stage, { status: 202, body: 'Got it' })
      const response = await sendRaw(stage, inbox.url, { method })
      expect(response.status).toBe(202)
      expect(await response.text()).toBe(method === 'HEAD' ? '' : 'Got it')
      expect(await onlyRequest(inbox)).toMatchObject({ method, path: '/callbacks', body: '', size: 0 })
    },
  )

  it.each(['/', '/callbacks', '/a/b/c', '/a%20b?x=1&x=2&y=%C3%BC', '/%2e%2e%2fplanets', '/callbacks/?'])(
    'at %s is kept with path and query',
    async (path) => {
      const inbox = await createInbox(stage)
      await sendRaw(stage, `/inboxes/${inbox.id}${path}`, { method: 'POST' })
      expect(await onlyRequest(inbox)).toMatchObject({ path: path.replace(/\?$/, '') })
    },
  )

  it('is kept with its headers, except those that the platform and perhaps a browser added', async () => {
    const inbox = await createInbox(stage)
    const headers = {
      'X-Mine': 'yes',
      Authorization: 'Bearer of-the-caller',
      Cookie: 'session=of-the-caller',
      'CF-Connecting-IP': '192.0.2.7',
      'cf-ray': '1',
      'X-Forwarded-For': '192.0.2.7',
      'X-Real-IP': '192.0.2.7',
      'True-Client-IP': '192.0.2.7',
    }
    await sendRaw(stage, inbox.url, { method: 'POST', headers, body: 'text' })
    const request = await onlyRequest(inbox)
    // They say how the body came, if it came over HTTP or to an object.
    const framing = ['content-length', 'transfer-encoding']
    expect(request.headers.filter(({ name }: { name: string }) => !framing.includes(name))).toEqual([
      { name: 'content-type', value: 'text/plain;charset=UTF-8' },
      { name: 'x-mine', value: 'yes' },
    ])
    expect(request.receivedAt).toBe(stage.clock.now().toISOString())
  })

  it.each<[string, string | Uint8Array<ArrayBuffer>, object]>([
    ['text', 'Ünïcødé 💥\n', { body: 'Ünïcødé 💥\n', encoding: 'text', size: 17 }],
    ['text with a byte-order mark', '\ufeffmarked', { body: '\ufeffmarked', encoding: 'text', size: 9 }],
    ['text with control characters', 'a\u0000b', { body: btoa('a\u0000b'), encoding: 'base64', size: 3 }],
    ['bytes', Uint8Array.of(0, 255, 128), { body: 'AP+A', encoding: 'base64', size: 3 }],
  ])('as %s is kept unchanged', async (_, body, expected) => {
    const inbox = await createInbox(stage)
    await sendRaw(stage, inbox.url, { method: 'POST', body })
    expect(await onlyRequest(inbox)).toMatchObject(expected)
  })

  it.each([8 * KIB - 1, 8 * KIB, 8 * KIB + 1, 2 * KIB * KIB])('of %i bytes is kept to 8 KiB', async (size) => {
    const inbox = await createInbox(stage)
    const response = await sendRaw(stage, inbox.url, { method: 'POST', body: 'x'.repeat(size) })
    expect(response.status).toBe(200)
    const request = await onlyRequest(inbox)
    expect(request).toMatchObject({ size, encoding: 'text', truncated: size > 8 * KIB })
    expect(request.body.length).toBe(Math.min(size, 8 * KIB))
  })

  it.each([8 * KIB, 8 * KIB + 1])('of %i bytes that are not text is kept to 8 KiB', async (size) => {
    const inbox = await createInbox(stage)
    await sendRaw(stage, inbox.url, { method: 'POST', body: new Uint8Array(size).fill(0xff) })
    const request = await onlyRequest(inbox)
    expect(request).toMatchObject({ size, encoding: 'base64', truncated: size > 8 * KIB })
    expect(atob(request.body)).toHaveLength(8 * KIB)
  })

  it('is kept with the first 8 KiB of its headers', async () => {
    const inbox = await createInbox(stage)
    const headers = { 'x-a': 'a'.repeat(4 * KIB - 3), 'x-b': 'b'.repeat(4 * KIB - 3), 'x-c': '' }
    await sendRaw(stage, inbox.url, { headers })
    expect((await onlyRequest(inbox)).headers.map(({ name }: { name: string }) => name)).toEqual(['x-a', 'x-b'])
  })

  it.each([100, 101])('with %i headers is kept with 100 of them', async (count) => {
    const inbox = await createInbox(stage)
    const headers = Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, '']))
    await sendRaw(stage, inbox.url, { headers })
    expect((await onlyRequest(inbox)).headers).toHaveLength(100)
  })

  it('is kept at every equivalent path (RFC 3986, section 6.2.2.2), and the path below the inbox is as it was sent', async () => {
    const inbox = await createInbox(stage)
    const encodedId = `%${inbox.id.charCodeAt(0).toString(16)}${inbox.id.slice(1)}`
    const response = await sendRaw(stage, `/%69nboxes/${encodedId}/%63allbacks`, { method: 'PUT' })
    expect(response.status).toBe(200)
    expect(await onlyRequest(inbox)).toMatchObject({ method: 'PUT', path: '/%63allbacks' })
  })

  it('with a long text stays text, even if the limit falls inside a character', async () => {
    const inbox = await createInbox(stage)
    await sendRaw(stage, inbox.url, { method: 'POST', body: `x${'ü'.repeat(64 * KIB)}` })
    const { encoding, body } = await onlyRequest(inbox)
    expect(encoding).toBe('text')
    expect(body.startsWith('xüüü')).toBe(true)
  })

  it('of more than 2 MiB is rejected, and not kept', async () => {
    const inbox = await createInbox(stage)
    const response = await sendRaw(stage, inbox.url, { method: 'POST', body: 'x'.repeat(2 * KIB * KIB + 1) })
    expect(response.status).toBe(413)
    expect((await listRequests(inbox)).data).toEqual([])
  })

  it('after the hundredth removes the oldest', async () => {
    const [inbox, other] = [await createInbox(stage), await createInbox(stage)]
    await sendRaw(stage, other.url, { method: 'POST', body: 'of another' })
    for (let count = 1; count <= 100; count++) await sendRaw(stage, inbox.url, { method: 'POST', body: `${count}` })
    const bodies = async () => (await listRequests(inbox)).data.map(({ body }: { body: string }) => body)
    expect([(await bodies())[0], (await bodies()).length]).toEqual(['1', 100])
    await sendRaw(stage, inbox.url, { method: 'POST', body: '101' })
    const kept = await bodies()
    expect([kept[0], kept.at(-1), kept.length]).toEqual(['2', '101', 100])
    expect((await listRequests(other)).data).toHaveLength(1)
    const page = await listRequests(inbox, '?limit=40&offset=80')
    expect(page.data.map(({ body }: { body: string }) => body)).toEqual(kept.slice(80))
    expect(page.meta).toMatchObject({ total: 100, next: null })
    const first = await listRequests(inbox, '')
    expect(first.meta).toEqual({
      limit: 10,
      offset: 0,
      total: 100,
      next: `${BASE_PATH}/inboxes/${inbox.id}?limit=10&offset=10`,
    })
  })
})

describe('a callback to an inbox', () => {
  it('is kept and verified inside the service, although private addresses are blocked', async () => {
    expect(stage.client.services.config.allowsPrivateTargets).toBe(false)
    const inbox = await createInbox(stage, { status: 202, body: 'Thank you' })
    const { id } = await createTold(stage, { name: 'Ünïcødé', successCallbackUrl: inbox.url })
    expect(stage.network.calls).toEqual([])
    const request = await onlyRequest(inbox)
    expect(request).toMatchObject({
      method: 'POST',
      path: '/callbacks',
      encoding: 'text',
      body: await (await stage.client.get(`/planets/${id}`)).text(),
      signatures: { xSignature: 'valid', webhookSignature: 'valid' },
    })
    expect(await readOnly(stage)).toMatchObject({
      status: 'delivered',
      url: inbox.url,
      attempts: [{ status: 202, response: 'Thank you' }],
    })
  })

  it('gets the configured response, which shows retries and the end of callbacks', async () => {
    const inbox = await createInbox(stage, { status: 503 })
    const { id } = await createTold(stage, { successCallbackUrl: inbox.url })
    expect(await readOnly(stage)).toMatchObject({ status: 'pending', attempts: [{ status: 503 }] })
    await stage.client.sendJson('PUT', `/inboxes/${inbox.id}`, { status: 204 })
    await pass(stage, MINUTE_MS)
    await sweepAndDrain(stage)
    expect(await readOnly(stage)).toMatchObject({ status: 'delivered' })
    await ask(stage, 'POST', `/planets/${id}/explode`)
    await drain(stage.client)
    const { data } = await listRequests(inbox)
    expect(data).toHaveLength(2)
    expect(
      data.every(({ signatures }: { signatures: { xSignature: string } }) => signatures.xSignature === 'valid'),
    ).toBe(true)
  })

  it('of a subscription is verified with the secret of that subscription', async () => {
    const inbox = await createInbox(stage)
    await subscribe(stage, { url: inbox.url, auth: { scheme: 'apiKeyQuery', key: 'k3y' } })
    await createPlanet(stage.client, stage.account, { name: 'News' })
    await drain(stage.client)
    expect(stage.network.calls).toEqual([])
    expect(await onlyRequest(inbox)).toMatchObject({
      path: '/callbacks?api_key=k3y',
      signatures: { xSignature: 'valid', webhookSignature: 'valid' },
    })
  })

  it('of a subscription shows its credentials', async () => {
    const inbox = await createInbox(stage)
    await subscribe(stage, { url: inbox.url, auth: { scheme: 'bearerAuth', token: 'own' } })
    await createPlanet(stage.client, stage.account, { name: 'News' })
    await drain(stage.client)
    expect((await onlyRequest(inbox)).headers).toContainEqual({ name: 'authorization', value: 'Bearer own' })
  })

  it('that is gone fails like any other', async () => {
    const inbox = await createInbox(stage)
    await stage.client.send(`/inboxes/${inbox.id}`, { method: 'DELETE' })
    await createTold(stage, { successCallbackUrl: inbox.url })
    expect(stage.network.calls).toEqual([])
    expect(await readOnly(stage)).toMatchObject({ status: 'pending', attempts: [{ status: 404 }] })
  })

  it.each([
    '/inboxes/{id}',
    '/inboxes/{id}?x=/callbacks',
    '/inboxes/{id}/../../planets',
    '/inboxes/{id}/%2e%2e/%2e%2e/planets',
    '/inboxes/{id}/..%2f..%2fplanets',
    '/inboxes/{id}/%252e%252e/planets',
    '/inboxes//callbacks',
    '/inboxes',
    '/planets',
    '/oauth/token',
    '/',
  ])('cannot be used to reach %s', async (path) => {
    const inbox = await createInbox(stage)
    const url = ORIGIN + path.replace('{id}', inbox.id)
    for (const target of [
      url,
      url.replace('http:', 'https:'),
      url.replace(BASE_HOST, `${BASE_HOST.toUpperCase()}.:80`),
    ]) {
      const response = await stage.client.sendJson(
        'POST',
        '/planets',
        { name: 'Inward', successCallbackUrl: target },
        stage.account,
      )
      expect(response.status, target).toBe(400)
    }
    // A delivery stored under another address of the service is rejected when it is due.
    await createPlanet(stage.client, stage.account, { name: 'Inward', successCallbackUrl: RECEIVER })
    await env.DB.prepare('update deliveries set url = ?').bind(url).run()
    await drain(stage.client)
    expect(stage.network.calls).toEqual([])
    expect(await readOnly(stage)).toMatchObject({ status: 'failed', attempts: [{ error: expect.any(String) }] })
    expect((await listRequests(inbox)).data).toEqual([])
  })

  it('a call of the service that comes back to it is rejected, except at an inbox', async () => {
    const headers = { 'x-galaxy-event': 'planetCreated' }
    expect((await sendRaw(stage, '/planets', { headers })).status).toBe(400)
    const inbox = await createInbox(stage)
    expect((await sendRaw(stage, inbox.url, { method: 'POST', headers })).status).toBe(200)
  })
})

describe('the signatures of a request to an inbox are', () => {
  const CONTENT = '{"name":"Signed"}'

  /** The headers of a message that was really sent, and the secret that signed it. */
  async function sendMessage(): Promise<{ id: string; secret: string }> {
    await createTold(stage)
    return { id: (await readOnly(stage)).messageId, secret: (await read(stage, '/me/signing-secret')).secret }
  }

  async function judge(headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer> = CONTENT) {
    const inbox = await createInbox(stage)
    await sendRaw(stage, inbox.url, { method: 'POST', headers, body })
    return (await onlyRequest(inbox)).signatures
  }

  const seconds = () => Math.floor(stage.clock.ms / 1000)

  async function sign(secret: string, id: string, timestamp: string | number, body = CONTENT) {
    return {
      'x-signature': await hmacOf(secret, body),
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${await messageHmacOf(secret, `${id}.${timestamp}.${body}`)}`,
    }
  }

  it('absent if none was sent', async () => {
    expect(await judge({})).toEqual({ xSignature: 'absent', webhookSignature: 'absent' })
    const { id } = await sendMessage()
    expect(await judge({ 'webhook-id': id })).toEqual({ xSignature: 'absent', webhookSignature: 'absent' })
  })

  it('valid if they are correct, also if only one is sent', async () => {
    const { id, secret } = await sendMessage()
    const headers = await sign(secret, id, seconds())
    expect(await judge(headers)).toEqual({ xSignature: 'valid', webhookSignature: 'valid' })
    const { 'x-signature': xSignature, ...others } = headers
    expect(await judge(others)).toEqual({ xSignature: 'absent', webhookSignature: 'valid' })
    expect(await judge({ 'x-signature': xSignature, 'webhook-id': id })).toEqual({
      xSignature: 'valid',
      webhookSignature: 'absent',
    })
  })

  it('invalid if a byte of the body differs, even after the 8 KiB that are kept', async () => {
    const { id, secret } = await sendMessage()
    expect(await judge(await sign(secret, id, seconds()), CONTENT.replace('S', 's'))).toEqual({
      xSignature: 'invalid',
      webhookSignature: 'invalid',
    })
    const long = 'x'.repeat(70 * KIB)
    const headers = await sign(secret, id, seconds(), long)
    expect(await judge(headers, long)).toEqual({ xSignature: 'valid', webhookSignature: 'valid' })
    expect(await judge(headers, `${long.slice(1)}y`)).toEqual({ xSignature: 'invalid', webhookSignature: 'invalid' })
  })

  it.each([
    ['five minutes ago', -300, 'valid'],
    ['more than five minutes ago', -301, 'invalid'],
    ['in five minutes', 300, 'valid'],
    ['in more than five minutes', 302, 'invalid'],
  ])('valid only within five minutes: with a time %s its own signature is %s', async (_, offset, webhookSignature) => {
    stage.clock.ms = seconds() * 1000
    const { id, secret } = await sendMessage()
    expect(await judge(await sign(secret, id, seconds() + offset))).toEqual({ xSignature: 'valid', webhookSignature })
  })

  it.each(['soon', '', '1e9', '-1', '1.5'])('invalid if the time is %j', async (timestamp) => {
    const { id, secret } = await sendMessage()
    expect(await judge(await sign(secret, id, timestamp))).toMatchObject({ webhookSignature: 'invalid' })
  })

  it('unknown if the message is not from this service', async () => {
    const { secret } = await sendMessage()
    const unknown = { xSignature: 'unknown', webhookSignature: 'unknown' }
    expect(await judge(await sign(secret, 'msg_of_somebody_else', seconds()))).toEqual(unknown)
    expect(await judge({ 'x-signature': 'x', 'webhook-signature': 'v1,x' })).toEqual(unknown)
  })

  it('invalid if the secret is that of another user, or the signature is not base64', async () => {
    const { id } = await sendMessage()
    const other = `whsec_${btoa('another secret of 32 bytes long!')}`
    const invalid = { xSignature: 'invalid', webhookSignature: 'invalid' }
    expect(await judge(await sign(other, id, seconds()))).toEqual(invalid)
    const junk = { 'x-signature': '%%%', 'webhook-signature': 'v1,%%% v2,AAAA junk', 'webhook-id': id }
    expect(await judge({ ...junk, 'webhook-timestamp': String(seconds()) })).toEqual(invalid)
  })

  it('valid with the old secret for a day, then invalid', async () => {
    const { id, secret } = await sendMessage()
    await ask(stage, 'POST', '/me/signing-secret/rotate')
    await pass(stage, DAY_MS - 1)
    expect(await judge(await sign(secret, id, seconds()))).toEqual({ xSignature: 'valid', webhookSignature: 'valid' })
    await pass(stage, 1)
    expect(await judge(await sign(secret, id, seconds()))).toEqual({
      xSignature: 'invalid',
      webhookSignature: 'invalid',
    })
  })
})

describe('in XML', () => {
  const sendXml = (method: string, path: string, body?: string) =>
    stage.client.send(path, {
      method,
      headers: { 'Content-Type': 'application/xml', Accept: 'application/xml' },
      ...(body && { body }),
    })

  it('an inbox is created, changed and read', async () => {
    const made = await sendXml('POST', '/inboxes', '<inbox><status>503</status><body> 1e3 </body></inbox>')
    expect(made.status).toBe(201)
    const [, id = ''] = /<inbox [^>]+><id>([^<]+)<\/id>/.exec(await made.text()) ?? []
    const response = await sendRaw(stage, `/inboxes/${id}/callbacks?x=1&y=<2>`, { method: 'POST', body: 'a <b> & c' })
    expect([response.status, await response.text()]).toEqual([503, ' 1e3 '])
    const list = await (await stage.client.get(`/inboxes/${id}`, { Accept: 'application/xml' })).text()
    expect(list).toMatch(
      /<inboxRequests [^>]+><data>.*<headers><name>content-type<\/name>.*<inbox>.*<\/inboxRequests>/s,
    )
    expect(list).toContain('<body>a &lt;b&gt; &amp; c</body>')
    expect(list).toContain('<signatures><xSignature>absent</xSignature>')
    const changed = await sendXml('PUT', `/inboxes/${id}`, '<inbox><status>204</status></inbox>')
    expect(changed.status).toBe(200)
    expect(await changed.text()).toContain('<status>204</status>')
    expect((await sendXml('POST', '/inboxes', '<inbox><status>1</status></inbox>')).status).toBe(400)
    expect((await sendXml('POST', '/inboxes')).status).toBe(201)
  })

  it('a request can be read even if it has characters that XML cannot carry', async () => {
    const inbox = await createInbox(stage)
    const headers = { 'X-Odd': 'a\u0001b' }
    await sendRaw(stage, inbox.url, { method: 'POST', headers, body: 'a\u0000b\u001bc\ufffe' })
    const response = await stage.client.get(`/inboxes/${inbox.id}`, { Accept: 'application/xml' })
    expect(response.status).toBe(200)
    const body = new TextEncoder().encode('a\u0000b\u001bc\ufffe').toBase64()
    expect(await response.text()).toContain(`<body>${body}</body><encoding>base64</encoding>`)
    expect(await onlyRequest(inbox)).toMatchObject({ body, encoding: 'base64', size: 8 })
  })
})
