import { CASE_FILES, type Laboratory } from '../case-files.ts'
import { CASES, SUITE } from '../suite/suite.ts'
import { describeCatalogue } from './catalogue.ts'
import { judgedCaseOf } from './judged.ts'
import { renderCases } from './page.tsx'
import { describeParts } from './parts.ts'

// Everything that the build writes about the cases. The Worker contains none of this code.

/** A file for the Worker. */
export interface CaseFile {
  name: string
  text: string
}

/** @param writeYaml Writes a document as YAML */
export function describeCases(writeYaml: (document: object) => string): CaseFile[] {
  const json = { write: (value: object) => JSON.stringify(value, null, 2), isJson: true }
  const yaml = { write: (value: object) => withNumbers(writeYaml(replaceNumbers(value))), isJson: false }
  return [
    {
      name: CASE_FILES.judged,
      text: JSON.stringify({ suite: SUITE, cases: CASES.map(judgedCaseOf) } satisfies Laboratory),
    },
    { name: CASE_FILES.catalogue, text: `${JSON.stringify(describeCatalogue(CASES), null, 2)}\n` },
    { name: CASE_FILES.json, text: JSON.stringify(describeParts(CASES, '3.1', json)) },
    { name: CASE_FILES.yaml, text: JSON.stringify(describeParts(CASES, '3.1', yaml)) },
    { name: CASE_FILES.json30, text: JSON.stringify(describeParts(CASES, '3.0', json)) },
    { name: CASE_FILES.page, text: renderCases(CASES) },
  ]
}

/** Stands for a number with these digits, because the writer of YAML knows only doubles. */
const NUMBER = /number\(([^)]+)\)/g

function replaceNumbers(value: object): object {
  return Array.isArray(value) ? value.map(replaceNumber) : mapMembers(value)
}

function replaceNumber(value: unknown): unknown {
  if (JSON.isRawJSON(value)) return `number(${value.rawJSON})`
  return typeof value === 'object' && value !== null ? replaceNumbers(value) : value
}

function mapMembers(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaceNumber(member)]))
}

/** Numbers with an exponent have a point, because readers of YAML 1.1 would take them for texts. */
function withNumbers(yaml: string): string {
  return yaml.replaceAll(NUMBER, (_, digits: string) => digits.replace(/^(-?\d+)e/, '$1.0e')).replace(/\n$/, '')
}
