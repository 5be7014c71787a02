import { XMLBuilder } from 'fast-xml-parser'
import { clean } from './clean.ts'
import { explainFailure } from './report.ts'
import type { Result } from './run-checks.ts'

const builder = new XMLBuilder({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  textNodeName: '#text',
  format: true,
})

/** The results as JUnit XML: a suite for each part of the interface. */
export function toJUnit(address: string, results: readonly Result[]): string {
  const parts = Map.groupBy(results, ({ check }) => check.part)
  const suites = Array.from(parts, ([part, partResults]) => ({
    '@name': clean(part),
    ...counts(partResults),
    testcase: partResults.map(toCase),
  }))
  const testsuites = { '@name': clean(`Conformance of ${address}`), ...counts(results), testsuite: suites }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build({ testsuites })}`
}

/** The report if nothing was checked, or if the run does not reach its end: one case that failed. */
export function toEmptyJUnit(address: string, reason: string): string {
  const attributes = { '@tests': 1, '@failures': 1, '@skipped': 0, '@time': seconds(0) }
  const testcase = {
    '@classname': 'Conformance',
    '@name': 'the service can be checked',
    '@time': seconds(0),
    failure: { '@message': clean(reason) },
  }
  const name = clean(`Conformance of ${address}`)
  const testsuites = { '@name': name, ...attributes, testsuite: { '@name': 'Conformance', ...attributes, testcase } }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build({ testsuites })}`
}

function counts(results: readonly Result[]): Record<string, number | string> {
  const count = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome).length
  const ms = results.reduce((sum, result) => sum + result.ms, 0)
  return {
    '@tests': results.length,
    '@failures': count('failed'),
    '@skipped': count('not tried'),
    '@time': seconds(ms),
  }
}

function toCase({ check, ms, failure, reason }: Result): object {
  const attributes = { '@classname': clean(check.part), '@name': clean(check.row), '@time': seconds(ms) }
  if (failure) {
    const text = clean(explainFailure(failure))
    return { ...attributes, failure: { '@message': clean(failure.message), '#text': text } }
  }
  return reason === undefined ? attributes : { ...attributes, skipped: { '@message': clean(reason) } }
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3)
