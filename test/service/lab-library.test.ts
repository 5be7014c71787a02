import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type * as Library from '../../laboratory/library.ts'
import type { PlainRequest } from '../../laboratory/library.ts'
import { judgedCases, PLAIN, writeRequest } from '../../laboratory/test/judge/own-requests.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { codesOf, sectionOf } from './documentation.ts'
import { bodyOf } from './galaxy.ts'
import { ownAddress } from './own-address.ts'
import { shareGalaxy } from './prepared-state.ts'
import { makeProject, type Project } from './project.ts'

// `galaxy/lab`, as npm installs it from the packed file, beside the service.

const run = promisify(execFile)
const galaxy = shareGalaxy()
let project: Project
let library: typeof Library

beforeAll(async () => {
  project = await makeProject()
  const folder = join(project.folder, 'node_modules', 'galaxy', 'dist', 'package', 'lab')
  library = await import(pathToFileURL(join(folder, 'index.js')).href)
})

afterAll(() => project.remove())

/** Sends a request to a bench as it is: `fetch` would change it. */
async function send(bench: string, { method, url, headers, body }: PlainRequest): Promise<Library.LabVerdict> {
  const { hostname, port, pathname } = new URL(bench)
  const sent = request({
    hostname,
    port,
    method,
    path: pathname + url,
    headers: { ...Object.fromEntries(new Headers(headers as HeadersInit)), ...ownAddress() },
  })
  sent.end(body ?? undefined)
  const response = await new Promise<Parameters<typeof text>[0]>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject)
  })
  return JSON.parse(await text(response))
}

const JSON_TYPE = { 'Content-Type': 'application/json' }

/** The requests of a case: one that is right, if it follows from the declaration, and some that are not. */
function requestsOf({ id, method, path, wire, group }: (typeof Library.cases)[number]): PlainRequest[] {
  const judged = judgedCases.find((one) => one.id === id)
  const own = judged && writeRequest(judged, PLAIN)
  const right = own && {
    method: own.method,
    url: `/${id}${own.rest}${own.query && `?${own.query}`}`,
    headers: [...own.headers],
    body: own.body.length > 0 ? own.body : null,
  }
  const bare = { method, url: `/${id}`, headers: JSON_TYPE }
  const others: PlainRequest[] =
    group === 'redirect'
      ? [{ ...bare, url: `/${id}/target?x=1`, body: method === 'GET' ? null : '{"name":"blue"}' }]
      : group === 'response'
        ? ['{"name":"blue"}', '{}', wire ?? ''].map((body) => ({ ...bare, method: 'PUT', body }))
        : [
            {
              ...bare,
              url: `${path.replaceAll(/\{\w+\}/g, 'größe%2Cx')}?color=%7C&a[b]`,
              body: method === 'GET' ? null : '{"a":1}',
            },
            { ...bare, url: `/${id}/`, headers: { Cookie: 'color=a;size=3', 'X-Color': 'blue , 1' } },
          ]
  return [...(right ? [right] : []), ...others].map((one) => ({ ...one, url: encodeURI(decodeURI(one.url)) }))
}

describe('the judge of the package', () => {
  it('has the cases that the service lists', async () => {
    const { suite, cases } = await bodyOf(await fetch(`${galaxy.url}/lab/cases`))
    expect(library.suite).toBe(suite)
    expect(JSON.parse(JSON.stringify(library.cases))).toEqual(cases)
  })

  it('says of each request what the service says', async () => {
    const differences: unknown[] = []
    let count = 0
    for (const spec of library.cases) {
      if (spec.group === 'retry' || (spec.id === 'response/accept' && spec.level === 'core')) continue
      for (const one of requestsOf(spec)) {
        const [ours, theirs] = [library.judgeSync(spec.id, one), await send(`${galaxy.url}/lab/try`, one)]
        count++
        if (JSON.stringify(ours) !== JSON.stringify({ ...theirs })) differences.push({ one, ours, theirs })
      }
    }
    expect(differences).toEqual([])
    expect(count).toBeGreaterThan(450)
  })

  it('is there for require too', async () => {
    const required: typeof Library = createRequire(join(project.folder, 'x.cjs'))('galaxy/lab')
    expect(
      required.judgeSync('query/form-string', { method: 'GET', url: '/query/form-string?color=blue' }).verdict,
    ).toBe('pass')
  })

  it('runs in the unit tests that docs/lab.md shows', async () => {
    const page = await readFile(join(ROOT, 'docs', 'lab.md'), 'utf8')
    const [code = ''] = codesOf(sectionOf(page, '## Without a service'), 'js')
    const file = join(project.folder, 'query.test.mjs')
    await writeFile(file, code)
    const { stdout } = await run(process.execPath, ['--test', file], { cwd: project.folder })
    expect(stdout).toMatch(/pass 1\b[\s\S]*fail 0\b/)
  })
})
