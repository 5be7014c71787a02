import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Defect } from '../../../../src/domain/receiver-tests.ts'
import { authorization, bodyOf, createAccount, NO_LIMITS, ORIGIN } from '../../../support/app.ts'
import { type Call, drain } from '../../../support/callbacks.ts'
import { eachRow } from '../../../support/each-row.ts'
import {
  ask,
  breakOff,
  countRows,
  createInbox,
  createStage,
  dumpDatabase,
  headersOf,
  hmacOf,
  listLog,
  MINUTE_MS,
  messageHmacOf,
  pass,
  read,
  runAll,
  type Stage,
  subscribe,
  variantOf,
} from './support.ts'

const HOOK = 'https://subscriber.example/hook'

let stage: Stage

beforeEach(async () => {
  stage = await createStage()
})

const answerWith = (status: number) => {
  stage.network.answer = () => new Response(null, { status })
}

const send = async (webhookId: number, body: object = {}) =>
  await stage.client.sendJson('POST', `/webhooks/${webhookId}/tests`, body, stage.account)

/** A test from its request to its verdict. */
// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
async function run(webhookId: number, body: object = {}): Promise<any> {
  const response = await send(webhookId, body)
  if (response.status !== 202) throw new Error(`a test was refused: ${await response.text()}`)
  const { id } = await bodyOf(response)
  await runAll(stage)
  return await read(stage, `/deliveries/${id}`)
}

/** The last calls that the receiver got. */
function lastCalls(count: number): Call[] {
  expect(stage.network.calls.length).toBeGreaterThanOrEqual(count)
  return stage.network.calls.slice(-count)
}

function lastCall(): Call {
  const [call] = lastCalls(1)
  if (!call) throw new Error('the receiver got no call')
  return call
}

describe('a test', () => {
  it('is a delivery in the log, with what came and what was due', async () => {
    const { id: webhookId } = await subscribe(stage)
    answerWith(200)
    const response = await send(webhookId, { defect: 'body-changed', payload: { id: 7 } })
    expect(response.status).toBe(202)
    const begun = await bodyOf(response)
    expect(response.headers.get('Location')).toBe(`${ORIGIN}/deliveries/${begun.id}`)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(await read(stage, `/deliveries/${begun.id}`)).toEqual(begun)
    const expected = { defect: 'body-changed', expected: 'refuse' }
    expect(begun).toMatchObject({ event: 'newPlanet', status: 'pending', webhookId, url: HOOK, attempts: [] })
    expect(begun.test).toEqual({ ...expected, verdict: null, reason: null })
    await runAll(stage)
    const done = await read(stage, `/deliveries/${begun.id}`)
    expect(done).toMatchObject({ status: 'delivered', body: '{"id":7,"changed":true}', messageId: begun.messageId })
    expect(done.attempts).toMatchObject([{ status: 200 }])
    const reason = 'The receiver returned 200. A 4xx other than 408 and 429 was due.'
    expect(done.test).toEqual({ ...expected, verdict: 'wrong', reason })
    expect((await listLog(stage))[0].test).toEqual(done.test)
    expect(lastCall().body).toBe(done.body)
    const ping = await ask(stage, 'POST', `/webhooks/${webhookId}/ping`)
    expect(ping.status).toBe(202)
    await runAll(stage)
    expect((await listLog(stage))[1]).not.toHaveProperty('test')
  })

  it('looks like any other call', async () => {
    const { id } = await subscribe(stage, { auth: { scheme: 'bearerAuth', token: 's3cr3t' } })
    await ask(stage, 'POST', `/webhooks/${id}/ping`)
    await run(id, { event: 'ping' })
    const [ping, test] = stage.network.calls.map((call) => Object.keys(headersOf(call)).sort())
    expect(test).toEqual(ping)
    expect(headersOf(lastCall())).toMatchObject({
      authorization: 'Bearer s3cr3t',
      'content-type': 'application/json',
      'x-galaxy-event': 'ping',
      'webhook-id': expect.stringMatching(/^msg_ping_[0-9a-f]{32}$/),
    })
  })

  it('without a body has the documented example of its event, in ASCII', async () => {
    const { id } = await subscribe(stage)
    const response = await ask(stage, 'POST', `/webhooks/${id}/tests`)
    expect(response.status).toBe(202)
    await runAll(stage)
    expect(JSON.parse(lastCall().body)).toMatchObject({ id: 1, name: 'Mars', creator: { name: 'Marc' } })
    await eachRow(
      [
        ['planetCreated', { name: 'Mars' }],
        ['planetCreationFailed', { errors: [{ pointer: '/name' }] }],
        ['planetExploded', { name: 'Mars' }],
        ['ping', { webhookId: 1 }],
      ],
      async ([event, payload]) => {
        const { body } = await run(id, { event })
        expect(lastCall().headers.get('x-galaxy-event')).toBe(event)
        expect(JSON.parse(body)).toMatchObject(Object(payload))
        expect(body).toMatch(/^[ -~]+$/)
      },
    )
  })
})

describe('what is sent', () => {
  const PAYLOAD = { id: 1, name: 'Ceres é' }
  const PLAIN = '{"id":1,"name":"Ceres é"}'
  const BASE64 = String.raw`[\w+/]{43}=`

  interface Row {
    /** The body as it is sent. */
    body?: string
    /** The body as it is signed, if it is another one. */
    signed?: string
    webhook?: (right: string) => string | RegExp | null
    x?: (right: string) => string | RegExp | null
    /** Seconds that are added to the clock. */
    seconds?: number
    /** Seconds that are added to the clock after signing. */
    later?: number
    hasOtherId?: true
    status?: number
  }
  const UNICODE = String.raw`{"id":1,"name":"Ceres é","unicode":"é 火 🪐 \u00e9 \ud83e\ude90 \/"}`
  const toHex = (base64: string) => Uint8Array.fromBase64(base64).toHex()
  const ROWS: readonly [Defect, Row][] = [
    ['none', { status: 200 }],
    ['second-signature', { status: 200, webhook: (right) => new RegExp(`^v1,${BASE64} v1,${quote(right)}$`) }],
    ['pretty', { status: 200, body: '{\n  "id": 1,\n  "name": "Ceres é"\n}\n' }],
    ['unicode', { status: 200, body: UNICODE }],
    ['unsigned', { webhook: () => null, x: () => null }],
    [
      'wrong-secret',
      {
        webhook: (right) => new RegExp(`^(?!v1,${quote(right)})v1,${BASE64}$`),
        x: (right) => new RegExp(`^(?!${quote(right)})${BASE64}$`),
      },
    ],
    ['body-changed', { body: '{"id":1,"name":"Ceres é","changed":true}', signed: PLAIN }],
    ['id-changed', { hasOtherId: true }],
    ['time-changed', { later: 1 }],
    ['stale', { seconds: -600 }],
    ['future', { seconds: 600 }],
    ['hex', { webhook: (right) => `v1,${toHex(right)}`, x: toHex }],
    ['truncated', { webhook: (right) => `v1,${right.slice(0, 16)}`, x: (right) => right.slice(0, 16) }],
    ['unknown-version', { webhook: (right) => `v2,${right}`, x: () => null }],
  ]
  const quote = (base64: string) => base64.replaceAll('+', String.raw`\+`)

  it('differs from a right call in one point', async () => {
    const { id, secret } = await subscribe(stage)
    await eachRow(ROWS, async ([defect, row]) => {
      answerWith(row.status ?? 401)
      const done = await run(id, { defect, payload: PAYLOAD })
      const { headers, body } = lastCall()
      const { body: sent = PLAIN, signed = sent, seconds = 0, later = 0 } = row
      expect(body).toBe(sent)
      expect(done.body).toBe(sent)
      const time = Math.floor(stage.clock.ms / 1000) + seconds
      expect(headers.get('webhook-timestamp')).toBe(String(time + later))
      const sentId = headers.get('webhook-id')
      expect(sentId).toMatch(/^msg_newPlanet_[0-9a-f]{32}$/)
      expect(sentId === done.messageId).toBe(!row.hasOtherId)
      const right = await messageHmacOf(secret, `${done.messageId}.${time}.${signed}`)
      const rightX = await hmacOf(secret, signed)
      expectHeader(headers.get('webhook-signature'), (row.webhook ?? ((base64) => `v1,${base64}`))(right))
      expectHeader(headers.get('x-signature'), (row.x ?? ((base64) => base64))(rightX))
      expect(done.test).toMatchObject({ defect, verdict: 'right', reason: null })
      expect(done.status).toBe(row.status === 200 ? 'delivered' : 'failed')
    })
  })

  function expectHeader(value: string | null, expected: string | RegExp | null): void {
    if (expected instanceof RegExp) expect(value).toMatch(expected)
    else expect(value).toBe(expected)
  }

  it('has no comma before a member that is added to an empty object', async () => {
    const { id } = await subscribe(stage)
    expect((await run(id, { defect: 'body-changed', payload: {} })).body).toBe('{"changed":true}')
    expect((await run(id, { defect: 'unicode', payload: {} })).body).toMatch(/^\{"unicode"/)
  })

  it('with Ed25519 is signed so, and never with an HMAC', async () => {
    const { id, publicKey } = await subscribe(stage, { signing: 'v1a' })
    const key = await crypto.subtle.importKey('raw', Uint8Array.fromBase64(publicKey.slice(5)), 'Ed25519', false, [
      'verify',
    ])
    const { messageId } = await run(id, { defect: 'second-signature', payload: PAYLOAD })
    const { headers, body } = lastCall()
    expect(headers.has('x-signature')).toBe(false)
    const content = new TextEncoder().encode(`${messageId}.${headers.get('webhook-timestamp')}.${body}`)
    const signatures = headers.get('webhook-signature')?.split(' ') ?? []
    expect(signatures).toHaveLength(2)
    const verdicts = signatures.map(async (text) => {
      expect(text).toMatch(/^v1a,[\w+/]{86}==$/)
      return await crypto.subtle.verify('Ed25519', key, Uint8Array.fromBase64(text.slice(4)), content)
    })
    expect(await Promise.all(verdicts)).toEqual([false, true])
    await run(id, { defect: 'truncated' })
    expect(lastCall().headers.get('webhook-signature')).toMatch(/^v1a,[\w+/]{16}$/)
    await run(id, { defect: 'hex' })
    expect(lastCall().headers.get('webhook-signature')).toMatch(/^v1a,[0-9a-f]{128}$/)
  })
})

describe('of two calls', () => {
  it('a retry has the same id and body, a later time and a new signature', async () => {
    const { id } = await subscribe(stage)
    const done = await run(id, { defect: 'retried' })
    const [first, second] = lastCalls(2).map(headersOf)
    expect(second).toMatchObject({ 'webhook-id': done.messageId, 'x-signature': first?.['x-signature'] })
    expect(Number(second?.['webhook-timestamp'])).toBeGreaterThan(Number(first?.['webhook-timestamp']))
    expect(second?.['webhook-signature']).not.toBe(first?.['webhook-signature'])
    expect(done).toMatchObject({ status: 'delivered', test: { verdict: 'right' }, attempts: [{}, {}] })
  })

  it('a replay has the same bytes, with all headers', async () => {
    const { id } = await subscribe(stage, { auth: { scheme: 'apiKeyHeader', key: 'k' } })
    const done = await run(id, { defect: 'replayed' })
    const [first, second] = lastCalls(2)
    expect(second && [headersOf(second), second.body]).toEqual(first && [headersOf(first), first.body])
    expect(done).toMatchObject({ status: 'delivered', test: { verdict: 'right' } })
  })

  it('the second may be refused if it is a replay, and must be accepted if it is a retry', async () => {
    const { id } = await subscribe(stage)
    await eachRow(
      [
        ['replayed', 409, 'right'],
        ['replayed', 204, 'right'],
        ['replayed', 429, 'wrong'],
        ['replayed', 500, 'wrong'],
        ['replayed', 302, 'wrong'],
        ['retried', 409, 'wrong'],
        ['retried', 204, 'right'],
      ] as const,
      async ([defect, status, verdict]) => {
        const before = stage.network.calls.length
        stage.network.answer = () =>
          stage.network.calls.length === before + 1 ? new Response() : new Response(null, { status })
        const done = await run(id, { defect })
        expect(done.test.verdict).toBe(verdict)
        expect(done.status).toBe(status === 204 ? 'delivered' : 'failed')
        if (verdict === 'wrong') expect(done.test.reason).toMatch(/^The second call: The receiver returned/)
      },
    )
  })

  it('the second is not sent if the first was not accepted', async () => {
    const { id } = await subscribe(stage)
    answerWith(401)
    await eachRow(['retried', 'replayed'] as const, async (defect) => {
      const before = stage.network.calls.length
      expect(await run(id, { defect })).toMatchObject({ status: 'failed', test: { verdict: 'wrong' } })
      expect(stage.network.calls.length).toBe(before + 1)
    })
  })

  it('each counts for the limit of the host, and the second waits for its turn', async () => {
    stage.client = variantOf(stage, {
      config: { targetLimits: { concurrent: 1, callsUnproven: 3, callsProven: 3 } },
    })
    const { id } = await subscribe(stage)
    const first = await bodyOf(await send(id, { defect: 'replayed' }))
    const second = await bodyOf(await send(id, { defect: 'replayed' }))
    await drain(stage.client)
    await pass(stage, 1000)
    for (const one of stage.queue.held) one.delaySeconds = 0
    await drain(stage.client)
    expect(stage.network.calls).toHaveLength(3)
    const log = await listLog(stage)
    expect(log.filter(({ waitingSince }) => waitingSince)).toHaveLength(1)
    await pass(stage, MINUTE_MS)
    for (const one of stage.queue.held) one.delaySeconds = 0
    await drain(stage.client)
    expect(stage.network.calls).toHaveLength(4)
    for (const { id: deliveryId } of [first, second]) {
      const { messageId, test } = await read(stage, `/deliveries/${deliveryId}`)
      expect(test.verdict).toBe('right')
      const calls = stage.network.calls.filter(({ headers }) => headers.get('webhook-id') === messageId).map(headersOf)
      expect(calls[1]).toEqual(calls[0])
    }
  })
})

describe('an answer', () => {
  it('is judged by its status, and 408 and 429 refuse anything', async () => {
    const { id } = await subscribe(stage)
    await eachRow(
      [
        ['none', 200, 'right'],
        ['none', 299, 'right'],
        ['none', 302, 'wrong'],
        ['none', 401, 'wrong'],
        ['unsigned', 400, 'right'],
        ['unsigned', 499, 'right'],
        ['unsigned', 408, 'wrong'],
        ['unsigned', 429, 'wrong'],
        ['unsigned', 200, 'wrong'],
        ['unsigned', 301, 'wrong'],
        ['unsigned', 500, 'wrong'],
      ] as const,
      async ([defect, status, verdict]) => {
        answerWith(status)
        const { test } = await run(id, { defect })
        expect(test.verdict).toBe(verdict)
        if (verdict === 'wrong') expect(test.reason).toContain(`${status}`)
      },
    )
  })

  it('that does not come is wrong, whatever was due', async () => {
    const { id } = await subscribe(stage)
    stage.network.answer = () => {
      throw new Error('connection reset')
    }
    await eachRow(['none', 'unsigned'] as const, async (defect) => {
      const { test, status } = await run(id, { defect })
      expect([test.verdict, status]).toEqual(['wrong', 'failed'])
      expect(test.reason).toMatch(/connection reset/)
    })
  })

  it('that breaks off is none, whatever its status', async () => {
    const { id } = await subscribe(stage)
    stage.network.answer = () => breakOff(200)
    const { test, status } = await run(id)
    expect([test.verdict, status]).toEqual(['wrong', 'failed'])
    expect(test.reason).toMatch(/^There was no answer \(connection closed\)/)
  })

  it('of 401 to a call that may be refused says nothing of the token, and to any other that it has ended', async () => {
    const tokenUrl = 'https://id.example/token'
    const auth = { scheme: 'oAuth2', tokenUrl, clientId: 'galaxy', clientSecret: 's3cr3t' }
    const { id } = await subscribe(stage, { auth })
    const grants = () => stage.network.calls.filter(({ url }) => url === tokenUrl).length
    const accepted: number[] = []
    stage.network.answer = ({ url }) =>
      url === tokenUrl
        ? Response.json({ access_token: 'granted', token_type: 'Bearer', expires_in: 3600 })
        : new Response(null, { status: accepted.pop() ?? 401 })
    const statusesOf = async (defect: Defect) =>
      (await run(id, { defect })).attempts.map((attempt: { status: number }) => attempt.status)
    expect([await statusesOf('unsigned'), await statusesOf('hex'), grants()]).toEqual([[401], [401], 1])
    accepted.push(200)
    expect([await statusesOf('replayed'), grants()]).toEqual([[200, 401], 1])
    expect([await statusesOf('none'), await statusesOf('none'), grants()]).toEqual([[401], [401], 2])
  })

  it('is never retried, whatever it asks for', async () => {
    const { id } = await subscribe(stage)
    stage.network.answer = () => new Response(null, { status: 503, headers: { 'Retry-After': '1' } })
    expect(await run(id)).toMatchObject({ status: 'failed', attempts: [{ status: 503 }] })
    expect(stage.network.calls).toHaveLength(1)
  })

  it('changes nothing of the subscription: no 410 ends it, and no failure counts', async () => {
    const { id } = await subscribe(stage)
    const stateOf = () => env.DB.prepare('select * from webhooks where id = ?').bind(id).first()
    const before = await stateOf()
    for (const status of [410, 500, 204]) {
      answerWith(status)
      await run(id)
      expect(await stateOf()).toEqual(before)
    }
    expect(await countRows('refused_callbacks')).toBe(0)
  })
})

describe('the subscription', () => {
  it('may be paused or disabled, before the test and during it', async () => {
    const { id } = await subscribe(stage)
    await stage.client.sendJson('PATCH', `/webhooks/${id}`, { status: 'paused' }, stage.account)
    expect(await run(id)).toMatchObject({ status: 'delivered', test: { verdict: 'right' } })
    await stage.client.sendJson('PATCH', `/webhooks/${id}`, { status: 'active' }, stage.account)
    const { id: deliveryId } = await bodyOf(await send(id))
    await stage.client.sendJson('PATCH', `/webhooks/${id}`, { status: 'paused' }, stage.account)
    await runAll(stage)
    expect(await read(stage, `/deliveries/${deliveryId}`)).toMatchObject({ test: { verdict: 'right' } })
    // A ping that is under way is cancelled, as ever.
    await stage.client.sendJson('PATCH', `/webhooks/${id}`, { status: 'active' }, stage.account)
    await ask(stage, 'POST', `/webhooks/${id}/ping`)
    await stage.client.sendJson('PATCH', `/webhooks/${id}`, { status: 'paused' }, stage.account)
    expect((await listLog(stage)).at(-1)).toMatchObject({ event: 'ping', status: 'cancelled' })
  })

  it('takes its test along if it is deleted', async () => {
    const { id } = await subscribe(stage)
    const { id: deliveryId } = await bodyOf(await send(id))
    await ask(stage, 'DELETE', `/webhooks/${id}`)
    await runAll(stage)
    const done = await read(stage, `/deliveries/${deliveryId}`)
    expect(done).toMatchObject({ status: 'cancelled', test: { verdict: null, reason: null } })
    expect(stage.network.calls).toHaveLength(0)
  })

  it('of another user is not found', async () => {
    const { id } = await subscribe(stage)
    const eve = await createAccount(stage.client, 'Eve')
    expect((await stage.client.sendJson('POST', `/webhooks/${id}/tests`, {}, eve)).status).toBe(404)
  })

  it('of a suspended account is not tested', async () => {
    const { id } = await subscribe(stage)
    const { id: deliveryId } = await bodyOf(await send(id))
    const suspend = env.DB.prepare('update users set suspended_at = ? where id = ?')
    await suspend.bind(stage.clock.ms, stage.account.id).run()
    await runAll(stage)
    await suspend.bind(null, stage.account.id).run()
    expect(await read(stage, `/deliveries/${deliveryId}`)).toMatchObject({ status: 'cancelled' })
    expect(stage.network.calls).toHaveLength(0)
  })
})

describe('a test is refused', () => {
  it('if it has an unknown member or a wrong value, with its pointer', async () => {
    const { id } = await subscribe(stage)
    await eachRow(
      [
        [{ defects: 'none' }, '/defects'],
        [{ defect: 'nothing' }, '/defect'],
        [{ event: 'planetRenamed' }, '/event'],
        [{ payload: [] }, '/payload'],
        [{ payload: 'text' }, '/payload'],
        [{ payload: null }, '/payload'],
      ] as const,
      async ([body, pointer]) => {
        const response = await send(id, body)
        expect([response.status, (await bodyOf(response)).errors[0].pointer]).toEqual([400, pointer])
      },
    )
    const checks = await stage.client.sendJson(
      'POST',
      `/webhooks/${id}/checks`,
      { skip: { nothing: 'x', none: '', hex: 'x'.repeat(201), stale: 'x'.repeat(200) } },
      stage.account,
    )
    const pointers = (await bodyOf(checks)).errors.map(({ pointer }: { pointer: string }) => pointer)
    expect(pointers.sort()).toEqual(['/skip/hex', '/skip/none', '/skip/nothing'])
    expect(await listLog(stage)).toHaveLength(0)
  })

  it('if its payload has more than 65,536 bytes as it is written, or cannot be written', async () => {
    const { id } = await subscribe(stage)
    const ofBytes = (count: number) => `{"a":"é${'x'.repeat(count - '{"a":"é"}'.length - 1)}"}`
    const sendPayload = async (payload: string) => {
      const response = await stage.client.sendJson(
        'POST',
        `/webhooks/${id}/tests`,
        `{ "payload": ${payload} }`,
        stage.account,
      )
      return [response.status, (await bodyOf(response)).errors?.[0].pointer]
    }
    expect(await sendPayload(ofBytes(65_536))).toEqual([202, undefined])
    expect(await sendPayload(ofBytes(65_537))).toEqual([400, '/payload'])
    // White space in the request does not count.
    expect(await sendPayload(`{ "a": ${' '.repeat(70_000)} 1 }`)).toEqual([202, undefined])
    expect(await sendPayload('{ "a": 1e400 }')).toEqual([400, '/payload'])
    // Lists of many levels, which indentation makes many times longer.
    const deep = `{"a":${'['.repeat(55)}${Array(900).fill(`[${Array(30).fill('1').join(',')}]`)}${']'.repeat(55)}}`
    expect(await sendPayload(deep)).toEqual([400, '/payload'])
  })

  it('if it is not JSON, or asks for anything else', async () => {
    const { id } = await subscribe(stage)
    const path = `/webhooks/${id}/tests`
    const headers = authorization(stage.account)
    const xml = { ...headers, 'Content-Type': 'application/xml' }
    expect((await stage.client.send(path, { method: 'POST', headers: xml, body: '<test/>' })).status).toBe(415)
    const asXml = { ...headers, Accept: 'application/xml' }
    expect((await stage.client.send(path, { method: 'POST', headers: asXml })).status).toBe(406)
  })

  it('if the log of the account has no room for it', async () => {
    const { id } = await subscribe(stage)
    await run(id)
    const full = variantOf(stage, { config: { accountLimits: { ...NO_LIMITS, deliveries: 1 } } })
    const response = await full.sendJson('POST', `/webhooks/${id}/tests`, {}, stage.account)
    expect([response.status, (await bodyOf(response)).limit]).toMatchObject([403, { name: 'deliveries', used: 1 }])
    await runAll(stage)
    expect(stage.network.calls).toHaveLength(1)
  })

  it('if its URL may no longer be called', async () => {
    const { id } = await subscribe(stage)
    await env.DB.prepare("update webhooks set url = 'http://127.0.0.1/'").run()
    const { test, attempts } = await run(id)
    expect(test.verdict).toBe('wrong')
    expect(attempts).toHaveLength(1)
    expect(stage.network.calls).toHaveLength(0)
  })
})

it('a test is sent once: it cannot be redelivered', async () => {
  const { id } = await subscribe(stage)
  const { id: deliveryId } = await run(id)
  const response = await ask(stage, 'POST', `/deliveries/${deliveryId}/redeliver`)
  expect([response.status, (await bodyOf(response)).detail]).toEqual([
    409,
    expect.stringMatching(/^A test is sent once/),
  ])
  await runAll(stage)
  expect(stage.network.calls).toHaveLength(1)
})

it('a retry of the request with its Idempotency-Key sends nothing again', async () => {
  const { id } = await subscribe(stage)
  const init = { method: 'POST', headers: { ...authorization(stage.account), 'Idempotency-Key': 'once' } }
  const first = await stage.client.send(`/webhooks/${id}/tests`, init)
  const again = await stage.client.send(`/webhooks/${id}/tests`, init)
  expect(again.headers.get('Idempotency-Replayed')).toBe('true')
  expect(await bodyOf(again)).toEqual(await bodyOf(first))
  expect(await listLog(stage)).toHaveLength(1)
})

it('an inbox judges what it gets, also with a public key', async () => {
  const inbox = await createInbox(stage)
  await eachRow(['v1', 'v1a'] as const, async (signing) => {
    const { id } = await subscribe(stage, { url: `${inbox.url}?${signing}`, signing })
    const x = signing === 'v1' ? 'valid' : 'absent'
    const verdictsOf = async (defect: Defect) => {
      await run(id, { defect })
      const { data } = await bodyOf(await stage.client.get(`/inboxes/${inbox.id}?limit=100`))
      return data.at(-1).signatures
    }
    expect(await verdictsOf('none')).toEqual({ xSignature: x, webhookSignature: 'valid' })
    expect(await verdictsOf('stale')).toEqual({ xSignature: x, webhookSignature: 'invalid' })
    expect((await verdictsOf('truncated')).webhookSignature).toBe('invalid')
    expect((await verdictsOf('hex')).webhookSignature).toBe('invalid')
    expect((await verdictsOf('id-changed')).webhookSignature).toBe('unknown')
  })
})

it('neither the log, the database nor an answer has a key, a signature or a credential', async () => {
  const lines = vi.spyOn(console, 'log')
  const { id, secret } = await subscribe(stage, { auth: { scheme: 'bearerAuth', token: 's3cr3t-token' } })
  const other = await subscribe(stage, { url: 'https://other.example/', signing: 'v1a' })
  const answers: string[] = []
  stage.network.answer = (call) => Response.json(headersOf(call))
  const echoOf = async (webhookId: number, defect: Defect) => {
    const done = await run(webhookId, { defect })
    answers.push(JSON.stringify(done))
    return JSON.parse(done.attempts[0].response)
  }
  const masked = { authorization: 'Bearer …', 'x-signature': '…', 'webhook-signature': 'v1,…' }
  expect(await echoOf(id, 'replayed')).toMatchObject(masked)
  expect(await echoOf(id, 'hex')).toMatchObject(masked)
  expect(await echoOf(id, 'truncated')).toMatchObject(masked)
  expect(await echoOf(id, 'second-signature')).toMatchObject({ ...masked, 'webhook-signature': 'v1,… v1,…' })
  expect(await echoOf(other.id, 'replayed')).toMatchObject({ 'webhook-signature': 'v1a,…' })
  await ask(stage, 'POST', `/webhooks/${id}/ping`)
  await runAll(stage)
  const { attempts } = await read(stage, `/deliveries/${(await listLog(stage)).at(-1).id}`)
  expect(JSON.parse(attempts[0].response)).toMatchObject(masked)
  const calls = stage.network.calls
  const all = [...answers, await dumpDatabase(), ...lines.mock.calls.map(String)].join('\n')
  const secrets = calls.flatMap(({ headers }) => [
    ...(headers.get('webhook-signature') ?? '').split(' ').map((signature) => signature.replace(/^.*,/, '')),
    headers.get('x-signature'),
  ])
  for (const text of [secret, 's3cr3t-token', 'whsk_', ...secrets.filter((text) => text !== null)]) {
    expect(all.includes(text)).toBe(false)
  }
  expect(all).toContain(other.publicKey)
})
