import type { Laboratory } from '../../../../laboratory/files.ts'
import { escapeAttribute, escapeText } from '../../../xml/characters.ts'
import { type CaseState, complaintOf, type GateLevel, isAnythingJudged, isAskedFor } from './summary.ts'

type Run = { tool: string; version: string } & Pick<Laboratory, 'suite'>

/**
 * The results of a run in the format of JUnit, a suite for each group. What fails is what the gate complains about. It
 * has no times, so equal requests make equal files.
 */
export function writeJUnit(states: readonly CaseState[], gate: GateLevel, { tool, version, suite }: Run): string {
  const groups = Map.groupBy(states, ({ id }) => id.split('/')[0] ?? '')
  const suites = [...groups].map(([group, cases]) =>
    writeSuite(
      group,
      cases.map((state) => writeCase(state, gate)),
    ),
  )
  // Otherwise a client that sends nothing would pass if all of its cases are skipped.
  if (!isAnythingJudged(states, gate))
    suites.push(writeSuite('gate', [testCase('gate', 'judged', failure('No case was judged.'))]))
  const name = escapeAttribute(`${tool} ${version}, suite ${suite}`)
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${name}">\n${suites.join('')}</testsuites>\n`
}

function writeSuite(name: string, cases: readonly string[]): string {
  const count = (element: string) => cases.filter((text) => text.includes(`<${element} `)).length
  const counts = `tests="${cases.length}" failures="${count('failure')}" errors="0" skipped="${count('skipped')}"`
  return `  <testsuite name="${name}" ${counts}>\n${cases.join('')}  </testsuite>\n`
}

function writeCase(state: CaseState, gate: GateLevel): string {
  const [group = '', name = ''] = state.id.split('/')
  return testCase(group, name, outcomeOf(state, gate))
}

/** What is in the element of a case; empty if it passed. */
function outcomeOf(state: CaseState, gate: GateLevel): string {
  const { result, skipped, expected, level } = state
  if (skipped !== undefined) return element('skipped', skipped)
  const complaint = complaintOf(state, gate)
  if (complaint === 'stale') return failure(`It passed, so it does not belong in expect: ${expected}`)
  if (complaint === 'missing') return failure('It was never called.')
  if (complaint === 'unexpected') return failure(result?.reason ?? 'It was begun and not finished.')
  if (expected !== undefined) return element('skipped', expected)
  if (!result) return element('skipped', 'It was never called.')
  if (result.verdict === 'info') return `<system-out>${escapeText(result.reason ?? '')}</system-out>`
  // Above the level of the gate, a fault is no failure, but no success either.
  const isFault = result.verdict === 'fail' || result.verdict === 'incomplete'
  if (isFault && !isAskedFor(level, gate)) return element('skipped', result.reason ?? 'It was begun and not finished.')
  return ''
}

const failure = (message: string) => element('failure', message)

function element(name: 'failure' | 'skipped', message: string): string {
  return `<${name} message="${escapeAttribute(message)}"/>`
}

function testCase(group: string, name: string, content: string): string {
  const start = `    <testcase classname="${group}" name="${name}"`
  return content === '' ? `${start}/>\n` : `${start}>${content}</testcase>\n`
}
