import { type Check, nameOf } from './check.ts'
import { clean } from './clean.ts'
import type { Result } from './run-checks.ts'

const OUTCOME_WIDTH = 'not tried'.length
const MS_WIDTH = 7

/** A line of the table. @param all All checks of the run, for the width of the first column */
export function lineOf({ check, outcome, ms }: Result, all: readonly Check[]): string {
  const width = Math.max(...all.map((one) => nameOf(one).length))
  return `${nameOf(check).padEnd(width)}  ${outcome.padEnd(OUTCOME_WIDTH)}  ${String(ms).padStart(MS_WIDTH)}`
}

/** What is wrong, and what could not be tried. */
export function explain(results: readonly Result[]): string {
  return clean(results.map(explainOne).filter(Boolean).join('\n'))
}

function explainOne({ check, failure, reason }: Result): string {
  if (reason !== undefined) return `\n${nameOf(check)}\n  not tried: ${reason}`
  if (!failure) return ''
  return `\n${nameOf(check)}\n${indent(explainFailure(failure))}`
}

export function explainFailure({ expected, actual, request }: NonNullable<Result['failure']>): string {
  const lines = [`expected: ${expected}`, `actual: ${actual}`]
  return [...(request === undefined ? [] : [`request: ${request}`]), ...lines].join('\n')
}

const indent = (text: string): string => text.replaceAll(/^/gm, '  ')

/** The number of checks of each outcome. */
export function summarize(results: readonly Result[], total: number): string {
  const count = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome).length
  const missing = total - results.length
  const parts = [`${count('passed')} passed`, `${count('failed')} failed`, `${count('not tried')} not tried`]
  return `${total} rows: ${[...parts, ...(missing > 0 ? [`${missing} not reached`] : [])].join(', ')}.`
}
