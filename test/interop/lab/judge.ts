import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { type Cells, DOCUMENTS } from '../../../laboratory/scoreboard/results.ts'
import { run } from '../journey.ts'
import { folderOf, LANGUAGES, type LanguageName, locksOf } from '../languages.ts'
import { beginRun, type Catalogue, type CatalogueCase, readCatalogue, readDocument, readResults } from './bench.ts'
import { casesOf, changedCells, makeCells } from './cells.ts'
import type { Column } from './column.ts'
import { judgeRecording } from './judge-recording.ts'
import { GROUPS_WITH_EXPLODE, withOppositeExplode } from './opposite.ts'
import { record } from './recorder.ts'
import type { Recording } from './recordings.ts'

/** Which document a client is generated from: of all cases that do not stop it, of the opposite, or of this case alone. */
type Reading = 'as it is' | 'opposite' | CatalogueCase

/**
 * Builds the client of a column, unless it is there already: from the same document, packages and sources.
 *
 * @param service URL of a running service
 * @param reading `opposite`: from a document that has only the groups with `explode`, and each is the opposite. A
 *   case: from one that has only this case, even if it stops the generator
 * @returns The folder with the client
 * @throws Error with everything that was printed, if a command fails
 */
export async function buildColumn(column: Column, service: string, reading: Reading = 'as it is'): Promise<string> {
  const document = await readFor(column, service, reading)
  const suffix = reading === 'as it is' ? '' : reading === 'opposite' ? '-opposite' : '-alone'
  const name = `${column.name}${suffix}`
  const output = join(folderOf(column.folder), 'build', 'lab', name)
  const stamp = `${output}.sha256`
  const checksum = await checksumOf(column.folder, document)
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === checksum) return output
  await rm(stamp, { force: true })
  await rm(output, { recursive: true, force: true })
  await mkdir(output, { recursive: true })
  const file = join(dirname(output), `${name}.openapi.json`)
  await writeFile(file, document)
  await column.build(file, output)
  await writeFile(stamp, checksum)
  return output
}

async function readFor(column: Column, service: string, reading: Reading): Promise<string> {
  const skipped = Object.keys(column.skip)
  const without = [...column.stops.flatMap(({ cases }) => cases), ...skipped]
  if (reading === 'as it is') return await readDocument(service, column.document, without)
  if (reading !== 'opposite') return await readDocument(service, column.document, skipped, [reading.id])
  const stopped = [...without, ...(column.oppositeStops ?? [])]
  return withOppositeExplode(await readDocument(service, column.document, stopped, GROUPS_WITH_EXPLODE))
}

/** Of everything that a client is built from. */
async function checksumOf(folder: LanguageName, document: string): Promise<string> {
  const hash = createHash('sha256').update(document)
  for (const used of [folder, ...(LANGUAGES[folder].uses ?? [])]) {
    for (const source of await sourcesOf(used)) hash.update(source)
  }
  return hash.digest('hex')
}

/** What clients of a folder are built with: a digest of its lock files, and the names and contents of its drivers. */
export async function sourcesOf(language: LanguageName): Promise<(string | Buffer)[]> {
  const folder = join(folderOf(language), 'lab')
  const entries = await Array.fromAsync(glob('**/*', { cwd: folder, withFileTypes: true }))
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const contents = await Promise.all(
    files.toSorted().map(async (file) => [relative(folder, file), await readFile(file)] as const),
  )
  return [locksOf(language), ...contents.flat()]
}

/** Of all clients, so that the machine's does not change what they send. In it, a date that is read as UTC is the day before. */
const TIME_ZONE = 'America/New_York'

/** Longest text of an error in a cell. */
const ERROR_CHARACTERS = 200
/** Longest reason that a run takes. */
const REASON_CHARACTERS = 200

/**
 * Lets a client call every case, as a run of the service.
 *
 * @param output The folder with the client
 * @throws Error with everything that the client printed, if it did not go through all cases
 */
export async function judgeColumn(column: Column, output: string, service: string): Promise<Cells> {
  return (await recordColumn(column, output, service)).cells
}

/**
 * Lets a client call every case, as `judgeColumn` does, and records what it sends. The cells are judged from the record,
 * because the verdicts of the service do not name the part that was judged.
 *
 * @throws Error as `judgeColumn`, or if the service judges otherwise
 */
export async function recordColumn(
  column: Column,
  output: string,
  service: string,
): Promise<{ cells: Cells } & Omit<Recording, 'inputs'>> {
  const catalogue = await readCatalogue(service)
  const stopped = column.stops.flatMap(({ cases, message }) =>
    cases.map((id) => [id, message.slice(0, REASON_CHARACTERS)]),
  )
  const asked = casesOf(catalogue.cases, column.document)
  const others = catalogue.cases.filter((one) => !asked.includes(one)).map(({ id }) => id)
  const bench = await beginRun(service, {
    tool: column.tool,
    openapi: DOCUMENTS[column.document],
    version: await column.version(),
    skip: { ...column.skip, ...Object.fromEntries(stopped) },
  })
  const { command, cwd, env } = column.command(output)
  const recorder = await record(bench)
  const printed = await run(command, cwd, {
    TZ: TIME_ZONE,
    ...env,
    LAB_URL: recorder.url,
    LAB_SKIP: [...Object.keys(column.skip), ...others].join(','),
  })
  const requests = await recorder.stop()
  const errors = errorsIn(printed, recorder.url, catalogue)
  const recording = { cases: asked.map(({ id }) => id), errors: Object.fromEntries(errors), requests }
  const cells = judgeRecording(column, recording)
  const answered = makeCells(catalogue, column, await readResults(bench), errors)
  const changed = changedCells(answered, withoutParts(cells))
  if (changed.length > 0) throw new Error(`What ${column.name} sent is judged otherwise when it is read: ${changed}`)
  return { cells, ...recording }
}

const withoutParts = (cells: Cells): Cells =>
  Object.fromEntries(Object.entries(cells).map(([id, { part: _, ...cell }]) => [id, cell]))

/** What a driver printed: a line of JSON for each call that failed. */
function errorsIn(printed: string, bench: string, { cases }: Catalogue): Map<string, string> {
  const lines = printed.split('\n').filter((line) => line.trim() !== '')
  const entries = lines.map((line): [string, string] => {
    const { case: id, error } = JSON.parse(line)
    if (!cases.some((one) => one.id === id)) throw new Error(`A driver prints nothing but errors of cases: ${line}`)
    const [first = ''] = String(error)
      .replaceAll(bench, '{bench}')
      .replaceAll(new URL(bench).host, '{host}')
      .trim()
      .split('\n')
    return [id, first.slice(0, ERROR_CHARACTERS)]
  })
  return new Map(entries)
}

/** Whether a case still stops a column: it cannot be built with this case alone, or does not call it. */
export async function isStopped(column: Column, one: CatalogueCase, service: string): Promise<boolean> {
  const alone = { ...column, stops: [] }
  try {
    const output = await buildColumn(alone, service, one)
    const cells = await judgeColumn(alone, output, service)
    return cells[one.id]?.verdict === 'missing'
  } catch {
    return true
  }
}
