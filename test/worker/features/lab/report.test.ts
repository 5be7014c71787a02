import { beforeEach, describe, expect, it } from 'vitest'
import { COUNTS_IN, countLevels, IDS, rowsIn, versionsOf } from '../../../../laboratory/test/table.ts'
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
      'sentcolor=blue[%]2Cblack%2Cbrown',
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
      'sentContent-Type: [t]ext/plain',
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
    expect(sidesOf(html, 'query/form-string')[0]).toMatch(/^sentcolor=\[.*script.*alert/)
  })

  it('are not there if the method is wrong, which the reason says', async () => {
    await run.call('redirect/303-post', { method: 'POST', body: '{"name":"blue"}' })
    await run.call('redirect/303-post/target', { method: 'POST', body: '{"name":"blue"}' })
    const html = await readReport()
    expect(html).toContain('The method should be GET here, and was POST.')
    expect(sidesOf(html, 'redirect/303-post')).toEqual([])
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
