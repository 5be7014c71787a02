import type { PartName, Version } from '../case.ts'

// What docs/scoreboard.json contains: the last result of each client. `npm run scoreboard` writes it, and the build makes
// the page /lab/scoreboard of it.

/** Languages of the scoreboard, in its order. Importers send the examples of a document as they are. */
export const SHOWN_LANGUAGES = [
  'TypeScript',
  'Python',
  'Go',
  'Java',
  'Kotlin',
  'Rust',
  'Ruby',
  'PHP',
  'Importer',
] as const
export type ShownLanguage = (typeof SHOWN_LANGUAGES)[number]

/** The documents of a bench from which clients are made, with their versions of OpenAPI. */
export const DOCUMENTS = { 'openapi.json': '3.1', 'openapi-3.0.json': '3.0', 'openapi-3.2.json': '3.2' } as const
export type DocumentName = keyof typeof DOCUMENTS

/** The versions between which the scoreboard lets choose. A client of 3.0 is among those of 3.1, which lacks no case of it. */
export const BOARDS = ['3.1', '3.2'] as const satisfies readonly Version[]
export type Board = (typeof BOARDS)[number]

/** The version whose cases count for a client of a document. */
export const boardOf = (document: DocumentName): Board => (DOCUMENTS[document] === '3.2' ? '3.2' : '3.1')

/**
 * What the scoreboard says about a case and a client. Absent members have no value. A case that passed has none but its
 * verdict, because more than one request can be right.
 */
export interface Cell {
  /**
   * As in the results of a run, or: `missing`, no request came; `skipped`, the tool leaves it to its user, or the
   * document cannot say it; `stops`, the generator or its compiler stops at it.
   */
  verdict: 'pass' | 'non-strict' | 'fail' | 'info' | 'incomplete' | 'missing' | 'skipped' | 'stops'
  reason?: string
  /** The name of the part that was judged. */
  part?: PartName
  /** The byte in `received` at which it differs. */
  at?: number
  /** That part of the request. The boundary of multipart is a row of 32 `x`, and `at` counts these. */
  received?: string
  encoding?: 'base64'
  /** The form that we would send. */
  expected?: string
  /** What the client said when a request, or the second one, did not come. */
  error?: string
}

/** By the ids of cases, in the order of the catalogue. Cases that are newer than the run, or not on its board, have none. */
export type Cells = Readonly<Record<string, Cell>>

/** The last result of a client. */
export interface ClientResult {
  tool: string
  version: string
  /** The document that it was generated from. */
  document: DocumentName
  /**
   * The command that generates it, with the name of the document, and `client` for the folder that it writes. Absent if
   * the client reads the document when it is used.
   */
  command?: string
  /** The folder of the program that calls its operations, from the root of the project. */
  driver: string
  /** The day of the run, in UTC. */
  date: string
  /** The date of the suite. */
  suite: string
  cells: Cells
}

/** By language and name of a client. Each language is there, also one without clients. */
export type Scoreboard = Readonly<Record<ShownLanguage, Readonly<Record<string, ClientResult>>>>

/** Whether a case passed, strictly or not. */
export const hasPassed = (cell: Cell | undefined) => cell?.verdict === 'pass' || cell?.verdict === 'non-strict'

/** Whether a case was called, or should have been, and did not pass. */
export const hasFailed = (cell: Cell | undefined) =>
  cell?.verdict === 'fail' || cell?.verdict === 'incomplete' || cell?.verdict === 'missing'
