import { beforeEach, describe, expect, it } from 'vitest'
import { COUNTS_IN, countLevels, rowsIn, UNTIL_31 } from '../../../../laboratory/test/table.ts'
import { bodyOf } from '../../../support/app.ts'
import { beginRun, createLab, type LabStage, type Run } from './support.ts'

/** Of the version whose cases count if a run does not name one. */
const COUNTS = COUNTS_IN['3.1']

let stage: LabStage

beforeEach(() => {
  stage = createLab()
})

const OTHER_GROUPS = ['header', 'cookie', 'form', 'multipart', 'body', 'xml', 'response', 'redirect', 'retry', 'path']
/** Skips every core case but those of `query` that a test names. */
async function skipAllBut(...names: string[]): Promise<Record<string, string>> {
  const { suite: _, ...rest } = await import('../../../../laboratory/suite/suite.ts').then(({ CASES }) => ({
    suite: '',
    CASES,
  }))
  const others = rest.CASES.filter(
    ({ id, level }) => level !== 'open' && id.startsWith('query/') && !names.includes(id),
  )
  return Object.fromEntries(
    [...OTHER_GROUPS.map((group) => `${group}/*`), ...others.map(({ id }) => id)].map((id) => [id, 'not now']),
  )
}

// biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
async function gateOf(run: Run, query = ''): Promise<any> {
  const response = await run.get(`gate${query}`)
  const { status, unexpected, missing, stale, type, detail } = { ...(await bodyOf(response)), status: response.status }
  if (status === 422)
    expect([type, detail]).toEqual([expect.stringMatching(/\/problems\/lab-gate$/), expect.any(String)])
  return [status, { unexpected, missing, stale }]
}

const pass = (id: string) => `${id}?color=blue`
const [FIRST, SECOND, EXTENDED] = ['query/form-string', 'query/single-item', 'query/form-object']

describe('the gate', () => {
  it('never passes a client that sends nothing', async () => {
    const [status, { missing, unexpected, stale }] = await gateOf(await beginRun(stage))
    expect([status, missing.length, unexpected, stale]).toEqual([422, COUNTS.core, [], []])
    const [, both] = await gateOf(await beginRun(stage), '?level=extended')
    expect(both.missing).toHaveLength(COUNTS.judged)
    const all = Object.fromEntries([...OTHER_GROUPS, 'query'].map((group) => [`${group}/*`, 'no']))
    const none = { unexpected: [], missing: [], stale: [] }
    expect(await gateOf(await beginRun(stage, { skip: all }))).toEqual([422, none])
  })

  it('passes if nothing of its level is wrong', async () => {
    const run = await beginRun(stage, { skip: await skipAllBut(FIRST) })
    expect(await gateOf(run)).toEqual([422, { unexpected: [], missing: [FIRST], stale: [] }])
    await run.call(`${FIRST}?color=red`)
    expect(await gateOf(run)).toEqual([422, { unexpected: [FIRST], missing: [], stale: [] }])
    await run.call(pass(FIRST))
    expect(await gateOf(run)).toEqual([200, { unexpected: [], missing: [], stale: [] }])
    expect(await gateOf(run, '?level=core')).toEqual([200, { unexpected: [], missing: [], stale: [] }])
  })

  it('is not passed by calls of skipped cases alone', async () => {
    const run = await beginRun(stage, { skip: { ...(await skipAllBut(FIRST)), [FIRST]: 'no' } })
    await run.call(pass(FIRST))
    expect((await gateOf(run))[0]).toBe(422)
  })

  it('is not passed by observations alone', async () => {
    const run = await beginRun(stage, { skip: await skipAllBut(), expect: {} })
    await run.call('query/null')
    expect((await gateOf(run))[0]).toBe(422)
  })

  it('asks for extended cases only at that level', async () => {
    const run = await beginRun(stage, { skip: await skipAllBut(FIRST, EXTENDED) })
    await run.call(pass(FIRST))
    expect((await gateOf(run))[0]).toBe(200)
    expect(await gateOf(run, '?level=extended')).toEqual([422, { unexpected: [], missing: [EXTENDED], stale: [] }])
    await run.call(`${EXTENDED}?color=x`)
    expect((await gateOf(run))[0]).toBe(200)
    expect(await gateOf(run, '?level=extended')).toEqual([422, { unexpected: [EXTENDED], missing: [], stale: [] }])
  })

  it('lets cases fail that should, or be missing, and complains if they pass', async () => {
    const run = await beginRun(stage, { skip: await skipAllBut(FIRST, SECOND), expect: { [SECOND]: 'issue 7' } })
    await run.call(pass(FIRST))
    expect((await gateOf(run))[0]).toBe(200)
    await run.call(`${SECOND}?color=red`)
    expect((await gateOf(run))[0]).toBe(200)
    await run.call(pass(SECOND))
    expect(await gateOf(run)).toEqual([422, { unexpected: [], missing: [], stale: [SECOND] }])
    await run.change({ expect: {} })
    expect((await gateOf(run))[0]).toBe(200)
  })

  it('complains about an extended case that passes, at every level', async () => {
    const run = await beginRun(stage, { skip: await skipAllBut(FIRST, EXTENDED), expect: { [EXTENDED]: 'issue 7' } })
    await run.call(pass(FIRST))
    await run.call(`${EXTENDED}?color=R,100,G,200,B,150`)
    for (const level of ['core', 'extended']) {
      expect(await gateOf(run, `?level=${level}`)).toEqual([422, { unexpected: [], missing: [], stale: [EXTENDED] }])
    }
  })

  it('does not pass what was begun and not finished', async () => {
    const { 'response/*': _, ...skip } = await skipAllBut(FIRST)
    const run = await beginRun(stage, { skip })
    await run.call(pass(FIRST))
    await run.call('response/object')
    const [status, { unexpected }] = await gateOf(run)
    expect([status, unexpected]).toEqual([422, ['response/object']])
  })

  it('knows two levels', async () => {
    const run = await beginRun(stage)
    for (const level of ['open', 'x', '', 'core&level=core']) {
      expect((await run.get(`gate?level=${level}`)).status).toBe(400)
      expect((await run.get(`junit.xml?level=${level}`)).status).toBe(400)
    }
  })
})

describe('the results for CI', () => {
  const caseIn = (xml: string, id: string) => {
    const [group, name] = id.split('/')
    const start = xml.indexOf(`<testcase classname="${group}" name="${name}"`)
    return xml.slice(start, xml.indexOf('\n', start))
  }

  it('fail where the gate complains, and skip the rest that did not pass', async () => {
    const skip = { ...(await skipAllBut(FIRST, SECOND, EXTENDED, 'query/reserved')), 'xml/*': 'a < b & "c"\nd' }
    const run = await beginRun(stage, { skip, expect: { [SECOND]: 'issue 7' } })
    await run.call(pass(FIRST))
    await run.call(`${EXTENDED}?color=x`)
    await run.call('query/null')
    const response = await run.get('junit.xml')
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'application/xml'])
    const xml = await response.text()
    expect(xml).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuites name="openapi-fetch 0.15.0, suite /)
    expect(xml.match(/<testsuite /g)).toHaveLength(11)
    expect(xml.match(/<testcase /g)).toHaveLength(COUNTS.all)
    expect(xml).not.toMatch(/ time=| timestamp=/)
    expect(caseIn(xml, FIRST)).toMatch(/"\/>$/)
    expect(caseIn(xml, 'query/reserved')).toContain('<failure message="It was never called."/>')
    expect(caseIn(xml, SECOND)).toContain('<skipped message="issue 7"/>')
    expect(caseIn(xml, EXTENDED)).toMatch(/<skipped message=".+"\/>/)
    expect(caseIn(xml, 'query/empty-array')).toContain('<skipped message="It was never called."/>')
    expect(caseIn(xml, 'query/null')).toMatch(/<system-out>.+<\/system-out>/)
    expect(caseIn(xml, 'xml/escaped')).toContain('<skipped message="a &lt; b &amp; &quot;c&quot;&#10;d"/>')
    const extended = await (await run.get('junit.xml?level=extended')).text()
    expect(caseIn(extended, EXTENDED)).toContain('<failure ')
    await run.call(pass(SECOND))
    expect(caseIn(await (await run.get('junit.xml')).text(), SECOND)).toContain('<failure ')
  })

  it('count what they contain', async () => {
    const run = await beginRun(stage, { skip: { 'query/*': 'no' } })
    const xml = await (await run.get('junit.xml?level=extended')).text()
    const [query, header] = [countLevels(rowsIn('3.1', ['query'])), countLevels(rowsIn('3.1', ['header']))]
    expect(xml).toContain(
      `<testsuite name="query" tests="${query.all}" failures="0" errors="0" skipped="${query.all}">`,
    )
    expect(xml).toContain(
      `<testsuite name="header" tests="${header.all}" failures="${header.judged}" errors="0" skipped="${header.open}">`,
    )
  })

  it('fail if nothing was judged, whatever is skipped', async () => {
    const all = Object.fromEntries([...OTHER_GROUPS, 'query'].map((group) => [`${group}/*`, 'no']))
    const xml = await (await (await beginRun(stage, { skip: all })).get('junit.xml')).text()
    expect(xml).toContain(
      '<testcase classname="gate" name="judged"><failure message="No case was judged."/></testcase>',
    )
  })

  it('fail exactly where the gate complains', async () => {
    const run = await beginRun(stage, { expect: { [FIRST]: 'x', [SECOND]: 'y' }, skip: { 'path/*': 'z' } })
    await run.call(pass(FIRST))
    await run.call('query/utf8?value=x')
    await run.call('response/object')
    for (const level of ['core', 'extended']) {
      const { unexpected, missing, stale } = await bodyOf(await run.get(`gate?level=${level}`))
      const xml = await (await run.get(`junit.xml?level=${level}`)).text()
      const failed = [...xml.matchAll(/classname="([^"]+)" name="([^"]+)"><failure/g)].map(
        ([, group, name]) => `${group}/${name}`,
      )
      expect(failed.toSorted()).toEqual([...unexpected, ...missing, ...stale].toSorted())
      expect(failed.length).toBeGreaterThan(50)
    }
  })
})

describe('a run of OpenAPI 3.2', () => {
  it('asks for the cases of its document, and for no other', async () => {
    const run = await beginRun(stage, { openapi: '3.2' })
    const [, { missing }] = await gateOf(run, '?level=extended')
    expect(missing).toHaveLength(COUNTS_IN['3.2'].judged)
    expect(missing).toEqual(expect.arrayContaining(['cookie/raw', 'response/events']))
    for (const id of UNTIL_31) expect(missing).not.toContain(id)
    await run.call(pass(FIRST))
    const xml = await (await run.get('junit.xml')).text()
    expect(xml.match(/<testcase /g)).toHaveLength(COUNTS_IN['3.2'].all)
    expect(await bodyOf(await run.get('badge.json'))).toMatchObject({ message: `1 of ${COUNTS_IN['3.2'].core}` })
  })

  it('has nothing against a case of another version, whatever is expected of it', async () => {
    const expected = { 'form/json-array': 'issue 7' }
    const others = Object.fromEntries(['path', ...OTHER_GROUPS].map((group) => [`${group}/*`, 'not now']))
    const run = await beginRun(stage, { openapi: '3.2', expect: expected, skip: others })
    await run.call('form/json-array', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'tags=%22a%22&tags=%22b%22',
    })
    expect(await run.result('form/json-array')).toMatchObject({ verdict: 'pass' })
    const [, { stale, unexpected }] = await gateOf(run, '?level=extended')
    expect([stale, unexpected]).toEqual([[], []])
  })
})

describe('the badge', () => {
  it('says how many of the core cases passed, without a text of the caller', async () => {
    const run = await beginRun(stage, { tool: 'evil-tool', skip: { 'xml/*': 'evil-reason' } })
    await run.call(pass(FIRST))
    const badge = await run.get('badge.json')
    expect(await bodyOf(badge)).toEqual({
      schemaVersion: 1,
      label: 'API client lab',
      message: `1 of ${COUNTS.core}`,
      color: 'red',
    })
    const picture = await run.get('badge.svg')
    expect([picture.status, picture.headers.get('Content-Type')]).toEqual([200, 'image/svg+xml'])
    const svg = await picture.text()
    expect(svg).toContain(`<title>API client lab: 1 of ${COUNTS.core}</title>`)
    expect(svg).not.toContain('evil')
  })
})
