import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Arrived, JudgedCase } from '../../../laboratory/case.ts'
import { decodeContent } from '../../../laboratory/content-coding.ts'
import { describeCatalogue } from '../../../laboratory/documents/catalogue.ts'
import { describeBench } from '../../../laboratory/documents/document.ts'
import { BODY_MAX_BYTES, cases, findCase, judgeAll, type SeenRequest } from '../../../laboratory/library.ts'
import type { Cells } from '../../../laboratory/scoreboard/results.ts'
import { CASES } from '../../../laboratory/suite/suite.ts'
import { ROOT } from '../../../scripts/lib/root.ts'
import { selectCases } from '../../../src/features/lab/select-cases.ts'
import { LANGUAGES, type LanguageName } from '../languages.ts'
import type { Catalogue, Result } from './bench.ts'
import { makeCells } from './cells.ts'
import type { Column } from './column.ts'
import { sourcesOf } from './judge.ts'
import type { SentRequest } from './recorder.ts'

// A column of the scoreboard is a function of its inputs. So its requests are stored, and judged anew in each run of the
// tests; the client itself is built and run only if an input is another one.

/** Everything that a client has sent to all cases. */
export interface Recording {
  /** The digest of what it was made from: `inputsOf`. */
  inputs: string
  /** What the driver printed, by case. */
  errors: Readonly<Record<string, string>>
  requests: readonly SentRequest[]
}

const fileOf = ({ name }: Column) => join(ROOT, 'test', 'interop', 'lab', 'recordings', `${name}.json.gz`)

/** The stored requests of a column; undefined if there are none. */
export async function readRecording(column: Column): Promise<Recording | undefined> {
  const file = fileOf(column)
  return existsSync(file) ? JSON.parse(gunzipSync(await readFile(file)).toString()) : undefined
}

export async function writeRecording(column: Column, recording: Recording): Promise<void> {
  await mkdir(join(fileOf(column), '..'), { recursive: true })
  await writeFile(fileOf(column), gzipSync(JSON.stringify(recording), { level: 9 }))
}

/** The document of a bench that a client is built from, without the date of its suite. */
function documentOf({ document, stops, skip }: Column): object {
  const without = [...stops.flatMap((stop) => stop.cases), ...Object.keys(skip)].join(',')
  const whole = describeBench(CASES, document === 'openapi-3.0.json' ? '3.0' : '3.1')
  const selected = selectCases(JSON.stringify(whole), without === '' ? {} : { without })
  return { ...selected, info: undefined }
}

/** What the cases answer that a client decodes, follows, or comes again for. */
async function answersOf(): Promise<string> {
  const answers = cases.map(({ id }) => {
    const { answer, redirect, script } = findCase(id)
    return { answer, redirect, script }
  })
  return JSON.stringify(answers) + (await readFile(join(ROOT, 'laboratory', 'retry-scripts.ts'), 'utf8'))
}

/**
 * The digest of everything that a column is made from: the document, what the cases answer, the input of each, the locks
 * of its packages (which name the compilers that are not the machine's), its driver, and how drivers are run.
 */
export async function inputsOf(column: Column): Promise<string> {
  const hash = createHash('sha256')
  hash.update(JSON.stringify(documentOf(column)))
  hash.update(await answersOf())
  hash.update(JSON.stringify(describeCatalogue(CASES)))
  for (const used of foldersOf(column.folder)) {
    for (const source of await sourcesOf(used)) hash.update(source)
  }
  return hash.digest('hex')
}

const foldersOf = (folder: LanguageName): LanguageName[] => [folder, ...(LANGUAGES[folder].uses ?? [])]

/** The cells of a column, from its stored requests, by the judge as it is now. */
export async function judgeRecording(column: Column, { errors, requests }: Recording): Promise<Cells> {
  const catalogue: Catalogue = { suite: '', cases }
  const results = await Promise.all(
    cases.map(async ({ id }) => {
      const judged = findCase(id)
      const own = requests.filter(({ method, url }) => method !== 'HEAD' && method !== 'OPTIONS' && isOf(url, id))
      const seen = await Promise.all(own.map((request) => arriveAt(judged, request)))
      if (seen.length === 0) return []
      const { verdict, reason, at, received, encoding, expected } = judgeAll(judged, seen)
      return [{ case: id, verdict, reason, at, received, encoding, expected } satisfies Result]
    }),
  )
  return makeCells(catalogue, column, results.flat(), new Map(Object.entries(errors)))
}

const pathOf = (id: string) => new RegExp(`^/+${id.replace('/', '/+')}(/[^?]*)?(?:\\?(.*))?$`, 's')

const isOf = (url: string, id: string) => pathOf(id).test(url)

async function arriveAt({ id }: JudgedCase, { at, method, url, headers, body }: SentRequest): Promise<SeenRequest> {
  const [, rest = '', query = ''] = pathOf(id).exec(url) ?? []
  // A header that is there twice is joined, as Fetch does it.
  const get = (name: string) => {
    const values = headers.filter(([one]) => one.toLowerCase() === name.toLowerCase()).map(([, value]) => value)
    return values.length > 0 ? values.join(', ') : null
  }
  const bytes = new Uint8Array(Buffer.from(body, 'base64'))
  const decoded: Pick<Arrived, 'body' | 'coding'> | undefined = await decodeContent(
    bytes,
    get('Content-Encoding'),
    BODY_MAX_BYTES,
  )
  if (!decoded) throw new Error(`What was sent to ${id} decodes to too much.`)
  return { at, arrived: { method, rest, query, headers: { get }, ...decoded } }
}
