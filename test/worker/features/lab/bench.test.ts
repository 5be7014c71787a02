import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { judgedCaseOf } from '../../../../laboratory/documents/judged.ts'
import { CASES } from '../../../../laboratory/suite/suite.ts'
import { bodyOf, createClient, ORIGIN } from '../../../support/app.ts'
import { BASE_PATH } from '../../../support/world.ts'
import { MINUTE_MS, SECOND_MS } from '../callbacks/support.ts'
import { beginRun, createLab, type LabStage, type Run, sendFrom } from './support.ts'

const JUDGED = CASES.map(judgedCaseOf)

let stage: LabStage
let run: Run

beforeEach(async () => {
  stage = createLab()
  run = await beginRun(stage)
})

const attempt = (path: string, init?: RequestInit) =>
  stage.client.send(`/lab/try/${path}`, { redirect: 'manual', ...init })
const JSON_TYPE = { 'Content-Type': 'application/json' }

describe('the answer of a case', () => {
  it('is 200 with the verdict, at both benches, whatever the verdict', async () => {
    for (const send of [attempt, run.call.bind(run)]) {
      const passed = await send('query/form-string?color=blue')
      expect([passed.status, passed.headers.get('Content-Type')]).toEqual([200, 'application/json'])
      expect(passed.headers.get('Cache-Control')).toBe('no-store')
      expect(await bodyOf(passed)).toEqual({
        case: 'query/form-string',
        level: 'core',
        verdict: 'pass',
        reason: null,
        at: null,
        received: 'color=blue',
        encoding: null,
        expected: 'color=blue',
      })
      const failed = await send('query/form-string?color=red')
      expect(failed.status).toBe(200)
      expect(await bodyOf(failed)).toMatchObject({ verdict: 'fail', reason: expect.any(String), received: 'color=red' })
    }
  })

  it('is JSON whatever Accept says, and Prefer, credentials and keys change nothing', async () => {
    const headers = {
      Accept: 'text/html, application/xml',
      Prefer: 'code=500, delay=5, drop=response',
      Authorization: 'Bearer nonsense',
      'Idempotency-Key': ', ',
      'API-Version': '7.0.0',
      'X-D1-Bookmark': 'nonsense',
    }
    const response = await attempt('query/form-string?color=blue', { headers })
    expect([response.status, (await bodyOf(response)).verdict]).toEqual([200, 'pass'])
    expect((await run.call('query/form-string?color=blue', { headers })).status).toBe(200)
  })

  it('can be read by pages of any origin', async () => {
    const headers = { Origin: 'https://app.example' }
    const preflight = await stage.client.sendRaw('/lab/try/header/string', {
      method: 'OPTIONS',
      headers: { ...headers, 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': 'x-color' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('Access-Control-Allow-Headers')).toBe('x-color')
    const response = await attempt('response/headers', { headers })
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(response.headers.get('Access-Control-Expose-Headers')).toMatch(/X-Request-ID.*X-Colors/i)
  })

  it.each([
    ['QUERY', 'body/query-method', '{"name":"blue","limit":0}'],
    ['COPY', 'body/additional-method', '{"name":"blue"}'],
  ])('is that of %s too, which a page of any origin may send', async (method, id, body) => {
    for (const send of [attempt, run.call.bind(run)]) {
      const response = await send(id, { method, body, headers: JSON_TYPE })
      expect([response.status, await bodyOf(response)]).toEqual([200, expect.objectContaining({ verdict: 'pass' })])
      const bare = await bodyOf(await send(id, { method }))
      expect(bare).toMatchObject({ verdict: 'fail', reason: 'The body is missing.' })
    }
    const preflight = await stage.client.sendRaw(`/lab/try/${id}`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://app.example', 'Access-Control-Request-Method': method },
    })
    expect([preflight.status, preflight.headers.get('Access-Control-Allow-Methods')?.split(',')]).toEqual([
      204,
      expect.arrayContaining([method]),
    ])
  })

  it('is byte for byte what the suite declares, with its Content-Type', async () => {
    const cases = JUDGED.filter(({ answer, versions }) => answer && !versions.includes('3.1'))
    expect(cases).toHaveLength(6)
    for (const { id, answer } of cases) {
      for (const send of [attempt, run.call.bind(run)]) {
        const response = await send(id)
        const bytes = [...new Uint8Array(await response.arrayBuffer())]
        expect([id, response.headers.get('Content-Type')]).toEqual([id, answer?.headers?.['Content-Type']])
        expect(bytes).toEqual([...new TextEncoder().encode(answer?.body)])
      }
    }
  })

  it('is about the query as it came', async () => {
    for (const query of [
      'color=%62lue',
      'color=a|b',
      'color=a[b]',
      'color=%zz',
      'color=+',
      'color=a?b',
      'color=a%2Fb',
      '',
    ]) {
      const { received } = await bodyOf(await attempt(`query/form-string?${query}`))
      expect(received ?? '').toBe(query)
    }
  })

  it('is about the path after the name of the case as it came', async () => {
    for (const rest of ['a%2Fb', 'a/b', 'a;b=c', '%zz', 'a,b', '.blue', '%E7%81%AB']) {
      expect((await bodyOf(await attempt(`path/simple-string/${rest}`))).received).toBe(rest)
    }
  })
})

describe('a path that hops write in another way', () => {
  it.each([
    ['GET', '/path/simple-string/blue', 'blue'],
    ['GET', 'path//simple-string/blue', 'blue'],
    ['GET', 'path/simple-string//blue', 'blue'],
    ['GET', '///path///two///black//x/blue', 'black//x/blue'],
    ['GET', '/query//form-string?color=blue', 'color=blue'],
    ['POST', 'redirect//307-post//target', '{"name":"blue"}'],
    ['POST', 'redirect/307-post/%74arget', '{"name":"blue"}'],
  ])('%s %s passes', async (method, path, received) => {
    const body = method === 'POST' && { body: '{"name":"blue"}', headers: JSON_TYPE }
    const response = await attempt(path, { method, ...body })
    expect(await bodyOf(response)).toMatchObject({ verdict: 'pass', received })
  })

  it('redirects', async () => {
    const response = await attempt('redirect/relative//st%61rt', { redirect: 'manual' })
    expect([response.status, response.headers.get('Location')]).toEqual([302, 'target?x=1'])
  })
})

describe('a request that no case takes', () => {
  it.each([
    ['POST', 'query/form-string', 'GET, HEAD, OPTIONS'],
    ['DELETE', 'body/object', 'POST, OPTIONS'],
    ['POST', 'response/object', 'GET, HEAD, PUT, OPTIONS'],
    ['PUT', 'response/accept', 'GET, HEAD, OPTIONS'],
    ['GET', 'redirect/303-post', 'POST, OPTIONS'],
    ['PURGE', 'path/simple-string/blue', 'GET, HEAD, OPTIONS'],
    ['POST', 'body/query-method', 'QUERY, OPTIONS'],
    ['GET', 'body/additional-method', 'COPY, OPTIONS'],
    ['QUERY', 'body/object', 'POST, OPTIONS'],
  ])('%s of %s is 405 with Allow, and is not recorded', async (method, path, allow) => {
    for (const send of [attempt, run.call.bind(run)]) {
      const response = await send(path, { method })
      expect([response.status, response.headers.get('Allow')]).toEqual([405, allow])
    }
    expect((await run.read()).results).toEqual([])
    const options = await attempt(path, { method: 'OPTIONS' })
    expect([options.status, options.headers.get('Allow')]).toEqual([204, allow])
  })

  it.each(['query/no-such', 'query/Form-String', 'planets/x', 'query', 'query/', 'form-string'])(
    '%s is 404, and is not recorded',
    async (path) => {
      expect((await attempt(path)).status).toBe(404)
      expect((await run.call(path)).status).toBe(404)
      expect((await run.read()).results).toEqual([])
    },
  )

  it('HEAD is answered without a body, and is not recorded', async () => {
    for (const path of ['query/form-string?color=blue', 'response/object', 'retry/after-seconds', 'retry/post-once']) {
      const response = await run.call(path, { method: 'HEAD' })
      expect([response.status < 505, await response.text()]).toEqual([true, ''])
    }
    expect((await run.call('body/object', { method: 'HEAD' })).status).toBe(405)
    expect((await run.read()).results).toEqual([])
  })

  it('with more than 256 KiB is 413, and is not recorded', async () => {
    const large = (bytes: number) => ({ method: 'POST', headers: JSON_TYPE, body: `"${'x'.repeat(bytes - 2)}"` })
    for (const send of [attempt, run.call.bind(run)]) {
      expect((await send('body/top-string', large(256 * 1024 + 1))).status).toBe(413)
    }
    expect((await run.read()).results).toEqual([])
    expect((await run.call('body/top-string', large(256 * 1024))).status).toBe(200)
    const { received } = await run.result('body/top-string')
    expect(received).toBe(`"${'x'.repeat(2047)}`)
  })

  /** A service with limits of writes that allow few. Both count by themselves. */
  function limitTo(most: { writeLimiter: number; sharedWriteLimiter: number }) {
    const limiter = (max: number) => {
      const counts = new Map<string, number>()
      return {
        limit: async ({ key }: { key: string }) => {
          counts.set(key, (counts.get(key) ?? 0) + 1)
          return { success: (counts.get(key) ?? 0) <= max }
        },
      }
    }
    const limiters = {
      writeLimiter: limiter(most.writeLimiter),
      sharedWriteLimiter: limiter(most.sharedWriteLimiter),
    }
    const client = createClient({ now: stage.clock.now, ...limiters, config: { limitsWrites: true } })
    return { ...stage, client }
  }

  const COUNTED = 'query/form-string?color=blue'
  const statusFrom = async (run: Run, address: string) =>
    (await run.call(COUNTED, { headers: { 'CF-Connecting-IP': address } })).status

  it('beyond 600 in a minute of an address is 429, in all runs together', async () => {
    const limited = limitTo({ writeLimiter: 100, sharedWriteLimiter: 3 })
    const [first, second] = [await beginRun(limited), await beginRun(limited)]
    const [one, other] = ['192.0.2.1', '192.0.2.2']
    const headers = { 'CF-Connecting-IP': one }
    await first.call(COUNTED, { method: 'HEAD', headers })
    expect([await statusFrom(first, one), await statusFrom(second, one)]).toEqual([200, 200])
    // A change of a run is a write, too.
    expect((await sendFrom(limited, 'PATCH', second.path, { skip: {} }, headers)).status).toBe(200)
    const refused = await second.call(COUNTED, { headers })
    expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60'])
    expect((await bodyOf(refused)).detail).toContain('each address in all runs and verifications together')
    expect((await sendFrom(limited, 'PATCH', first.path, { closed: true }, headers)).status).toBe(429)
    expect((await second.result('query/form-string')).requests).toBe(1)
    expect(await statusFrom(second, other)).toBe(200)
    // Nothing is recorded there.
    expect((await limited.client.send(`/lab/try/${COUNTED}`, { headers })).status).toBe(200)
  })

  it('of an address that has none left uses up nothing of the run', async () => {
    const limited = limitTo({ writeLimiter: 2, sharedWriteLimiter: 1 })
    const run = await beginRun(limited)
    const statuses: number[] = []
    for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.3'])
      statuses.push(await statusFrom(run, address))
    expect(statuses).toEqual([200, 429, 429, 200, 429])
  })

  it('beyond 600 in a minute is 429, for each run by itself', async () => {
    const limited = limitTo({ writeLimiter: 2, sharedWriteLimiter: 100 })
    const [first, second] = [await beginRun(limited), await beginRun(limited)]
    const statuses: number[] = []
    for (const one of [first, first, first, second])
      statuses.push((await one.call('query/form-string?color=blue')).status)
    expect(statuses).toEqual([200, 200, 429, 200])
    expect((await first.result('query/form-string')).requests).toBe(2)
    expect((await limited.client.send('/lab/try/query/form-string?color=blue')).status).toBe(200)
  })
})

describe('what a run keeps', () => {
  it('is only the part that was judged', async () => {
    await run.call('query/form-string?color=blue', {
      headers: { Authorization: 'Bearer secret-1', Cookie: 'session=secret-2', 'X-Other': 'secret-3' },
    })
    await run.call('cookie/string', { headers: { Cookie: 'session=secret-4; color=blue' } })
    await run.call('retry/not-400', { headers: { 'Idempotency-Key': 'secret-5' } })
    const stored = JSON.stringify(await env.DB.prepare('select *, hex(received) from lab_results').all())
    const hex = (text: string) => new TextEncoder().encode(text).toHex().toUpperCase()
    expect(stored).not.toContain('secret')
    expect(stored).not.toContain(hex('secret'))
    expect(JSON.stringify(await run.read())).not.toContain('secret')
  })
})

describe('a case of decoding', () => {
  const put = (id: string, body: string) => ({ path: id, init: { method: 'PUT', headers: JSON_TYPE, body } })
  const GOOD = '{"name":"blue","count":3,"flag":true}'

  it('sends its response, and judges what comes back', async () => {
    for (const send of [attempt, run.call.bind(run)]) {
      const response = await send('response/object')
      expect([response.status, await response.text()]).toEqual([200, GOOD])
      const { path, init } = put('response/object', GOOD)
      expect(await bodyOf(await send(path, init))).toMatchObject({ case: 'response/object', verdict: 'pass' })
    }
  })

  it('is incomplete after its GET, in a run', async () => {
    await run.call('response/object')
    expect(await run.result('response/object')).toMatchObject({
      verdict: 'incomplete',
      requests: 1,
      reason: null,
      received: null,
    })
    await run.call('response/object', put('', GOOD).init)
    expect(await run.result('response/object')).toMatchObject({ verdict: 'pass', requests: 2, received: GOOD })
    // The last request counts.
    await run.call('response/object', put('', '{}').init)
    expect(await run.result('response/object')).toMatchObject({ verdict: 'fail', requests: 3, received: '{}' })
    await run.call('response/object')
    expect(await run.result('response/object')).toMatchObject({ verdict: 'incomplete', requests: 4, received: null })
    await run.call('response/object', put('', GOOD).init)
    expect(await run.result('response/object')).toMatchObject({ verdict: 'pass', requests: 5 })
  })

  it('fails in a run if PUT comes before its GET, and not in try', async () => {
    const { path, init } = put('response/object', GOOD)
    expect(await bodyOf(await attempt(path, init))).toMatchObject({ verdict: 'pass' })
    for (const _ of [1, 2]) {
      expect(await bodyOf(await run.call(path, init))).toMatchObject({
        verdict: 'fail',
        reason: 'The PUT came before its GET.',
        received: GOOD,
      })
    }
    expect(await run.result(path)).toMatchObject({ verdict: 'fail', requests: 2 })
    await run.call(path)
    expect(await bodyOf(await run.call(path, init))).toMatchObject({ verdict: 'pass' })
  })

  it('that is open is refused if no PUT comes', async () => {
    await run.call('response/unknown-enum')
    expect(await run.result('response/unknown-enum')).toMatchObject({ verdict: 'info', reason: 'refused' })
    await run.call('response/unknown-enum', put('', '{"name":"blue","type":"ocean"}').init)
    expect(await run.result('response/unknown-enum')).toMatchObject({ verdict: 'info', reason: 'returned' })
  })

  it('sends the status, the headers and the bytes that its document says', async () => {
    const answers = await Promise.all(
      ['no-content', 'problem', 'default', 'range', 'bytes', 'text', 'headers', 'vendor-json'].map(async (name) => {
        const response = await attempt(`response/${name}`)
        return [name, response.status, response.headers.get('Content-Type'), (await response.arrayBuffer()).byteLength]
      }),
    )
    expect(answers).toEqual([
      ['no-content', 204, null, 0],
      ['problem', 404, 'application/problem+json', expect.any(Number)],
      ['default', 500, 'application/json', expect.any(Number)],
      ['range', 418, 'application/json', expect.any(Number)],
      ['bytes', 200, 'application/octet-stream', 256],
      ['text', 200, expect.stringMatching(/^text\/plain/), expect.any(Number)],
      ['headers', 200, expect.anything(), expect.any(Number)],
      ['vendor-json', 200, 'application/vnd.galaxy+json; charset=utf-8', expect.any(Number)],
    ])
  })
})

describe('a redirect', () => {
  it.each([
    ['redirect/301-get', 'GET', 301],
    ['redirect/303-post', 'POST', 303],
    ['redirect/307-post', 'POST', 307],
    ['redirect/308-put', 'PUT', 308],
  ])('%s has a root-relative Location at its bench', async (path, method, status) => {
    for (const [send, bench] of [
      [attempt, '/lab/try'],
      [run.call.bind(run), run.path],
    ] as const) {
      const response = await send(path, { method })
      expect([response.status, response.headers.get('Location')]).toEqual([
        status,
        `${BASE_PATH}${bench}/${path}/target`,
      ])
    }
    const outcome = {
      verdict: 'info',
      reason: 'The redirect was not followed: a client may leave that undone.',
      requests: 1,
      received: null,
    }
    expect(await run.result(path)).toMatchObject(outcome)
  })

  it('can be relative', async () => {
    const response = await attempt('redirect/relative/start')
    expect(response.headers.get('Location')).toBe('target?x=1')
    const target = new URL('target?x=1', `${ORIGIN}/lab/try/redirect/relative/start`)
    expect((await bodyOf(await attempt(target.href.slice(`${ORIGIN}/lab/try/`.length)))).verdict).toBe('pass')
  })

  it('is judged where it ends, whatever method arrives', async () => {
    await run.call('redirect/301-get')
    expect(await bodyOf(await run.call('redirect/301-get/target'))).toMatchObject({ verdict: 'pass' })
    expect(await run.result('redirect/301-get')).toMatchObject({ verdict: 'pass', requests: 2 })
    for (const method of ['POST', 'PUT', 'DELETE', 'PURGE']) {
      const response = await run.call('redirect/301-get/target', { method })
      expect([response.status, (await bodyOf(response)).case]).toEqual([200, 'redirect/301-get'])
    }
    await run.call('redirect/301-get')
    expect(await run.result('redirect/301-get')).toMatchObject({
      verdict: 'info',
      reason: 'The redirect was not followed: a client may leave that undone.',
    })
  })
})

describe('a retry', () => {
  it('is only in runs', async () => {
    expect((await attempt('retry/after-seconds')).status).toBe(404)
  })

  it.each([
    ['after-seconds', 503, 999, 'fail'],
    ['after-seconds', 503, 1000, 'pass'],
    ['limit-429', 429, 999, 'fail'],
    ['limit-429', 429, 1000, 'pass'],
    ['limit-429', 429, 59_999, 'pass'],
  ])('%s: %i, and a retry after %i ms', async (name, status, wait, verdict) => {
    const id = `retry/${name}`
    const first = await run.call(id)
    expect([first.status, first.headers.get('Retry-After')]).toEqual([status, '1'])
    if (status === 429) expect(first.headers.get('RateLimit')).toBe('"lab";r=0;t=1')
    expect(await run.result(id)).toMatchObject({
      verdict: 'info',
      reason: 'No retry came: a client may leave that undone.',
      requests: 1,
    })
    stage.clock.ms += wait
    const second = await run.call(id)
    expect([second.status, (await bodyOf(second)).verdict]).toEqual([200, verdict])
    expect(await run.result(id)).toMatchObject({ verdict, requests: 2 })
    // What comes later changes nothing.
    await run.call(id)
    expect(await run.result(id)).toMatchObject({ verdict, requests: 3 })
  })

  it.each([
    [0, 2 * SECOND_MS],
    [1, 2 * SECOND_MS - 1],
    [999, SECOND_MS + 1],
  ])('after-date names the first whole second more than a second ahead: %i ms past a second', async (past, wait) => {
    stage.clock.ms = Math.ceil(stage.clock.ms / SECOND_MS) * SECOND_MS + past
    const first = await run.call('retry/after-date')
    expect(first.headers.get('Retry-After')).toBe(new Date(stage.clock.ms + wait).toUTCString())
    stage.clock.ms += wait - 1
    expect(await bodyOf(await run.call('retry/after-date'))).toMatchObject({ verdict: 'fail' })
    stage.clock.ms += MINUTE_MS
    await run.call('retry/after-date')
    stage.clock.ms += 2 * SECOND_MS
    expect(await bodyOf(await run.call('retry/after-date'))).toMatchObject({ verdict: 'pass' })
  })

  it('begins anew after a minute without a request, and not before', async () => {
    await run.call('retry/after-seconds')
    stage.clock.ms += MINUTE_MS - 1
    expect((await run.call('retry/after-seconds')).status).toBe(200)
    stage.clock.ms += MINUTE_MS
    expect((await run.call('retry/after-seconds')).status).toBe(503)
    expect(await run.result('retry/after-seconds')).toMatchObject({ verdict: 'info', requests: 3 })
  })

  it('of a request that was refused with 400 is a fault', async () => {
    expect((await run.call('retry/not-400')).status).toBe(400)
    expect(await run.result('retry/not-400')).toMatchObject({ verdict: 'pass' })
    expect((await run.call('retry/not-400')).status).toBe(400)
    expect(await run.result('retry/not-400')).toMatchObject({ verdict: 'fail' })
    stage.clock.ms += MINUTE_MS
    await run.call('retry/not-400')
    expect(await run.result('retry/not-400')).toMatchObject({ verdict: 'pass' })
  })

  const BODY = '{"name":"blue"}'
  const post = (key?: string): RequestInit => ({
    method: 'POST',
    body: BODY,
    ...(key !== undefined && { headers: { ...JSON_TYPE, 'Idempotency-Key': key } }),
  })

  /** Sends a POST whose response may be lost. */
  const sendLost = (key?: string) => run.call('retry/post-once', post(key)).catch(() => undefined)

  it.each([
    ['no retry', [undefined], 'info'],
    ['without a key', [undefined, undefined], 'fail'],
    ['with the same key', ['a', 'a'], 'pass'],
    ['with the same key, twice', ['a', 'a', 'a'], 'pass'],
    ['with another key', ['a', 'b'], 'fail'],
    ['with another key at last', [...Array(12).fill('a'), 'b'], 'fail'],
    ['with a key only then', [undefined, 'a'], 'fail'],
    ['with a key only first', ['a', undefined], 'fail'],
  ])('of a POST whose response is lost: %s', async (_, keys, verdict) => {
    const first = await run.call('retry/post-once')
    expect([first.status, await first.text()]).toEqual([204, ''])
    expect(await run.result('retry/post-once')).toMatchObject({ verdict: 'incomplete', requests: 1 })
    for (const key of keys) await sendLost(key)
    expect(await run.result('retry/post-once')).toMatchObject({ verdict, requests: keys.length + 1 })
    // The GET begins the case anew.
    await run.call('retry/post-once')
    await sendLost()
    expect(await run.result('retry/post-once')).toMatchObject({ verdict: 'info' })
  })

  it('of a POST is judged without the GET too', async () => {
    await sendLost()
    expect(await run.result('retry/post-once')).toMatchObject({ verdict: 'info', requests: 1 })
    expect(await bodyOf(await run.call('retry/post-once', post()))).toMatchObject({ verdict: 'fail' })
  })

  it.each([
    ['in time', ['lab-1', 'lab-1'], 1000, 'pass'],
    ['too early', ['lab-1', 'lab-1'], 999, 'fail'],
    ['with another key', ['lab-1', 'lab-2'], 1000, 'fail'],
    ['with another key first', ['lab-2', 'lab-1'], 1000, 'fail'],
    ['without a key', ['lab-1', undefined], 1000, 'fail'],
    ['without a key first', [undefined, 'lab-1'], 1000, 'fail'],
    ['not at all', ['lab-1'], 1000, 'info'],
    ['not at all, and without a key', [undefined], 1000, 'fail'],
  ])('of a POST with a key: %s', async (_, keys, wait, verdict) => {
    const statuses: number[] = []
    for (const key of keys) {
      const response = await run.call('retry/same-key', post(key))
      statuses.push(response.status)
      stage.clock.ms += wait
    }
    expect(statuses).toEqual([503, 201].slice(0, keys.length))
    expect(await run.result('retry/same-key')).toMatchObject({ verdict, expected: expect.anything() })
  })

  it('a key that is missing is an empty text', async () => {
    await run.call('retry/same-key', post(undefined))
    expect(await run.result('retry/same-key')).toMatchObject({ verdict: 'fail', received: '', at: 0 })
  })
})
