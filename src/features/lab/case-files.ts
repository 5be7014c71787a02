import { readBuiltFile } from '../../lib/built-file.ts'
import type { JudgedCase } from './case.ts'

// The files about the cases. The build writes them (documents/files.ts), and the Worker reads them.

/** The folder of the files among those that the Worker can read. Clients cannot read it. */
const FOLDER = '/documents/lab'

/** The names of the files. */
export const CASE_FILES = {
  judged: 'judged.json',
  catalogue: 'cases.json',
  json: 'openapi-3.1-json.json',
  yaml: 'openapi-3.1-yaml.json',
  json30: 'openapi-3.0-json.json',
  // The contents of the pages /lab/scoreboard and /lab. The runtime would redirect `.html`.
  scoreboard: 'scoreboard.txt',
  page: 'page.txt',
} as const

/** Stands for the URL of the bench in the head of a document. */
export const BENCH_PLACEHOLDER = 'https://bench.invalid'

/** The key of what belongs to every selection that has a case. */
export const EVERY_SELECTION = '*'

/** A section of a document, which is written as `open`, its items and `close`, or as `empty`. */
export interface PartsSection {
  open: string
  close: string
  empty: string
  /** The items by their key: the id of a case, a group (`query/*`), or `EVERY_SELECTION`. */
  items: Readonly<Record<string, string>>
}

/** An OpenAPI document in parts: its text is `head`, the sections and `tail`. The second section has all cases. */
export interface DocumentParts {
  /** The ids of all cases, also of those that the version of the document cannot say. */
  ids: readonly string[]
  head: string
  /** Between two items of a section. */
  separator: string
  sections: readonly [tags: PartsSection, paths: PartsSection, components: PartsSection]
  tail: string
}

/** Reads a file as it is. @throws What `readBuiltFile` throws */
export async function readCaseFile(assets: Fetcher, file: keyof typeof CASE_FILES): Promise<string> {
  return await readBuiltFile(assets, `${FOLDER}/${CASE_FILES[file]}`)
}

/** All cases that are judged. */
export interface Laboratory {
  /** The date of the suite. */
  suite: string
  /** In the order of the catalogue. */
  cases: readonly JudgedCase[]
}

/** What was read, by the binding that it was read from, because parsing it takes longer than judging a request. */
const READ = new WeakMap<Fetcher, Laboratory>()

/**
 * Reads all cases that are judged, once. Concurrent requests may all read them, because the runtime does not let a
 * request wait for the work of another.
 *
 * @throws What `readBuiltFile` throws. The next call tries again
 */
export async function readLaboratory(assets: Fetcher): Promise<Laboratory> {
  const read = READ.get(assets)
  if (read) return read
  const laboratory: Laboratory = JSON.parse(await readCaseFile(assets, 'judged'))
  READ.set(assets, laboratory)
  return laboratory
}
