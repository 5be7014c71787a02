import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
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

// The pages of the laboratory and its cases: their commands, run as they stand.

const galaxy = shareGalaxy()
const run = promisify(execFile)

async function readPage(base: string, path = '/lab'): Promise<string> {
  return await (await fetch(base + path, { headers: { Accept: 'text/html' } })).text()
}

/** The code in a tab of a page. */
function codeOf(page: string, tab: string): string | undefined {
  const [, text] = new RegExp(`<section id="${tab}".*?<code[^>]*>(.*?)</code>`, 's').exec(page) ?? []
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
  it('has a row for each case, which leads to its page, as the documents do', async () => {
    const page = await readPage(galaxy.url)
    const { cases } = await bodyOf(await fetch(`${galaxy.url}/lab/cases`))
    // Links to cases had these anchors before cases had pages.
    expect(readAttributes(page, 'li', 'id')).toEqual(cases.map(({ id }: Listed) => id.replace('/', '-')))
    // The first link is that of the bench.
    const [, ...links] = readAttributes(page, 'a', 'href').filter((href) => href.startsWith('/lab/cases/'))
    expect(links).toEqual(cases.map(({ id }: Listed) => `/lab/cases/${id}`))
    expect(readAttributes(page, 'details', 'data-group')).toEqual([...new Set(cases.map(({ group }: Listed) => group))])
    const linked = new Set<string>()
    for (const name of ['openapi.json', 'openapi-3.2.json']) {
      const text = await (await fetch(`${galaxy.url}/lab/${name}`)).text()
      for (const [, url = ''] of text.matchAll(/"url": "([^"]*\/lab\/cases\/[^"]*)"/g)) linked.add(url)
    }
    expect(linked).toEqual(new Set(links.map((path) => galaxy.url + path)))
  })

  it('has commands with curl that pass each case that is judged, but for some that curl alone cannot', async () => {
    const { cases } = await bodyOf(await fetch(`${galaxy.url}/lab/cases`))
    const RUN = await beginRun(galaxy.url)
    // The cases of `retry` are only in runs.
    const env = { ...process.env, RUN }
    const outcomes: Record<string, string> = {}
    for (const { id, level } of cases as Listed[]) {
      if (level === 'open') continue
      const commands = codeOf(await readPage(galaxy.url, `/lab/cases/${id}`), 'lab-request-curl')
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

  it('is judged already, as the service judges it, and as docs/lab.md says', async () => {
    const page = await readPage(galaxy.url)
    const [, target = ''] = /<textarea id="bench-target"[^>]*>GET ([^<]*)</.exec(page) ?? []
    const answer = await bodyOf(await fetch(`${galaxy.url}/lab/try${target}`))
    const docs = await readFile(join(ROOT, 'docs', 'lab.md'), 'utf8')
    expect(answer).toEqual(JSON.parse(codesOf(sectionOf(docs, '## Verdicts'), 'json')[0] ?? ''))
    const text = unescapeHtml(page.slice(page.indexOf('aria-label="Verdict"')))
    expect(text).toContain(`>${answer.verdict}</p>`)
    expect(text).toContain(answer.reason)
    // The byte is marked on both sides.
    expect(text).toContain('color=blue<mark>%</mark>2Cblack%2Cbrown')
    expect(text).toContain('color=blue<mark>,</mark>black,brown')
  })

  it('shows the programs of docs/lab.md', async () => {
    const page = unescapeHtml(await readPage(galaxy.url))
    const docs = await readFile(join(ROOT, 'docs', 'lab.md'), 'utf8')
    const programs = [
      codesOf(sectionOf(docs, '### A driver in ten lines'), 'js')[0],
      codesOf(sectionOf(docs, '## A driver in Python'), 'python')[0],
      codesOf(sectionOf(docs, '## A driver in Go'), 'go')[0],
      codesOf(sectionOf(docs, '## Runs'), 'bash')[0]?.replace('http://localhost:8787', galaxy.url),
    ]
    for (const program of programs) expect(page).toContain(program?.trim())
  })

  it('has commands that judge a client in a run', async () => {
    const commands = codeOf(await readPage(galaxy.url), 'lab-way-run') ?? ''
    const folder = await mkdtemp(join(tmpdir(), 'galaxy-lab-'))
    await writeFile(join(folder, 'driver.mjs'), "await fetch(process.env.LAB_URL + '/path/simple-string/blue')")
    const failed = await run('sh', ['-c', commands], { cwd: folder }).catch((error) => error)
    await rm(folder, { recursive: true })
    const [report = ''] = String(failed.stdout).split('\n')
    expect(await (await fetch(report)).text()).toContain('my-client')
    // The gate fails, because most cases were not called.
    expect(failed.code).toBe(22)
    expect(failed.stdout).toContain('"missing":["path/simple-array"')
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
    expect(page).toContain(`BASE=${url}`)
    expect(page).not.toContain(`${galaxy.url}/lab`)
    expect(readAttributes(page, 'a', 'href')).toContain(`${new URL(url).pathname}/lab/cases`)
  })
})
