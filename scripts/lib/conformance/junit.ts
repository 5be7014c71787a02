import { countCases, type JUnitCase, writeJUnit } from '../../../src/xml/junit.ts'
import { clean } from './clean.ts'
import { explainFailure } from './report.ts'
import type { Result } from './run-checks.ts'

/** The results as JUnit XML: a suite for each part of the interface. */
export function toJUnit(address: string, results: readonly Result[]): string {
  return writeReport(address, results.map(toCase))
}

/** The report if nothing was checked, or if the run does not reach its end: one case that failed. */
export function toEmptyJUnit(address: string, reason: string): string {
  const failure = { message: clean(reason) }
  return writeReport(address, [{ suite: 'Conformance', name: 'the service can be checked', ms: 0, failure }])
}

function writeReport(address: string, cases: readonly JUnitCase[]): string {
  return writeJUnit({ name: clean(`Conformance of ${address}`), ...countCases(cases) }, cases)
}

function toCase({ check, ms, failure, reason }: Result): JUnitCase {
  return {
    suite: clean(check.part),
    name: clean(check.row),
    ms,
    ...(failure && { failure: { message: clean(failure.message), text: clean(explainFailure(failure)) } }),
    ...(reason !== undefined && { skipped: clean(reason) }),
  }
}
