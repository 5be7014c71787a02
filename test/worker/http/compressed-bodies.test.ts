import { beforeAll, describe, expect, it } from 'vitest'
import { ENTITY_MAX_BYTES } from '../../../src/domain/limits.ts'
import type { Route } from '../../../src/http/pipeline/route.ts'
import {
  type Account,
  authorization,
  bodyOf,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  ROUTES,
  stableHeaders,
} from '../../support/app.ts'
import { brokenGzips, compress, gzipWithFields, makeBomb, makeNoise } from '../../support/compress.ts'
import { eachRow } from '../../support/each-row.ts'
import { echoOf, sendToEcho } from '../../support/echo.ts'
import { expectRefusal } from '../../support/error-styles.ts'
import { type GoodRequest, makeGoodRequest, sendGood } from '../../support/good-requests.ts'
import { batchOf, imagePart, joinBytes, META, MIXED, metaPart, writeMixed } from '../../support/mixed.ts'
import { makePicture } from '../../support/pictures.ts'

// Bodies with a Content-Encoding. The decoder itself is tested in test/pure/lib/content-coding.test.ts.

const MEBIBYTE = 1024 * 1024
const FORM_MAX_BYTES = 64 * 1024
const IMAGE_MAX_BYTES = 5 * MEBIBYTE
const JSON_TYPE = { 'Content-Type': 'application/json' }
const PLANET = '{"name":"Größe 火星 🪐"}'
const CODINGS = 'gzip, deflate'

let client: Client
let account: Account
let planetId: number

beforeAll(async () => {
  client = createClient({ config: { signupsPerHour: 1000, passwordAttempts: 1000 } })
  account = await createAccount(client)
  planetId = (await createPlanet(client, account, { name: 'Observed' })).id
})

type Sent = Readonly<Record<string, string>>

function post(body: BodyInit | null, headers: Sent = {}, path = '/planets') {
  return client.send(path, {
    method: 'POST',
    body,
    headers: { ...authorization(account), ...JSON_TYPE, 'Content-Encoding': 'gzip', ...headers },
  })
}

/** A body that comes in pieces, with no length. */
function inPieces(bytes: Uint8Array, pieceBytes = 100): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + pieceBytes))
      at += pieceBytes
    },
  })
}

async function expectProblem(response: Response, status: number, code: string): Promise<void> {
  const { type, detail } = await bodyOf(response)
  expect([response.status, String(type).split('/').at(-1)], detail).toEqual([status, code])
}

const WITH_BODY = ROUTES.filter(({ body }) => body !== undefined)

/** The same request with its body compressed. */
async function compressed(request: GoodRequest, format: 'gzip' | 'deflate'): Promise<GoodRequest> {
  const sent = new Response(request.body ?? '')
  const type = request.headers['Content-Type'] ?? sent.headers.get('Content-Type') ?? 'application/json'
  const body = await compress(await sent.arrayBuffer(), format)
  return { ...request, body, headers: { ...request.headers, 'Content-Type': type, 'Content-Encoding': format } }
}

it('every operation that takes a body takes it compressed', () =>
  eachRow(
    WITH_BODY.map((route, index) => [route, index % 2 === 0 ? 'gzip' : 'deflate'] as const),
    async ([route, format]) => {
      // Some operations end the credentials of their account.
      const request = await compressed(await makeGoodRequest(client, route, await createAccount(client)), format)
      const response = await sendGood(client, request)
      expect([response.status, response.status >= 400 && (await response.text())]).toEqual([request.status, false])
    },
    ([{ operationId }, format]) => `${operationId}, ${format}`,
  ))

describe('what counts is what was decoded', () => {
  it('whatever the name of the coding, and with every field of gzip', () =>
    eachRow(
      [
        ['gzip', () => compress(PLANET)],
        ['X-GZip', () => compress(PLANET)],
        ['Deflate', () => compress(PLANET, 'deflate')],
        ['identity, gzip', () => compress(PLANET)],
        ['gzip', () => gzipWithFields(PLANET)],
        ['identity', async () => joinBytes([PLANET])],
        ['', async () => joinBytes([PLANET])],
      ],
      async ([coding, make]) => {
        const bytes = await make()
        for (const body of [bytes, inPieces(bytes)]) {
          const response = await post(body, { 'Content-Encoding': coding })
          expect(response.status).toBe(201)
          expect((await bodyOf(response)).name).toBe('Größe 火星 🪐')
        }
      },
    ))

  it('in XML, in UTF-16', async () => {
    const text = '\uFEFF<?xml version="1.0" encoding="UTF-16"?><planet><name>火星</name></planet>'
    const utf16 = new Uint8Array(Uint16Array.from(text, (unit) => unit.charCodeAt(0)).buffer)
    const response = await post(await compress(utf16), { 'Content-Type': 'application/xml' })
    expect([response.status, (await bodyOf(response)).name]).toEqual([201, '火星'])
  })

  it('also for a retry, which may be compressed otherwise or not at all', async () => {
    const key = { 'Idempotency-Key': crypto.randomUUID() }
    const first = await post(await compress(PLANET), key)
    expect(first.status).toBe(201)
    const { id } = await bodyOf(first)
    await eachRow(
      [
        ['', async () => joinBytes([PLANET])],
        ['deflate', () => compress(PLANET, 'deflate')],
        ['gzip', () => gzipWithFields(PLANET)],
      ],
      async ([coding, make]) => {
        const again = await post(await make(), { ...key, 'Content-Encoding': coding })
        expect([again.status, again.headers.get('Idempotency-Replayed')]).toEqual([201, 'true'])
        expect((await bodyOf(again)).id).toBe(id)
      },
    )
    const other = await post(await compress('{"name":"Other"}'), key)
    await expectProblem(other, 422, 'idempotency-key-reused')
  })

  it('and no bytes are no body, whatever the coding', async () => {
    const made = await post(null, { 'CF-Connecting-IP': '203.0.113.77' }, '/inboxes')
    expect(made.status).toBe(201)
    await expectProblem(await post(''), 400, 'malformed-body')
  })

  it('and a digest of what was sent is not looked at', async () => {
    const wrong = { Digest: 'sha-256=AAAA', 'Content-Digest': 'sha-256=:AAAA:', 'Content-MD5': 'AAAA' }
    expect((await post(await compress(PLANET), wrong)).status).toBe(201)
  })

  it('where no body is read, the header is not', async () => {
    expect((await client.get('/planets', { 'Content-Encoding': 'br' })).status).toBe(200)
    const headers = { ...authorization(account), 'Content-Encoding': 'br' }
    const { id } = await createPlanet(client, account, { name: 'Gone' })
    expect((await client.send(`/planets/${id}`, { method: 'DELETE', headers })).status).toBe(204)
  })
})

describe('a coding that is not taken is 415', () => {
  it('with the codings that are, and no Accept', () =>
    eachRow(['br', 'zstd', 'compress', '*', 'gzip;q=1', 'gzip, deflate', 'gzip, gzip', 'gzip br'], async (coding) => {
      const response = await post(await compress(PLANET), { 'Content-Encoding': coding })
      expect([response.headers.get('Accept-Encoding'), response.headers.get('Accept')]).toEqual([CODINGS, null])
      await expectProblem(response, 415, 'unsupported-media-type')
    }))

  it('but if the media type is not taken either, the answer is about that', async () => {
    for (const coding of ['gzip', 'br']) {
      const response = await post(await compress(PLANET), { 'Content-Type': 'text/csv', 'Content-Encoding': coding })
      expect([response.headers.get('Accept-Encoding'), response.headers.get('Accept')]).toEqual([
        null,
        'application/json, application/xml',
      ])
      await expectProblem(response, 415, 'unsupported-media-type')
    }
  })
})

it('if several things are wrong, the first of them is reported, and nothing is decoded before', () =>
  eachRow(
    [
      [401, 'unauthorized', { Authorization: 'Bearer x', 'Content-Encoding': 'br', 'API-Version': '9' }],
      [415, 'unsupported-media-type', { 'Content-Encoding': 'br', 'API-Version': '9' }],
      [413, 'content-too-large', { 'API-Version': '9' }],
    ],
    async ([status, code, headers]) => expectProblem(await post(await makeBomb(MEBIBYTE), headers), status, code),
  ))

it('what is not one stream of gzip is 400, and nothing is stored', async () => {
  const count = async () => (await bodyOf(await client.get('/planets?limit=1'))).meta.total
  const before = await count()
  await eachRow(
    await brokenGzips(PLANET),
    async ([, body]) => {
      await expectProblem(await post(body), 400, 'malformed-body')
      await expectProblem(await post(inPieces(body)), 400, 'malformed-body')
    },
    ([name]) => name,
  )
  await expectProblem(
    await post(await compress(PLANET, 'deflate-raw'), { 'Content-Encoding': 'deflate' }),
    400,
    'malformed-body',
  )
  expect(await count()).toBe(before)
})

describe('a size is limited before and after decoding:', () => {
  /** JSON of exactly so many bytes, of which a decoder makes less than a hundred times as many. */
  const jsonOf = (bytes: number) => {
    const text = `{"name":"Padded","successCallbackUrl":"x${makeNoise(bytes).toHex()}`
    return `${text.slice(0, bytes - 2)}"}`
  }

  it('a document', async () => {
    const fits = await compress(jsonOf(ENTITY_MAX_BYTES))
    expect(fits.length).toBeLessThan(ENTITY_MAX_BYTES)
    // It is read, and only what it says is wrong.
    await expectProblem(await post(fits), 400, 'invalid-body')
    await expectProblem(await post(await compress(jsonOf(ENTITY_MAX_BYTES + 1))), 413, 'content-too-large')
    const bytes = await compress(makeNoise(ENTITY_MAX_BYTES))
    expect(bytes.length).toBeGreaterThan(ENTITY_MAX_BYTES)
    for (const body of [bytes, inPieces(bytes, 10_000)]) await expectProblem(await post(body), 413, 'content-too-large')
  })

  it('a form of OAuth, in its own form', async () => {
    const route = ROUTES.find(({ operationId }) => operationId === 'issueTokens') as Route
    const request = await makeGoodRequest(client, route, account)
    const send = async (body: string | Uint8Array<ArrayBuffer>, coding = 'gzip') =>
      await sendGood(
        client,
        { ...request, body: typeof body === 'string' ? await compress(body) : body },
        {
          'Content-Encoding': coding,
        },
      )
    const padding = makeNoise(FORM_MAX_BYTES).toHex()
    const fits = `${request.body}&unknown=${padding}`.slice(0, FORM_MAX_BYTES)
    await expectRefusal(route, await send(`${fits}x`), 413, 'content-too-large')
    await expectRefusal(route, await send(await makeBomb(FORM_MAX_BYTES)), 413, 'content-too-large')
    await expectRefusal(route, await send(joinBytes(['grant_type=x'])), 400, 'malformed-body')
    const unknown = await send('grant_type=x', 'br')
    expect(unknown.headers.get('Accept-Encoding')).toBe(CODINGS)
    await expectRefusal(route, unknown, 415, 'unsupported-media-type')
    expect((await send(fits)).status).toBe(request.status)
  })

  it('an image', async () => {
    const route = ROUTES.find(({ operationId }) => operationId === 'uploadImage') as Route
    const send = async (bytes: number) => {
      const form = new FormData()
      form.set('image', new File([joinBytes([makePicture('image/png'), makeNoise(bytes - 100)])], 'a.png'))
      const request = { ...(await makeGoodRequest(client, route, account)), body: form }
      return await sendGood(client, await compressed(request, 'deflate'))
    }
    expect((await send(IMAGE_MAX_BYTES)).status).toBe(200)
    await expectProblem(await send(IMAGE_MAX_BYTES + 1), 413, 'content-too-large')
  })

  it('observations, which are decoded while they arrive', async () => {
    const send = async (body: Uint8Array<ArrayBuffer>, isChunked: boolean) =>
      await post(isChunked ? inPieces(body, 64 * 1024) : body, MIXED, `/planets/${planetId}/observations`)
    const image = (bytes: number) =>
      imagePart('image/png', joinBytes([makePicture('image/png'), makeNoise(bytes - 100)]))
    const some = writeMixed([metaPart(META), image(MEBIBYTE)])
    for (const isChunked of [false, true]) expect((await send(await compress(some), isChunked)).status).toBe(202)
    const large = await compress(writeMixed([metaPart(META), image(IMAGE_MAX_BYTES + 1)]))
    const zeros = writeMixed([metaPart(META), imagePart('image/png', new Uint8Array(4 * MEBIBYTE))])
    const bomb = await compress(zeros)
    const cut = (await compress(writeMixed(batchOf(1)))).slice(0, -1)
    for (const isChunked of [false, true]) {
      await expectProblem(await send(large, isChunked), 413, 'content-too-large')
      await expectProblem(await send(bomb, isChunked), 413, 'content-too-large')
      await expectProblem(await send(cut, isChunked), 400, 'malformed-body')
    }
  })

  it('a bomb, whatever it is sent to', async () => {
    const bomb = await makeBomb(10 * MEBIBYTE)
    expect(bomb.length * 1000).toBeLessThan(11 * MEBIBYTE)
    await eachRow(
      [
        ['/planets', JSON_TYPE],
        ['/planets', { 'Content-Type': 'application/xml' }],
        [`/planets/${planetId}/image`, { 'Content-Type': 'multipart/form-data; boundary=b' }],
        [`/planets/${planetId}/observations`, MIXED],
      ] as const,
      async ([path, type]) => {
        for (const body of [bomb, inPieces(bomb, 1000)])
          await expectProblem(await post(body, type, path), 413, 'content-too-large')
      },
    )
  })
})

describe('the echo', () => {
  const send = (body: Uint8Array<ArrayBuffer>, coding: string, type = 'application/json') => ({
    method: 'POST',
    body,
    headers: { 'Content-Type': type, 'Content-Encoding': coding },
  })

  it('decodes a body and shows the headers that came', async () => {
    const told = await echoOf('/echo', send(await compress('{"a":1}'), 'GZip'))
    expect(told).toMatchObject({ body: { a: 1 }, headers: { 'content-encoding': 'GZip' } })
    const form = send(await compress('a=1&a=2', 'deflate'), 'deflate', 'application/x-www-form-urlencoded')
    expect((await echoOf('/echo', form)).body).toEqual({ a: ['1', '2'] })
    expect((await echoOf('/echo', send(await compress('{'), 'gzip'))).body).toBe('{')
  })

  it('shows what it cannot decode as base64 of what came', async () => {
    const cases = [
      ['br', joinBytes(['{"a":1}'])],
      ['gzip, gzip', await compress('{"a":1}')],
      ['gzip', joinBytes(['{"a":1}'])],
    ] as const
    await eachRow(cases, async ([coding, body]) => {
      const told = await echoOf('/echo', send(body, coding))
      expect([told.body, told.encoding]).toEqual([body.toBase64(), 'base64'])
    })
    expect(await echoOf('/echo', send(joinBytes([]), 'br'))).not.toHaveProperty('body')
  })

  it('takes 1 MiB that is decoded, and a hundred times the bytes', async () => {
    const fits = await compress(joinBytes([makeNoise(MEBIBYTE / 2), new Uint8Array(MEBIBYTE / 2)]))
    const more = await compress(joinBytes([makeNoise(MEBIBYTE / 2), new Uint8Array(MEBIBYTE / 2 + 1)]))
    const statusOf = async (body: Uint8Array<ArrayBuffer>) =>
      (await sendToEcho('/echo', send(body, 'gzip', 'application/octet-stream'))).status
    expect([await statusOf(fits), await statusOf(more), await statusOf(await makeBomb(100_000))]).toEqual([
      200, 413, 413,
    ])
  })
})

it('an inbox records what came, undecoded, with its size', async () => {
  const made = await client.send('/inboxes', { method: 'POST', headers: { 'CF-Connecting-IP': '203.0.113.78' } })
  const { id, url } = await bodyOf(made)
  const body = await compress(PLANET)
  const bomb = await makeBomb(MEBIBYTE)
  for (const [coding, sent] of [
    ['gzip', body],
    ['br', body],
    ['gzip', bomb],
  ] as const) {
    const received = await client.sendRaw(url, { method: 'POST', body: sent, headers: { 'Content-Encoding': coding } })
    expect(received.status).toBe(200)
  }
  const { data } = await bodyOf(await client.get(`/inboxes/${id}`))
  const seen = data.map(({ body, encoding, size }: Record<string, unknown>) => ({ body, encoding, size }))
  const recorded = (bytes: Uint8Array) => ({ body: bytes.toBase64(), encoding: 'base64', size: bytes.length })
  expect(seen).toEqual(expect.arrayContaining([recorded(body), recorded(bomb)]))
  expect(seen).toHaveLength(3)
})

it('a page of another origin may send a Content-Encoding, and read which are taken', async () => {
  const asked = { Origin: 'https://page.example', 'Access-Control-Request-Method': 'POST' }
  const preflight = await client.send('/planets', {
    method: 'OPTIONS',
    headers: { ...asked, 'Access-Control-Request-Headers': 'content-encoding,content-type' },
  })
  expect(preflight.headers.get('Access-Control-Allow-Headers')).toContain('content-encoding')
  const refused = await post(await compress(PLANET), { 'Content-Encoding': 'br' })
  expect(refused.headers.get('Access-Control-Expose-Headers')?.split(',')).toContain('Accept-Encoding')
})

it('the parts of a compressed body are the same to a reader as those of a plain one', async () => {
  const send = async (headers: Sent, body: BodyInit) => {
    const response = await client.send('/planets', {
      method: 'POST',
      body,
      headers: { ...authorization(account), ...JSON_TYPE, ...headers },
    })
    const { errors } = await bodyOf(response)
    return [response.status, errors, stableHeaders(response)['content-type']]
  }
  const invalid = '{"name":"","moons":3}'
  expect(await send({ 'Content-Encoding': 'gzip' }, await compress(invalid))).toEqual(await send({}, invalid))
})
