import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../../../scripts/lib/root.ts'
import { unescapeHtml } from '../../support/pages.ts'
import { codesOf, sectionOf, tableOf } from '../documentation.ts'
import { bodyOf } from '../galaxy.ts'
import { ownAddress } from '../own-address.ts'
import { readAttributes } from '../pages/markup.ts'
import { shareGalaxy } from '../prepared-state.ts'

// The page about the laboratory: its commands, run as they stand.

const galaxy = shareGalaxy()
const run = promisify(execFile)

async function readPage(base: string): Promise<string> {
  return await (await fetch(`${base}/lab`, { headers: { Accept: 'text/html' } })).text()
}

/** The commands of a case. */
function commandsOf(page: string, id: string): string | undefined {
  const [section = ''] = page.slice(page.indexOf(`<h4 id="${id.replace('/', '-')}"`)).split('</section>')
  const [, text] = /<dt>Call<\/dt><dd><pre><code>(.*?)<\/code>/s.exec(section) ?? []
  return text === undefined ? undefined : unescapeHtml(text)
}

async function beginRun(base: string): Promise<string> {
  const headers = { 'Content-Type': 'application/json', ...ownAddress() }
  const body = JSON.stringify({ tool: 'curl', version: '8' })
  return (await bodyOf(await fetch(`${base}/lab/runs`, { method: 'POST', headers, body }))).url
}

interface Listed {
  id: string
  level: string
  group: string
}

describe('the page about the laboratory', () => {
  it('has a heading for each case and group, to which the documents link', async () => {
    const page = await readPage(galaxy.url)
    const { cases } = await bodyOf(await fetch(`${galaxy.url}/lab/cases`))
    const anchors = [...readAttributes(page, 'h4', 'id'), ...readAttributes(page, 'h3', 'id')]
    expect(anchors).toEqual([
      ...cases.map(({ id }: Listed) => id.replace('/', '-')),
      ...new Set(cases.map(({ group }: Listed) => group)),
    ])
    const { paths } = await bodyOf(await fetch(`${galaxy.url}/lab/openapi.json`))
    const operations = Object.values<Record<string, { externalDocs: { url: string } }>>(paths).flatMap(Object.values)
    const linked = new Set(operations.map(({ externalDocs }) => externalDocs.url))
    expect(linked.size).toBe(cases.length)
    expect([...linked].filter((url) => !anchors.some((anchor) => url === `${galaxy.url}/lab#${anchor}`))).toEqual([])
  })

  it('has commands with curl that pass each case that is judged, but for some that curl alone cannot', async () => {
    const page = await readPage(galaxy.url)
    const { cases } = await bodyOf(await fetch(`${galaxy.url}/lab/cases`))
    const RUN = await beginRun(galaxy.url)
    // The cases of `retry` are only in runs.
    const env = { ...process.env, RUN }
    const outcomes: Record<string, string> = {}
    for (const { id, level } of cases as Listed[]) {
      if (level === 'open') continue
      const commands = commandsOf(page, id)
      const { stdout } = commands === undefined ? { stdout: 'no command' } : await run('sh', ['-c', commands], { env })
      outcomes[id] = /"verdict":"(.*?)"/.exec(stdout)?.[1] ?? stdout
    }
    const others = Object.entries(outcomes).filter(([, verdict]) => verdict !== 'pass')
    expect(Object.fromEntries(others)).toEqual({
      // Its answer is 400, and only the run says that nothing came again.
      'retry/not-400': '',
      'retry/post-once': 'no command',
      'retry/same-key': 'no command',
    })
    const { results } = await bodyOf(await fetch(RUN))
    expect(results.map(({ case: id, verdict }: { case: string; verdict: string }) => [id, verdict])).toEqual([
      ['retry/after-seconds', 'pass'],
      ['retry/after-date', 'pass'],
      ['retry/limit-429', 'pass'],
      ['retry/not-400', 'pass'],
    ])
  })

  it('shows a request with the verdict that it gets, as docs/lab.md does', async () => {
    const page = await readPage(galaxy.url)
    const blocks = [...page.matchAll(/<section class="scroll-x"[^>]*><pre><code>(.*?)<\/code>/gs)]
    const texts = blocks.map(([, text = '']) => unescapeHtml(text))
    // The verdict follows its request.
    const place = texts.findIndex((text) => text.startsWith('{'))
    const { stdout } = await run('sh', ['-c', texts[place - 1] ?? ''])
    expect(JSON.parse(stdout)).toEqual(JSON.parse(texts[place] ?? ''))
    const docs = await readFile(join(ROOT, 'docs', 'lab.md'), 'utf8')
    expect(JSON.parse(stdout)).toEqual(JSON.parse(codesOf(sectionOf(docs, '## Verdicts'), 'json')[0] ?? ''))
  })

  it('counts the cases of each level as docs/lab.md does', async () => {
    const { cases } = await bodyOf(await fetch(`${galaxy.url}/lab/cases`))
    const docs = await readFile(join(ROOT, 'docs', 'lab.md'), 'utf8')
    const counts = [...tableOf(sectionOf(docs, '## Cases'))].map(([level, cells]) => [level, Number(cells.at(-1))])
    const levels = Object.entries(Object.groupBy(cases as Listed[], ({ level }) => level))
    expect(Object.fromEntries(counts)).toEqual(
      Object.fromEntries(levels.map(([level, listed = []]) => [level, listed.length])),
    )
  })

  it('says, as docs/lab.md does, that a client may leave some things undone, and gets info', async () => {
    const url = await beginRun(galaxy.url)
    await fetch(`${url}/retry/after-seconds`)
    const { results } = await bodyOf(await fetch(url))
    expect(results).toMatchObject([{ case: 'retry/after-seconds', level: 'extended', verdict: 'info' }])
    const docs = await readFile(join(ROOT, 'docs', 'lab.md'), 'utf8')
    const page = unescapeHtml(await readPage(galaxy.url))
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll(/\s+/g, ' ')
    for (const text of [docs, page]) expect(text).toMatch(/left undone what it may leave undone, such as a retry/)
  })

  it('names the addresses of its universe', async () => {
    const { url } = await bodyOf(await fetch(`${galaxy.url}/universes`, { method: 'POST', headers: ownAddress() }))
    const page = unescapeHtml(await readPage(url))
    expect(page).toContain(`curl '${url}/lab/try/query/form-array?color=blue,black,brown'`)
    expect(page).not.toContain(`${galaxy.url}/lab`)
    expect(readAttributes(page, 'a', 'href')).toContain(`${new URL(url).pathname}/lab/cases`)
  })
})
