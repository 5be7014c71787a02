import { describe, expect, it } from 'vitest'
import { eachRow } from '../../test/support/each-row.ts'
import { cases, judge, judgeRetry, judgeSync, suite } from '../library.ts'
import { judgedCases, PLAIN, writeRequest } from './judge/own-requests.ts'
import { COUNTS } from './table.ts'

// The judge as a library, without a service.

const get = (url: string, headers: Record<string, string> = {}) => ({ method: 'GET', url, headers })
const post = (url: string, body: string | Uint8Array, headers: Record<string, string> = {}) => ({
  method: 'POST',
  url,
  headers: { 'Content-Type': 'application/json', ...headers },
  body,
})

it('lists the cases of the suite', () => {
  expect(suite).toMatch(/^\d{4}-\d\d-\d\d$/)
  expect(cases).toHaveLength(COUNTS.all)
  expect(cases[0]).toMatchObject({ id: 'path/simple-string', method: 'GET', wire: 'blue' })
})

it('each case passes in our form', () =>
  eachRow(judgedCases, (judged) => {
    const { id } = judged
    const { method, rest, query, headers, body } = writeRequest(judged, PLAIN)
    const url = `https://api.example/v1/${id}${rest}${query && `?${query}`}`
    expect(judgeSync(id, { method, url, headers, body })).toMatchObject({ case: id, verdict: 'pass', reason: null })
  }))

describe('a request', () => {
  it('is judged as it would be sent, byte by byte', () => {
    expect(judgeSync('query/form-array', get('/query/form-array?color=blue%2Cblack%2Cbrown'))).toEqual({
      case: 'query/form-array',
      level: 'core',
      verdict: 'fail',
      reason: 'The comma between items of "color" in the query is encoded, so one item arrived: "blue,black,brown".',
      at: 10,
      received: 'color=blue%2Cblack%2Cbrown',
      encoding: null,
      expected: 'color=blue,black,brown',
    })
  })

  it('may be a Request, of which the URL is judged as its parser left it', async () => {
    const url = 'http://localhost/lab/try/query/utf8?value=größe 火星 🪐'
    expect(await judge('query/utf8', new Request(url))).toMatchObject({ verdict: 'pass' })
    const body = JSON.stringify({ name: 'blue', count: 3, flag: true })
    const request = new Request('http://localhost/body/object', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    })
    expect(await judge('body/object', request)).toMatchObject({ verdict: 'pass' })
    expect(await request.text()).toBe(body)
  })

  it('may have a compressed body', async () => {
    const { body } = new Response('{"name":"blue","count":3,"flag":true}')
    const packed = await new Response(body?.pipeThrough(new CompressionStream('gzip'))).bytes()
    const request = post('/body/object', packed, { 'Content-Encoding': 'gzip' })
    const verdict = { verdict: 'non-strict', received: 'gzip', at: 0 }
    expect(await judge('body/object', request)).toMatchObject(verdict)
    expect(judgeSync('body/object', request)).toMatchObject(verdict)
    const bomb = await new Response(
      new Blob([new Uint8Array(1024 * 1024)]).stream().pipeThrough(new CompressionStream('gzip')),
    ).bytes()
    expect(() => judgeSync('body/object', { ...request, body: bomb })).toThrow(RangeError)
  })

  it('has a body of at most 256 KiB', async () => {
    const most = post('/body/text', 'x'.repeat(256 * 1024), { 'Content-Type': 'text/plain' })
    expect(judgeSync('body/text', most).verdict).toBe('fail')
    const more = { ...most, body: `${most.body}x` }
    expect(() => judgeSync('body/text', more)).toThrow(RangeError)
    await expect(judge('body/text', more)).rejects.toThrow(RangeError)
  })

  it('names a case that there is, and has it in its URL', () => {
    expect(() => judgeSync('query/none', get('/query/none'))).toThrow('There is no case query/none')
    expect(() => judgeSync('query/utf8', get('/query/reserved?value=x'))).toThrow('/query/utf8')
  })
})

describe('a redirect', () => {
  it('that is not followed, and one that is', () => {
    const first = { at: 0, request: get('/redirect/301-get') }
    expect(judgeRetry('redirect/301-get', [first])).toMatchObject({
      verdict: 'info',
      reason: 'The redirect was not followed: a client may leave that undone.',
    })
    const last = { at: 1, request: get('/redirect/301-get/target') }
    expect(judgeRetry('redirect/301-get', [first, last]).verdict).toBe('pass')
    expect(judgeSync('redirect/301-get', last.request).verdict).toBe('pass')
  })
})

describe('a response', () => {
  it('is judged by its PUT', () => {
    const put = { ...post('/response/object', '{"name":"blue","count":3,"flag":true}'), method: 'PUT' }
    expect(judgeSync('response/object', put).verdict).toBe('pass')
    expect(judgeSync('response/object', { ...put, body: '{}' }).verdict).toBe('fail')
    expect(judgeSync('response/object', get('/response/object')).verdict).toBe('incomplete')
  })
})

describe('retries', () => {
  const seconds = { at: 0, request: get('/retry/after-seconds') }

  it.each([
    ['none', [seconds], 'info', 'No retry came: a client may leave that undone.'],
    ['in time', [seconds, { ...seconds, at: 1000 }], 'pass', null],
    ['early', [seconds, { ...seconds, at: 999 }], 'fail', expect.stringContaining('Retry-After')],
    [
      'after a minute, which begins anew',
      [seconds, { ...seconds, at: 60_000 }],
      'info',
      'No retry came: a client may leave that undone.',
    ],
  ])('%s', (_, attempts, verdict, reason) => {
    expect(judgeRetry('retry/after-seconds', attempts)).toMatchObject({ verdict, reason })
  })

  it('need the body of the first request', () => {
    const keyed = post('/retry/same-key', '{"name":"blue"}', { 'Idempotency-Key': 'lab-1' })
    const first = { at: 0, request: keyed }
    expect(judgeRetry('retry/same-key', [first, { at: 1000, request: keyed }]).verdict).toBe('pass')
    const lost = { at: 1000, request: { ...keyed, body: null } }
    expect(judgeRetry('retry/same-key', [first, lost])).toMatchObject({
      verdict: 'fail',
      reason: 'The body is missing.',
      at: 0,
      received: '',
    })
  })

  it('need the same key, whatever it is', () => {
    const send = (key: string, at: number) => ({
      at,
      request: post('/retry/post-once', '{"name":"blue"}', { 'Idempotency-Key': key }),
    })
    expect(judgeRetry('retry/post-once', [send('a', 0), send('a', 5)]).verdict).toBe('pass')
    expect(judgeRetry('retry/post-once', [send('a', 0), send('b', 5)]).verdict).toBe('fail')
  })
})
