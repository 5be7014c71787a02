import { CASE_FILES, type CaseFile, type Laboratory } from '../files.ts'
import { CASES, SUITE } from '../suite/suite.ts'
import { describeCatalogue } from './catalogue.ts'
import { describeBench } from './document.ts'
import { judgedCaseOf } from './judged.ts'

/** Everything that the build writes about the cases. @param writeYaml Writes a document as YAML */
export function describeCases(writeYaml: (document: object) => string): CaseFile[] {
  const judged: Laboratory = { suite: SUITE, cases: CASES.map(judgedCaseOf) }
  const [newest, current] = [describeBench(CASES, '3.2'), describeBench(CASES, '3.1')]
  const printYaml = (document: object) => withNumbers(writeYaml(replaceNumbers(document)))
  return [
    { name: CASE_FILES.judged, text: JSON.stringify(judged) },
    { name: CASE_FILES.catalogue, text: printJson(describeCatalogue(CASES)) },
    { name: CASE_FILES.json, text: printJson(current) },
    { name: CASE_FILES.yaml, text: printYaml(current) },
    { name: CASE_FILES.json30, text: printJson(describeBench(CASES, '3.0')) },
    { name: CASE_FILES.json32, text: printJson(newest) },
    { name: CASE_FILES.yaml32, text: printYaml(newest) },
  ]
}

const printJson = (value: object) => `${JSON.stringify(value, null, 2)}\n`

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
  return yaml.replaceAll(NUMBER, (_, digits: string) => digits.replace(/^(-?\d+)e/, '$1.0e'))
}
