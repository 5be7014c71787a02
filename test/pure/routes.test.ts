import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readRoutes } from '../../scripts/lib/read-routes.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { linesOf, PARTS, type Part, printLines } from '../../scripts/lib/route-lines.ts'

// What `npm run routes` prints.

const WIDTH_MAX = 160

const lines = linesOf(await readRoutes())
const printed = (...parts: Part[]) => printLines(lines, parts).split('\n').filter(Boolean)

/** The method and the path of each line. */
const surfaceOf = (rows: readonly string[]) =>
  rows.filter((row) => row.startsWith('  ')).map((row) => row.trim().split(/ +/).slice(0, 2).join(' '))

it('every operation of the OpenAPI documents has one line', async () => {
  const documents = await Promise.all(
    ['openapi.json', 'openapi-3.2.json'].map((name) => readFile(join(ROOT, 'documents', 'out', name), 'utf8')),
  )
  const documented = documents
    .map((text): { paths: Record<string, Record<string, { operationId?: string }>> } => JSON.parse(text))
    .flatMap(({ paths }) => Object.values(paths).flatMap((methods) => Object.values(methods)))
    .flatMap(({ operationId }) => operationId ?? [])
  expect(documented.length).toBeGreaterThan(200)
  const operations = lines.map(({ operation }) => operation)
  expect(documented.filter((id) => !operations.includes(id))).toEqual([])
  const surface = surfaceOf(printed())
  expect(surface).toHaveLength(lines.length)
  expect(new Set(surface).size).toBe(surface.length)
})

it('a line names the file that declares the route, also if a helper makes it', async () => {
  const fileOf = (id: string) => lines.find(({ operation }) => operation === id)?.file
  expect(fileOf('createPlanet')).toBe('src/features/planets/routes.ts')
  expect(fileOf('listGrants')).toBe('src/features/oauth/own-grants.ts')
  expect(fileOf('getPlanetPage')).toBe('src/site/planet/route.ts')
  for (const file of new Set(lines.map((line) => line.file))) {
    expect(await readFile(join(ROOT, file), 'utf8'), file).toMatch(/defineRoute|Own\(|answer|receive/)
  }
})

it('what answers before the routes has a line: it notes another path for the log', async () => {
  const files = await Array.fromAsync(glob('src/{features,site}/**/*.{ts,tsx}', { cwd: ROOT }))
  const texts = await Promise.all(files.map(async (file) => [file, await readFile(join(ROOT, file), 'utf8')] as const))
  const answering = texts.filter(([, text]) => text.includes("c.set('routePath'")).map(([file]) => file)
  const listed = lines.filter(({ method }) => method === 'any').map(({ file }) => file)
  expect(answering.toSorted()).toEqual([...new Set(listed)].toSorted())
})

it(`a line has at most ${WIDTH_MAX} columns, below the name of its feature`, () => {
  expect(printed().filter((row) => row.length > WIDTH_MAX)).toEqual([])
  expect(printed().slice(0, 2)).toEqual(['planets', expect.stringMatching(/^ {2}GET {5}\/planets +getAllData +src\//)])
  const headings = printed().filter((row) => !row.startsWith(' '))
  expect(new Set(headings).size).toBe(headings.length)
})

it('the parts leave nothing out', () => {
  expect(new Set(PARTS.flatMap((part) => surfaceOf(printed(part))))).toEqual(new Set(surfaceOf(printed())))
  expect(printed(...PARTS)).toEqual(printed())
})

it('each part is what it says', () => {
  const [users, pages, lab] = PARTS.map((part) => surfaceOf(printed(part)))
  expect(lab?.every((line) => / \/lab\b/.test(line))).toBe(true)
  expect(users).toEqual(expect.arrayContaining(['POST /planets', 'GET /', 'WS /ws/v2/system/events', 'ANY /echo/*']))
  expect(users?.filter((line) => lab?.includes(line))).toEqual([])
  expect(users).not.toContain('GET /walk')
  expect(pages).toEqual(expect.arrayContaining(['GET /', 'GET /walk', 'GET /lab', 'POST /oauth/sign-in']))
  expect(pages).not.toContain('POST /planets')
})
