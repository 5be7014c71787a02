import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { renderClient } from '../../../laboratory/pages/client.tsx'
import { renderScoreboard } from '../../../laboratory/pages/scoreboard.tsx'
import { CAUSES } from '../../../laboratory/scoreboard/causes.ts'
import { causeOf, checkEvidence, failuresOf } from '../../../laboratory/scoreboard/failures.ts'
import type { Cells, Scoreboard } from '../../../laboratory/scoreboard/results.ts'
import { type ClientView, viewClients } from '../../../laboratory/scoreboard/view.ts'
import { CASES, SUITE } from '../../../laboratory/suite/suite.ts'
import { ROOT } from '../../../scripts/lib/root.ts'
import { readScoreboard } from '../../../scripts/lib/scoreboard.ts'
import { printScoreboard } from '../../../scripts/lib/write-scoreboard.ts'
import type { Result } from '../../interop/lab/bench.ts'
import { changedCells, makeCells } from '../../interop/lab/cells.ts'
import type { Column } from '../../interop/lab/column.ts'
import { withOppositeExplode } from '../../interop/lab/opposite.ts'
import { shareGalaxy } from '../prepared-state.ts'

// What does not need the clients: the results that are published, and how cells are made.

const scoreboard = await readScoreboard()
const text = await (await fetch(`${shareGalaxy().url}/lab/openapi.json`)).text()
const clients = Object.values(scoreboard).flatMap((inLanguage) => Object.entries(inLanguage))

describe('docs/scoreboard.json', () => {
  it('is written as the command writes it', async () => {
    expect(await readFile(join(ROOT, 'docs', 'scoreboard.json'), 'utf8')).toBe(printScoreboard(scoreboard))
  })

  // test/interop/lab/recordings.test.ts compares them with the cases that each client was asked.
  it.each(clients)('has cells of %s for cases of its suite, in their order', (_, { suite, cells }) => {
    expect(suite <= SUITE).toBe(true)
    expect(Object.keys(cells)).toEqual(CASES.map(({ id }) => id).filter((id) => cells[id]))
  })

  it.each(clients)('names the part of %s for each request that did not simply pass', (_, { cells }) => {
    const sent = Object.values(cells).filter(({ received }) => received !== undefined)
    expect(sent.filter(({ part }) => part === undefined)).toEqual([])
  })

  it.each(clients)('has a reason of %s for each cell that was left out', (_, { cells }) => {
    const leftOut = Object.entries(cells).filter(([, { verdict }]) => verdict === 'skipped' || verdict === 'stops')
    expect(leftOut.filter(([, { reason }]) => !reason)).toEqual([])
  })
})

describe('the causes of failures', () => {
  const unexplained = failuresOf(scoreboard)
    .filter(({ spec }) => spec.level === 'core')
    .filter((failure) => causeOf(failure) === undefined)
    .map(({ client, spec }) => `${client} ${spec.id}`)

  it('have one cell each that shows it', () => {
    const failures = failuresOf(scoreboard)
    expect(() => checkEvidence(failures)).not.toThrow()
    for (const { evidence, title } of CAUSES) {
      const others = failures.filter(({ client, spec }) => client !== evidence.client || spec.id !== evidence.case)
      expect(() => checkEvidence(others)).toThrow(title)
    }
  })

  it('explain each failure in core', () => {
    expect(unexplained).toEqual([])
  })

  // Each was once under a cause that its case has, and that what it sent does not show.
  it.each([
    ['kubb-fetch', 'retry/post-once', 'JSON is sent without its Content-Type, so it is taken for a text'],
    ['kubb-fetch', 'body/int64', 'JSON is sent without its Content-Type, so it is taken for a text'],
    [
      'openapi-generator-ruby',
      'multipart/object',
      'The body of `multipart/form-data` has no boundary if it has no file',
    ],
    ['bruno', 'query/int64', 'Parameters in the query are not sent'],
    ['openapi-generator-php', 'query/date', 'Dates are written with a time, or not at all'],
    ['bruno', 'xml/escaped', 'Texts in XML are not escaped'],
  ])('of %s say what was wrong in %s', (client, id, title) => {
    const failure = failuresOf(scoreboard).find((failed) => failed.client === client && failed.spec.id === id)
    expect(failure && causeOf(failure)?.title).toBe(title)
  })
})

/** The clients in TypeScript, with other cells. */
function withCells(change: (cells: Cells) => Cells): Scoreboard {
  const changed = Object.entries(scoreboard.TypeScript).map(([name, result]) => [
    name,
    { ...result, cells: change(result.cells) },
  ])
  return { ...scoreboard, TypeScript: Object.fromEntries(changed) }
}

describe('a case that is newer than the run of a client', () => {
  const NEWER = 'query/form-array'
  const isTried = ({ name }: ClientView) => name === 'hey-api'
  const results = viewClients(scoreboard).filter(isTried)
  const before = viewClients(
    withCells((cells) => Object.fromEntries(Object.entries(cells).filter(([id]) => id !== NEWER))),
  ).filter(isTried)

  it('is counted in no figure', () => {
    const figuresOf = (clients: readonly ClientView[]) =>
      clients.map(({ levels, groups }) => [levels.core.cases, levels.extended.cases, groups.query.cases])
    expect(figuresOf(before)).toEqual(
      figuresOf(results).map(([core = 0, extended, query = 0]) => [core - 1, extended, query - 1]),
    )
  })

  it('is shown as not asked', () => {
    expect(renderScoreboard(results)).not.toContain('<td class="unasked">')
    expect(renderScoreboard(before).match(/<td class="unasked">.*?<\/td>/g)).toEqual([
      '<td class="unasked"><span class="visually-hidden">not asked</span></td>',
    ])
    const pagesOf = (clients: readonly ClientView[]) =>
      clients.map((client) => renderClient(client, { previous: undefined, next: undefined })).join()
    expect(pagesOf(results)).not.toContain('What it was not asked')
    expect(pagesOf(before)).toMatch(/What it was not asked.*<li id="query-form-array">/s)
  })
})

describe('a client of OpenAPI 3.2', () => {
  const [name = '', result] = Object.entries(scoreboard.Go)[0] ?? []
  const cells: Cells = Object.fromEntries(
    CASES.filter(({ versions }) => versions.includes('3.2')).map(({ id }) => [id, { verdict: 'pass' }]),
  )
  const views = viewClients({
    ...scoreboard,
    Go: { ...scoreboard.Go, ...(result && { [name]: { ...result, document: 'openapi-3.2.json', cells } }) },
  })

  it('is counted by the cases of its document, and is in its rows alone', () => {
    const newer = views.find((view) => view.name === name)
    expect(newer?.levels).toEqual({ core: { passed: 99, cases: 99 }, extended: { passed: 89, cases: 89 } })
    const boards = new Map(views.map((view) => [view.name, view.board]))
    expect([name, 'hey-api-3-2', 'hey-api'].map((one) => boards.get(one))).toEqual(['3.2', '3.2', '3.1'])
    const page = renderScoreboard(views)
    expect(page).toContain(`<th scope="col" data-client="${name}" data-language="Go" data-openapi="3.2">`)
    expect(page).toMatch(/<tr data-group="cookie" data-level="core" data-openapi="3.2" data-title="[^"]*">/)
    expect(page).not.toContain('<td class="unasked">')
  })
})

describe('a cell', () => {
  const CATALOGUE = {
    suite: SUITE,
    cases: [
      { id: 'path/a', group: 'path', versions: ['3.1', '3.0'] },
      { id: 'body/b', group: 'body', versions: ['3.1'] },
      { id: 'multipart/c', group: 'multipart', versions: ['3.1', '3.0'] },
      { id: 'cookie/raw', group: 'cookie', versions: ['3.2'] },
    ],
  }
  const COLUMN = { document: 'openapi.json', stops: [], skip: {} } as unknown as Column
  const NOTHING = new Map<string, string>()
  const resultOf = (change: Partial<Result>): Result => ({
    ...{ case: 'path/a', verdict: 'fail', reason: 'Other.', at: 1, received: 'b', encoding: null, expected: 'a' },
    part: 'path',
    ...change,
  })

  it('has what was sent and what was expected, and only its verdict if it passed', () => {
    const cells = makeCells(CATALOGUE, COLUMN, [resultOf({}), resultOf({ case: 'body/b', verdict: 'pass' })], NOTHING)
    expect(cells).toEqual({
      'path/a': { verdict: 'fail', reason: 'Other.', part: 'path', at: 1, received: 'b', expected: 'a' },
      'body/b': { verdict: 'pass' },
      'multipart/c': { verdict: 'missing' },
    })
  })

  it('says why the client did not call the case', () => {
    const stops = [{ cases: ['path/*'], message: 'no styles' }]
    const column: Column = { ...COLUMN, document: 'openapi-3.0.json', stops, skip: { 'multipart/c': 'by hand' } }
    expect(makeCells(CATALOGUE, column, [resultOf({})], NOTHING)).toEqual({
      'path/a': { verdict: 'stops', reason: 'no styles' },
      'body/b': { verdict: 'skipped', reason: 'OpenAPI 3.0 cannot say it.' },
      'multipart/c': { verdict: 'skipped', reason: 'by hand' },
    })
  })

  it('has what the client said if nothing came, or not the second request', () => {
    const errors = new Map([
      ['path/a', 'first'],
      ['body/b', 'second'],
    ])
    const incomplete = resultOf({
      case: 'body/b',
      verdict: 'incomplete',
      reason: null,
      part: null,
      at: null,
      received: null,
    })
    const cells = makeCells(CATALOGUE, COLUMN, [incomplete], errors)
    expect(cells['path/a']).toEqual({ verdict: 'missing', error: 'first' })
    expect(cells['body/b']).toEqual({ verdict: 'incomplete', expected: 'a', error: 'second' })
    const passed = makeCells(CATALOGUE, COLUMN, [resultOf({ verdict: 'pass' })], errors)
    expect(passed['path/a']).toEqual({ verdict: 'pass' })
  })

  it('is the same whatever the boundary of multipart is', () => {
    const bodyOf = (boundary: string) => `--${boundary}\r\nA: b\r\n\r\nblue\r\n--${boundary}--\r\n`
    const cellsOf = (received: string, encoding: Result['encoding'] = null) =>
      makeCells(CATALOGUE, COLUMN, [resultOf({ case: 'multipart/c', received, encoding, at: null })], NOTHING)
    const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64')
    const x = 'x'.repeat(32)
    const one = cellsOf(bodyOf('----1aB'))
    expect(one['multipart/c']?.received).toBe(bodyOf(x))
    expect(changedCells(one, cellsOf(bodyOf('----2cDE')))).toEqual([])
    expect(changedCells(one, cellsOf(bodyOf('----2cD').replace('blue', 'bleu')))).toEqual(['multipart/c'])
    const bytes = cellsOf(base64(`${bodyOf('12345')}\xff`), 'base64')
    expect(bytes['multipart/c']?.received).toBe(base64(`${bodyOf(x)}\xff`))
    const header = cellsOf('multipart/form-data; boundary="abc"')
    expect(header['multipart/c']?.received).toBe(`multipart/form-data; boundary="${x}"`)
  })
})

describe('the document in which each explode is the opposite', () => {
  interface Parameter {
    name: string
    style?: string
    explode?: boolean
  }
  type Paths = Record<string, Record<string, { parameters?: Parameter[] }>>
  const before: { paths: Paths } = JSON.parse(text)
  const after: { paths: Paths } = JSON.parse(withOppositeExplode(text))
  const explodesOf = ({ paths }: { paths: Paths }, path: string) =>
    Object.values(paths[path] ?? {}).flatMap(({ parameters = [] }) => parameters.map(({ explode }) => explode))

  it.each([
    ['/query/form-array-explode', false],
    ['/query/form-array', true],
    ['/path/label-object/{color}', true],
    ['/path/label-object-explode/{color}', false],
    ['/path/simple-object/{color}', true],
    ['/header/object-explode', false],
  ])('%s has explode: %s', (path, explode) => {
    expect(explodesOf(after, path)).toEqual([explode])
  })

  it.each(['/query/deep-object', '/query/space-array', '/query/form-string', '/path/label-string/{color}'])(
    '%s is as before, because its style or value has no other form',
    (path) => {
      expect(explodesOf(after, path)).toEqual(explodesOf(before, path))
    },
  )

  it('turned again, is the first one, but for what was the default', () => {
    const again: { paths: Paths } = JSON.parse(withOppositeExplode(withOppositeExplode(text)))
    for (const path of Object.keys(before.paths)) {
      for (const [index, explode] of explodesOf(again, path).entries()) {
        expect([explodesOf(before, path)[index], path]).toEqual([
          explodesOf(before, path)[index] === undefined ? undefined : explode,
          path,
        ])
      }
    }
  })
})
