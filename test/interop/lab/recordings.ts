import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describeCatalogue } from '../../../laboratory/documents/catalogue.ts'
import { describeBench } from '../../../laboratory/documents/document.ts'
import { cases, findCase } from '../../../laboratory/library.ts'
import { DOCUMENTS } from '../../../laboratory/scoreboard/results.ts'
import { CASES } from '../../../laboratory/suite/suite.ts'
import { ROOT } from '../../../scripts/lib/root.ts'
import { selectCases } from '../../../src/features/lab/select-cases.ts'
import { LANGUAGES, type LanguageName } from '../languages.ts'
import { casesOf } from './cells.ts'
import type { Column } from './column.ts'
import { sourcesOf } from './judge.ts'
import type { SentRequest } from './recorder.ts'

// A column of the scoreboard is a function of its inputs. So its requests are stored, and judged anew in each run of the
// tests; the client itself is built and run only if an input is another one.

/** Everything that a client has sent to all cases. */
export interface Recording {
  /** The digest of what it was made from: `inputsOf`. */
  inputs: string
  /** The ids of the cases that it was asked, in the order of the catalogue. Those that are newer are missing. */
  cases: readonly string[]
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
  const whole = describeBench(CASES, DOCUMENTS[document])
  const selected = selectCases(JSON.stringify(whole), without === '' ? {} : { without })
  return { ...selected, info: undefined }
}

/** What the cases answer that a client decodes, follows, or comes again for. */
async function answersOf({ document }: Column): Promise<string> {
  const answers = casesOf(cases, document).map(({ id }) => {
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
  hash.update(await answersOf(column))
  hash.update(JSON.stringify(describeCatalogue(casesOf(CASES, column.document))))
  for (const used of foldersOf(column.folder)) {
    for (const source of await sourcesOf(used)) hash.update(source)
  }
  return hash.digest('hex')
}

const foldersOf = (folder: LanguageName): LanguageName[] => [folder, ...(LANGUAGES[folder].uses ?? [])]
