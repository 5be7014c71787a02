import { beforeEach, describe, expect, it } from 'vitest'
import { GROUPS } from '../../../../laboratory/case.ts'
import { COUNTS_IN, countLevels, IDS, rowsIn, TABLE, versionsOf } from '../../../../laboratory/test/table.ts'
import { unescapeHtml } from '../../../support/pages.ts'
import { beginRun, createLab, type LabStage, Run } from './support.ts'

// The page about a run, as HTML. test/service/pages/lab-report.test.ts looks at it.

/** Of the version whose cases count if a run does not name one. */
const COUNTS = COUNTS_IN['3.1']

let stage: LabStage
let run: Run

beforeEach(async () => {
  stage = createLab()
  run = await beginRun(stage, { skip: { 'xml/*': 'no XML' } })
})

const readReport = async () => await (await run.get('report')).text()

/** The texts of elements, without markup. */
const textsOf = (html: string, pattern: RegExp) =>
  [...html.matchAll(pattern)].map(([, content = '']) => unescapeHtml(content.replaceAll(/<[^>]+>/g, '')))

/** What stands in the two lines about a case: what was sent, and what was expected. The difference is in brackets. */
function sidesOf(html: string, id: string): string[] {
  const [section = ''] = html.slice(html.indexOf(`<h4 id="${id.replace('/', '-')}"`)).split('</table>')
  return textsOf(
    section.replaceAll(/<\/?mark>/g, (tag) => (tag === '<mark>' ? '[' : ']')),
    /<tr>(.*?)<\/tr>/gs,
  )
}

describe('the gate', () => {
  const gateIn = (html: string) =>
    textsOf(html, /<p class="(notice .*?)<\/p>/gs).map((text) => text.replace(/">/, ': '))

  it('stands at the top, with its level, how many cases decide, and why it fails', async () => {
    await run.call('query/form-string?color=blue')
    await run.call('query/form-array?color=red')
    const html = await readReport()
    expect(gateIn(html)).toEqual([
      `notice bad: The gate fails at the level core, decided by ${COUNTS.core} of ${COUNTS.core} cases: 1 failed or not finished, ${COUNTS.core - 2} never called. The cases as lists`,
    ])
    expect(html.indexOf('The gate fails')).toBeLessThan(html.indexOf('class="lab-level"'))
    const [, path = ''] = /<a href="([^"]*)">The cases as lists/.exec(html) ?? []
    expect((await stage.client.get(path)).status).toBe(422)
  })

  it('passes with a case that passed, if no other one counts', async () => {
    const others = Object.fromEntries(GROUPS.map((group) => [`${group}/*`, 'not ours']))
    const { 'query/*': _, ...skip } = others
    const queries = TABLE.query.map(([name]) => [`query/${name}`, 'not ours'])
    run = await beginRun(stage, {
      skip: { ...skip, ...Object.fromEntries(queries.filter(([id]) => id !== 'query/form-string')) },
    })
    await run.call('query/form-string?color=blue')
    expect(gateIn(await readReport())).toEqual([
      `notice good: The gate passes at the level core, decided by 1 of ${COUNTS.core} cases. The cases as lists`,
    ])
  })

  it('fails if no case was judged', async () => {
    run = await beginRun(stage, { skip: Object.fromEntries(GROUPS.map((group) => [`${group}/*`, 'not ours'])) })
    await run.call('query/form-string?color=blue')
    expect(gateIn(await readReport())[0]).toContain('The gate fails')
    expect(gateIn(await readReport())[0]).toContain(': no case was judged.')
  })
})

describe('a case that failed', () => {
  it('names its byte, and leads to its page', async () => {
    await run.call('query/form-array?color=blue%2Cblack%2Cbrown')
    const html = await readReport()
    const [section = ''] = html.slice(html.indexOf('<h4 id="query-form-array"')).split('</section>')
    expect(section).toContain('href="/lab/cases/query/form-array"')
    expect(section).toContain('Byte 10, counted from 0.')
  })

  it('has code for what stands between backticks', async () => {
    run = await beginRun(stage)
    await run.call('xml/attribute', {
      method: 'POST',
      body: '{"id":7}',
      headers: { 'Content-Type': 'application/xml' },
    })
    expect(await readReport()).toContain('The body is no XML: it begins with <code>{</code>.')
  })
})

describe('the levels', () => {
  it('have a bar each, core first and unfolded, and the others folded', async () => {
    await run.call('query/form-string?color=blue')
    const html = await readReport()
    const levels = [...html.matchAll(/<details class="lab-level"(.*?)>/g)].map(([, open]) => open)
    expect(levels).toEqual([' open=""', '', ''])
    expect(textsOf(html, /<h2>(.*?)<\/h2>/gs)).toEqual([
      `core 1 of ${COUNTS.core} passed`,
      `extended 0 of ${COUNTS.extended} passed`,
      `open 0 of ${COUNTS.open} described`,
      'The other cases',
    ])
    expect(html.match(/<svg class="lab-bar"/g)).toHaveLength(3)
  })

  it('have figures that add up to all cases, in the bar and beside it, and none of zero', async () => {
    for (const path of [
      'query/form-string?color=blue',
      'query/deep-object?color[R]=100&color[G]=200&color[B]=150',
      'query/form-array?color=red',
      'query/null',
      'response/object',
      'redirect/301-get',
      'retry/after-seconds',
    ])
      await run.call(path)
    const xml = countLevels(rowsIn('3.1', ['xml'])).extended
    const html = await readReport()
    const levels = html.split('class="lab-level"').slice(1)
    const figures = levels.map((level) => textsOf(level, /<li class="lab-\w+">(.*?)<\/li>/gs))
    expect(figures).toEqual([
      ['✓ 1 passed', '(✓) 1 passed, not strict', `○ ${COUNTS.core - 4} not called`, '… 1 not finished', '✗ 1 failed'],
      ['i 2 info', `– ${xml} skipped`, `○ ${COUNTS.extended - 2 - xml} not called`],
      ['i 1 info', `○ ${COUNTS.open - 1} not called`],
    ])
    const widths = levels.map((level) =>
      [...level.matchAll(/<rect [^>]*width="(\d+)"/g)].map(([, width]) => Number(width)),
    )
    expect(widths).toEqual(figures.map((all) => all.map((one) => Number(/\d+/.exec(one)?.[0]))))
    expect(widths.map((all) => all.reduce((sum, width) => sum + width))).toEqual([
      COUNTS.core,
      COUNTS.extended,
      COUNTS.open,
    ])
  })

  it('say of info what it is', async () => {
    await run.call('redirect/301-get')
    await run.call('query/null')
    const html = await readReport()
    expect(html).toContain('No verdict: the client left these undone, as it may.')
    expect(html).toContain('The redirect was not followed: a client may leave that undone.')
    expect(html).toContain('No verdict: the specification leaves these cases open.')
  })

  it('have a list that leads to each group with a difference', async () => {
    for (const path of ['query/form-array', 'query/utf8', 'path/date/x', 'query/int64']) await run.call(path)
    const html = await readReport()
    const links = [...html.matchAll(/<a href="#((?:core|extended)-\w+)">(.*?)<\/a>/g)].map(([, id, text]) => [id, text])
    expect(links).toEqual([
      ['core-path', 'path 1'],
      ['core-query', 'query 2'],
      ['extended-query', 'query 1'],
    ])
    for (const [id] of links) expect(html).toContain(`<h3 id="${id}">`)
  })
})

describe('what was sent and what was expected', () => {
  it('have the byte marked in both', async () => {
    await run.call('query/form-array?color=blue%2Cblack%2Cbrown')
    expect(sidesOf(await readReport(), 'query/form-array')).toEqual([
      'sent byte 10color=blue[%]2Cblack%2Cbrown',
      'expectedcolor=blue[,]black,brown',
    ])
  })

  it('are the header on both sides, if a header decides', async () => {
    await run.call('body/object', {
      method: 'POST',
      body: '{"name":"blue","count":3,"flag":true}',
      headers: { 'Content-Type': 'text/plain' },
    })
    expect(sidesOf(await readReport(), 'body/object')).toEqual([
      'sent byte 0Content-Type: [t]ext/plain',
      'expectedContent-Type: [a]pplication/json',
    ])
  })

  it('are text with escapes if they are binary, and said to be', async () => {
    const headers = { 'Content-Type': 'application/octet-stream' }
    await run.call('body/bytes', { method: 'POST', body: new Uint8Array([0, 65, 255, 1]), headers })
    const [sent, expected] = sidesOf(await readReport(), 'body/bytes')
    expect(sent).toMatch(/^sent \(binary\).*\\x00/)
    expect(expected).toMatch(/^expected.*\[.+\]/)
  })

  it('are words where nothing came', async () => {
    await run.call('header/string')
    expect(sidesOf(await readReport(), 'header/string')).toEqual(['sentno X-Color', 'expectedX-Color: [b]lue'])
  })

  it('are text, whatever came', async () => {
    await run.call('query/form-string?color=<script>alert(1)</script>')
    const html = await readReport()
    expect(html).not.toContain('<script')
    expect(sidesOf(html, 'query/form-string')[0]).toMatch(/^sent byte 6color=\[.*script.*alert/)
  })

  it('are not there if the method is wrong, which the reason says', async () => {
    await run.call('redirect/303-post', { method: 'POST', body: '{"name":"blue"}' })
    await run.call('redirect/303-post/target', { method: 'POST', body: '{"name":"blue"}' })
    const html = await readReport()
    expect(html).toContain('The method should be GET here, and was POST.')
    expect(sidesOf(html, 'redirect/303-post')).toEqual([])
  })
})

describe('what decides a failure', () => {
  const decisionOf = (html: string, id: string) =>
    /What decides it: (.*?)<\/p>/s.exec(html.slice(html.indexOf(`<h4 id="${id.replace('/', '-')}"`)))?.[1] ?? ''

  it('is the rule of its case, in the words of the specification', async () => {
    await run.call('query/form-array?color=blue%2Cblack%2Cbrown')
    const decision = decisionOf(await readReport(), 'query/form-array')
    expect(decision).toMatch(/^<a href="https:\/\/spec\.openapis\.org\/oas\/v3\.1\.2\.html#style-examples">/)
    expect(decision).toContain('array <code>color=blue,black,brown</code>')
  })

  it('is that of the Content-Type, if this was judged', async () => {
    await run.call('body/object', { method: 'POST', body: '{}', headers: { 'Content-Type': 'text/plain' } })
    const decision = decisionOf(await readReport(), 'body/object')
    expect(decision).toContain('href="https://www.rfc-editor.org/rfc/rfc9110.html#section-8.3"')
  })

  it('is that of the redirect, if the method is wrong', async () => {
    await run.call('redirect/307-post', { method: 'POST', body: '{"name":"blue"}' })
    await run.call('redirect/307-post/target', { method: 'GET' })
    expect(decisionOf(await readReport(), 'redirect/307-post')).toContain('MUST NOT change the request method')
  })
})

it('each case leads to its page', async () => {
  for (const path of ['query/form-array', 'query/form-string?color=blue', 'query/null']) await run.call(path)
  const html = await readReport()
  const linked = [...html.matchAll(/href="\/lab\/cases\/([^"]+)"/g)].map(([, id]) => id)
  expect(linked.toSorted()).toEqual(IDS.filter((id) => versionsOf(id).includes('3.1')).toSorted())
})

it('a run without a call says so, and how to call one', async () => {
  const html = await readReport()
  expect(html).toContain('No case was called yet.')
  expect(html).not.toContain('lab-level')
  const [lines = ''] = textsOf(html, /<pre><code>(.*?)<\/code>/gs)
  const [, base = '', rest = ''] = /^RUN='(.*)'\ncurl "\$RUN(.*)"$/.exec(lines) ?? []
  expect(new URL(base).pathname).toBe(run.path)
  expect((await run.get(rest.slice(1))).status).toBe(200)
  expect(textsOf(await readReport(), /<h2>(.*?)<\/h2>/gs)).toContain(`core 1 of ${COUNTS.core} passed`)
})

it('a run that has ended, or never was, is a page that says so and names /lab', async () => {
  const other = new Run(stage.client, 'a'.repeat(24))
  await run.remove()
  for (const one of [run, other]) {
    const response = await one.get('report')
    expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(unescapeHtml(await response.text())).toMatch(/no run with this id, or it has ended\..*The page \/lab says/s)
  }
})

it('a case that does not count is listed with its verdict', async () => {
  await run.call('query/form-string?color=blue')
  await run.call('cookie/raw', { headers: { Cookie: 'color=x' } })
  const html = await readReport()
  expect(html).toContain('Judged, and in no count, because OpenAPI 3.1 lacks them: 1')
  expect(html).toMatch(/<a href="\/lab\/cases\/cookie\/raw">.*?<dd>fail: &quot;color&quot; in the cookies/s)
  expect(html).toContain(`core <span class="soft">1 of ${COUNTS.core} passed`)
})
