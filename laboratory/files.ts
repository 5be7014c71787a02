import type { JudgedCase } from './case.ts'
import type { CaseRules } from './rule.ts'

// The files about the cases. The build writes them (documents/files.ts, pages/), and the Worker reads them.

export const CASE_FILES = {
  judged: 'judged.json',
  catalogue: 'cases.json',
  rules: 'rules.json',
  json: 'openapi-3.1.json',
  yaml: 'openapi-3.1.yaml',
  json30: 'openapi-3.0.json',
  json32: 'openapi-3.2.json',
  yaml32: 'openapi-3.2.yaml',
  // The contents of the pages /lab/scoreboard and /lab. The runtime would redirect `.html`.
  scoreboard: 'scoreboard.txt',
  page: 'page.txt',
} as const

/** The name of the file with the content of the page about a client of the scoreboard. */
export const clientFile = (name: string) => `client-${name}.txt`

/** The name of the file with a case as JSON, or with the content of its page. */
export const caseFile = (id: string, kind: 'json' | 'txt') => `case-${id.replace('/', '-')}.${kind}`

/** A file for the Worker. */
export interface CaseFile {
  name: string
  text: string
}

/** Stands for the URL of the bench in a document. */
export const BENCH_PLACEHOLDER = 'https://bench.invalid'

/** The name that the document in OpenAPI 3.2 has for itself, below `self/` of its bench. Nothing is served there. */
export const SELF_NAME = 'openapi-3.2'

export interface Laboratory {
  /** The date of the suite. */
  suite: string
  /** In the order of the catalogue. */
  cases: readonly JudgedCase[]
}

/** What decides, for reports of runs. */
export interface RuleTexts {
  /** In HTML. */
  texts: readonly string[]
  /** By the id of the case: places in `texts`. */
  cases: Readonly<Record<string, CaseRules<number>>>
}
