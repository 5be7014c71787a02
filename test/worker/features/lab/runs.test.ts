import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { VERSIONS } from '../../../../laboratory/case.ts'
import { COUNTS_IN, countLevels, rowsIn } from '../../../../laboratory/test/table.ts'
import { sweep } from '../../../../src/sweep.ts'
import { bodyOf, ORIGIN } from '../../../support/app.ts'
import { fromAnywhere } from '../../../support/good-requests.ts'
import { DAY_MS, HOUR_MS } from '../callbacks/support.ts'
import { beginRun, createLab, type LabStage, Run, sendFrom } from './support.ts'

/** Of the version whose cases count if a run does not name one. */
const COUNTS = COUNTS_IN['3.1']

let stage: LabStage

beforeEach(async () => {
  await env.DB.prepare('delete from lab_runs').run()
  stage = createLab()
})

const INPUT = { tool: 'openapi-fetch', version: '0.15.0' }

const create = (body: unknown, headers = fromAnywhere()) => sendFrom(stage, 'POST', '/lab/runs', body, headers)

async function faultsOf(response: Response): Promise<[number, Record<string, string>]> {
  const { errors = [] } = await bodyOf(response)
  return [
    response.status,
    Object.fromEntries(errors.map((fault: { pointer: string; detail: string }) => [fault.pointer, fault.detail])),
  ]
}

const countRows = async (table: string) =>
  (await env.DB.prepare(`select count(*) as rows from ${table}`).first<{ rows: number }>())?.rows

describe('a run', () => {
  it('begins without credentials, and its URL is a bench', async () => {
    const response = await create({ ...INPUT, expect: { 'query/reserved': 'issue 7' }, skip: { 'xml/*': 'no XML' } })
    expect(response.status).toBe(201)
    const run = await bodyOf(response)
    expect(run).toEqual({
      ...INPUT,
      openapi: '3.1',
      id: expect.stringMatching(/^[a-z2-7]{24}$/),
      url: `${ORIGIN}/lab/runs/${run.id}`,
      suite: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      expect: { 'query/reserved': 'issue 7' },
      skip: { 'xml/*': 'no XML' },
      closed: false,
      createdAt: stage.clock.now().toISOString(),
      expiresAt: new Date(stage.clock.ms + 7 * DAY_MS).toISOString(),
    })
    expect(response.headers.get('Location')).toBe(run.url)
  })

  it('names cases of all versions, and a version that there is', async () => {
    const expected = { expect: { 'cookie/raw': 'a', 'form/json-array': 'b' }, skip: { 'body/query-method': 'c' } }
    expect(await bodyOf(await create({ ...INPUT, ...expected, openapi: '3.0' }))).toMatchObject({
      ...expected,
      openapi: '3.0',
    })
    expect(await faultsOf(await create({ ...INPUT, openapi: '3.3' }))).toEqual([
      400,
      { '/openapi': 'must be one of 3.2, 3.1, 3.0' },
    ])
  })

  it('needs no expect and no skip', async () => {
    expect(await bodyOf(await create(INPUT))).toMatchObject({ expect: {}, skip: {} })
  })

  it.each([
    ['tool', 'x', true],
    ['tool', 'x'.repeat(80), true],
    ['tool', '🪐'.repeat(80), true],
    ['tool', 'OpenAPI Generator (Größe)', true],
    ['tool', '', false],
    ['tool', 'x'.repeat(81), false],
    ['tool', 'two\nlines', false],
    ['tool', ' x', false],
    ['tool', '\u00a0', false],
    ['tool', 'zero\u200bwidth', false],
    ['version', '1', true],
    ['version', '1'.repeat(81), false],
  ])('has a %s of 1 to 80 visible characters: %j', async (member, value, isValid) => {
    const [status, faults] = await faultsOf(await create({ ...INPUT, [member]: value }))
    expect([status, faults]).toEqual(
      isValid ? [201, {}] : [400, { [`/${member}`]: 'must have 1 to 80 visible characters' }],
    )
  })

  it('has no other members', async () => {
    expect(await faultsOf(await create({ ...INPUT, name: 'x' }))).toEqual([400, { '/name': 'unknown property' }])
    expect((await faultsOf(await create({ version: '1' })))[0]).toBe(400)
  })

  it.each([
    [1, true],
    [200, true],
    [0, false],
    [201, false],
  ])('has reasons of 1 to 200 characters: %i', async (length, isValid) => {
    const reasons = { 'query/reserved': '火'.repeat(length) }
    const fault = 'must have 1 to 200 characters'
    expect(await faultsOf(await create({ ...INPUT, expect: reasons, skip: reasons }))).toEqual(
      isValid ? [201, {}] : [400, { '/expect/query~1reserved': fault, '/skip/query~1reserved': fault }],
    )
  })

  it('says which ids are no cases', async () => {
    const response = await create({
      ...INPUT,
      expect: { 'query/no-such': 'x', 'query/*': 'x', 'query/empty-array': 'x', 'query/reserved': 'x' },
      skip: { nonsense: 'x', 'planets/*': 'x', 'query/empty-array': 'x', 'query/*': 'x' },
    })
    expect(await faultsOf(response)).toEqual([
      400,
      {
        '/expect/query~1no-such': 'is no case',
        '/expect/query~1*': 'is no case',
        '/expect/query~1empty-array': 'is an open case, which is never judged',
        '/skip/nonsense': 'is no case and no group',
        '/skip/planets~1*': 'is no case and no group',
      },
    ])
  })

  it.each([
    [300, 'is no case'],
    [301, 'must have at most 300 entries'],
  ])('has at most 300 entries: %i', async (length, fault) => {
    // There are fewer cases than entries, so all of these are unknown.
    const entries = Object.fromEntries(Array.from({ length }, (_, index) => [`query/${index}`, 'x']))
    for (const member of ['expect', 'skip']) {
      const [status, faults] = await faultsOf(await create({ ...INPUT, [member]: entries }))
      expect(status).toBe(400)
      expect(Object.values(faults)[0]).toMatch(fault)
    }
  })

  it('is one of 120 in an hour that an address can begin', async () => {
    const [address, other] = [fromAnywhere(), fromAnywhere()]
    await create(INPUT, address)
    await env.DB.prepare("update rate_limits set attempts = 119 where key like 'lab-run/%'").run()
    const last = await create(INPUT, address)
    expect([last.status, last.headers.get('X-RateLimit-Remaining')]).toEqual([201, '0'])
    const refused = await create(INPUT, address)
    expect([refused.status, (await bodyOf(refused)).title]).toEqual([429, 'Too Many Requests'])
    expect((await create(INPUT, other)).status).toBe(201)
    stage.clock.ms += HOUR_MS
    expect((await create(INPUT, address)).status).toBe(201)
  })

  it('that names unknown cases is not counted', async () => {
    const address = fromAnywhere()
    await create({ ...INPUT, skip: { x: 'x' } }, address)
    expect((await create(INPUT, address)).headers.get('X-RateLimit-Remaining')).toBe('119')
  })

  it('takes only JSON, and is only sent as JSON', async () => {
    const body = '<run><tool>x</tool></run>'
    const headers = { ...fromAnywhere(), 'Content-Type': 'application/xml' }
    expect((await stage.client.send('/lab/runs', { method: 'POST', body, headers })).status).toBe(415)
    const run = await beginRun(stage)
    expect((await stage.client.get(run.path, { Accept: 'application/xml' })).status).toBe(406)
  })
})

describe('the summary of a run', () => {
  it('counts all cases before the first request', async () => {
    const { summary, results } = await (await beginRun(stage)).read()
    const none = { pass: 0, nonStrict: 0, fail: 0, info: 0, incomplete: 0, skipped: 0 }
    expect(summary).toEqual({
      core: { ...none, cases: COUNTS.core, missing: COUNTS.core },
      extended: { ...none, cases: COUNTS.extended, missing: COUNTS.extended },
      open: { ...none, cases: COUNTS.open, missing: COUNTS.open },
    })
    expect(results).toEqual([])
  })

  it('has the results of the cases that were called, in the order of the catalogue', async () => {
    const run = await beginRun(stage)
    await run.call('query/form-string?color=blue')
    await run.call('query/empty-array')
    await run.call('path/simple-string/red')
    const last = await run.call('path/simple-string/black')
    const { summary, results } = await run.read()
    expect(results.map((result: { case: string }) => result.case)).toEqual([
      'path/simple-string',
      'query/form-string',
      'query/empty-array',
    ])
    expect(results[0]).toEqual({
      case: 'path/simple-string',
      level: 'core',
      verdict: 'fail',
      requests: 2,
      reason: expect.any(String),
      at: 2,
      received: 'black',
      encoding: null,
      expected: 'blue',
      requestId: last.headers.get('X-Request-ID'),
    })
    expect(results[1]).toMatchObject({ verdict: 'pass', requests: 1, reason: null, at: null, received: 'color=blue' })
    expect(summary.core).toMatchObject({ pass: 1, fail: 1, missing: COUNTS.core - 2 })
    expect(summary.open).toMatchObject({ info: 1, missing: COUNTS.open - 1 })
  })

  it.each(VERSIONS)('counts the cases of OpenAPI %s, if the run is of it', async (openapi) => {
    const { summary, ...run } = await (await beginRun(stage, { openapi })).read()
    expect(run.openapi).toBe(openapi)
    const { core, extended, open } = COUNTS_IN[openapi]
    expect(summary).toMatchObject({ core: { cases: core }, extended: { cases: extended }, open: { cases: open } })
  })

  it('does not count a case of another version, and has its result', async () => {
    const run = await beginRun(stage)
    const before = await run.read()
    await run.call('cookie/raw', { headers: { Cookie: 'color=a%2Cb/+8==' } })
    await run.call('cookie/raw-array', { headers: { Cookie: 'color=blue' } })
    const { summary, results } = await run.read()
    expect(summary).toEqual(before.summary)
    expect(results.map((result: Record<string, unknown>) => [result.case, result.verdict])).toEqual([
      ['cookie/raw', 'pass'],
      ['cookie/raw-array', 'fail'],
    ])
  })

  it('counts a skipped case as skipped, though it was called', async () => {
    const run = await beginRun(stage, { skip: { 'path/*': 'no', 'query/form-string': 'no' } })
    await run.call('path/simple-string/blue')
    await run.call('query/form-string?color=blue')
    const { summary, results } = await run.read()
    const path = countLevels(rowsIn('3.1', ['path']))
    expect(summary.core).toMatchObject({ pass: 0, skipped: path.core + 1 })
    expect(summary.extended).toMatchObject({ skipped: path.extended })
    expect(results).toHaveLength(2)
  })

  it('is the same for the same requests, but for ids and times', async () => {
    const [first, second] = [await beginRun(stage), await beginRun(stage)]
    const documents: string[] = []
    for (const run of [first, second]) {
      for (const path of ['query/form-string?color=red', 'path/simple-string/blue', 'query/null']) await run.call(path)
      await run.call('response/object')
      await run.call('response/object', { method: 'PUT', body: '{}' })
      await run.call('retry/not-400')
      await run.call('redirect/301-get')
      stage.clock.ms += 12_345
      const { id, url, createdAt, expiresAt, results, ...rest } = await run.read()
      const stable = results.map(({ requestId, ...result }: { requestId: string }) => result)
      const others = ['gate', 'junit.xml', 'badge.svg', 'badge.json'].map(async (path) => (await run.get(path)).text())
      const texts = (await Promise.all(others)).map((text) => text.replace(/urn:uuid:[^"]+/, ''))
      documents.push(JSON.stringify([rest, stable, texts]))
    }
    expect(documents[1]).toBe(documents[0])
  })
})

describe('the documents of a run', () => {
  it('have the run as their only server', async () => {
    const run = await beginRun(stage)
    for (const name of ['openapi.json', 'openapi-3.0.json', 'openapi-3.2.json']) {
      const { servers } = await bodyOf(await run.get(`${name}?only=query/form-string`))
      expect(servers).toEqual([expect.objectContaining({ url: `${ORIGIN}${run.path}` })])
    }
    expect(await (await run.get('openapi.yaml')).text()).toContain(`${ORIGIN}${run.path}`)
    await run.remove()
    expect((await run.get('openapi.json')).status).toBe(404)
  })
})

describe('a change of a run', () => {
  it('replaces expect and skip, each by itself', async () => {
    const run = await beginRun(stage, { expect: { 'query/reserved': 'a' }, skip: { 'xml/*': 'b' } })
    expect(await bodyOf(await run.change({ expect: { 'query/utf8': 'c' } }))).toMatchObject({
      expect: { 'query/utf8': 'c' },
      skip: { 'xml/*': 'b' },
    })
    expect(await bodyOf(await run.change({ skip: {} }))).toMatchObject({ expect: { 'query/utf8': 'c' }, skip: {} })
    expect(await bodyOf(await run.change({}))).toMatchObject({ expect: { 'query/utf8': 'c' }, skip: {}, closed: false })
  })

  it('has only known members and cases', async () => {
    const run = await beginRun(stage)
    expect(await faultsOf(await run.change({ tool: 'x' }))).toEqual([400, { '/tool': 'unknown property' }])
    expect((await faultsOf(await run.change({ closed: false })))[0]).toBe(400)
    expect(await faultsOf(await run.change({ skip: { x: 'x' } }))).toEqual([
      400,
      { '/skip/x': 'is no case and no group' },
    ])
  })

  it('does not move its end', async () => {
    const run = await beginRun(stage)
    const { expiresAt } = await run.read()
    stage.clock.ms += DAY_MS
    await run.change({ skip: {} })
    expect((await run.read()).expiresAt).toBe(expiresAt)
  })

  it('closes it: it takes no request and no change, and can be read and deleted', async () => {
    const run = await beginRun(stage)
    await run.call('query/form-string?color=blue')
    expect(await bodyOf(await run.change({ closed: true, skip: { 'xml/*': 'x' } }))).toMatchObject({
      closed: true,
      skip: { 'xml/*': 'x' },
    })
    stage.clock.ms += DAY_MS
    const before = await run.read()
    for (const response of [
      await run.call('query/form-string?color=red'),
      await run.call('query/utf8?value=x'),
      await run.change({ skip: {} }),
      await run.change({ closed: true }),
    ]) {
      expect([response.status, (await bodyOf(response)).title]).toEqual([409, 'Conflict'])
    }
    expect(await run.read()).toEqual(before)
    expect((await run.get('report')).status).toBe(200)
    expect((await run.remove()).status).toBe(204)
  })
})

describe('a run that does not exist', () => {
  it.each([
    ['never', 'a'.repeat(24)],
    ['in form', 'NOT-AN-ID'],
  ])('%s is 404 everywhere', async (_, id) => {
    const run = new Run(stage.client, id)
    const responses = await Promise.all([
      stage.client.get(run.path),
      run.change({ skip: {} }),
      run.remove(),
      ...['gate', 'junit.xml', 'badge.svg', 'badge.json', 'report', 'nothing'].map((path) => run.get(path)),
      run.call('query/form-string?color=blue'),
    ])
    expect(responses.map(({ status }) => status)).toEqual(Array(responses.length).fill(404))
  })

  it('deleted, nothing of it is left', async () => {
    const run = await beginRun(stage)
    await run.call('query/form-string?color=blue')
    const before = await countRows('lab_results')
    expect((await run.remove()).status).toBe(204)
    expect(await countRows('lab_results')).toBe((before ?? 0) - 1)
    expect((await run.remove()).status).toBe(404)
    expect((await run.call('query/form-string?color=blue')).status).toBe(404)
    expect(await countRows('lab_results')).toBe((before ?? 0) - 1)
  })
})

describe('the end of a run', () => {
  it('comes 7 days after its last record', async () => {
    const run = await beginRun(stage)
    stage.clock.ms += 7 * DAY_MS - 1
    await run.call('query/form-string?color=blue')
    expect((await run.read()).expiresAt).toBe(new Date(stage.clock.ms + 7 * DAY_MS).toISOString())
    stage.clock.ms += 7 * DAY_MS - 1
    expect((await stage.client.get(run.path)).status).toBe(200)
    stage.clock.ms += 1
    expect((await stage.client.get(run.path)).status).toBe(404)
    expect((await run.call('query/form-string?color=blue')).status).toBe(404)
  })

  it('comes 30 days after its creation, whatever it records', async () => {
    const run = await beginRun(stage)
    const end = stage.clock.ms + 30 * DAY_MS
    for (let day = 0; day < 5; day++) {
      stage.clock.ms += 6 * DAY_MS - 1
      expect((await run.call('query/form-string?color=blue')).status).toBe(200)
    }
    expect((await run.read()).expiresAt).toBe(new Date(end).toISOString())
    stage.clock.ms = end
    expect((await stage.client.get(run.path)).status).toBe(404)
  })

  it('is followed by its removal, and nothing else is removed', async () => {
    const [ended, kept] = [await beginRun(stage), await beginRun(stage)]
    await ended.call('query/form-string?color=blue')
    stage.clock.ms += 5 * DAY_MS
    await kept.call('query/form-string?color=blue')
    stage.clock.ms += 2 * DAY_MS + 1
    await sweep(stage.client.services)
    const { results } = await env.DB.prepare('select id from lab_runs where id in (?, ?)').bind(ended.id, kept.id).all()
    expect(results).toEqual([{ id: kept.id }])
    const left = await env.DB.prepare('select run_id from lab_results where run_id in (?, ?)')
      .bind(ended.id, kept.id)
      .all()
    expect(left.results).toEqual([{ run_id: kept.id }])
  })

  it('comes early for the run that would end first, if a network or all networks have too many', async () => {
    const address = fromAnywhere()
    const oldest = new Run(stage.client, (await bodyOf(await create(INPUT, address))).id)
    stage.clock.ms += 1
    const next = new Run(stage.client, (await bodyOf(await create(INPUT, address))).id)
    const fill = (count: number) =>
      env.DB.prepare(
        `insert into lab_runs select substr('${'a'.repeat(20)}', 1, 20) || printf('%04d', value), 'x', '1', '{}', '{}', 0, created_at, expires_at + 10, network, openapi
        from lab_runs, json_each('[${Array.from({ length: count }, (_, index) => index)}]') where lab_runs.id = ?`,
      )
        .bind(next.id)
        .run()
    await fill(198)
    expect((await stage.client.get(oldest.path)).status).toBe(200)
    await create(INPUT, address)
    expect((await stage.client.get(oldest.path)).status).toBe(404)
    expect((await stage.client.get(next.path)).status).toBe(200)
  })
})

describe('the report of a run', () => {
  it('shows texts as text, is not listed by search engines, and runs nothing', async () => {
    const run = await beginRun(stage, {
      tool: '<script>tool',
      skip: { 'xml/*': '<img>' },
      expect: { 'query/utf8': '<i>' },
    })
    await run.call('body/top-string', { method: 'POST', body: '"<script>alert(1)</script>\u0001"' })
    await run.call('response/object')
    const response = await run.get('report')
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(response.headers.get('X-Robots-Tag')).toBe('noindex')
    expect(response.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'/)
    const html = await response.text()
    expect(html).not.toMatch(/<script|<img|<i>/)
    expect(html).toContain('&lt;script&gt;tool 0.15.0')
    expect(html).toContain('not finished')
    expect(html).toMatch(/<mark>.+<\/mark>/)
  })
})
