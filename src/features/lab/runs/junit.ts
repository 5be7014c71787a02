import type { Laboratory } from '../../../../laboratory/files.ts'
import { type JUnitCase, writeJUnit } from '../../../xml/junit.ts'
import { type CaseState, complaintOf, type GateLevel, isAnythingJudged, isAskedFor } from './summary.ts'

type Run = { tool: string; version: string } & Pick<Laboratory, 'suite'>

type Outcome = Pick<JUnitCase, 'failure' | 'skipped' | 'output'>

/**
 * The results of a run in the format of JUnit, a suite for each group. What fails is what the gate complains about. It
 * has no times, so equal requests make equal files.
 */
export function toJUnit(states: readonly CaseState[], gate: GateLevel, { tool, version, suite }: Run): string {
  const cases = states.map((state): JUnitCase => {
    const [group = '', name = ''] = state.id.split('/')
    return { suite: group, name, ...outcomeOf(state, gate) }
  })
  // Otherwise a client that sends nothing would pass if all of its cases are skipped.
  if (!isAnythingJudged(states, gate)) cases.push({ suite: 'gate', name: 'judged', ...fail('No case was judged.') })
  return writeJUnit({ name: `${tool} ${version}, suite ${suite}` }, cases)
}

function outcomeOf(state: CaseState, gate: GateLevel): Outcome {
  const { result, skipped, expected, level } = state
  if (skipped !== undefined) return { skipped }
  const complaint = complaintOf(state, gate)
  if (complaint === 'stale') return fail(`It passed, so it does not belong in expect: ${expected}`)
  if (complaint === 'missing') return fail('It was never called.')
  if (complaint === 'unexpected') return fail(result?.reason ?? 'It was begun and not finished.')
  if (expected !== undefined) return { skipped: expected }
  if (!result) return { skipped: 'It was never called.' }
  if (result.verdict === 'info') return { output: result.reason ?? '' }
  // Above the level of the gate, a fault is no failure, but no success either.
  const isFault = result.verdict === 'fail' || result.verdict === 'incomplete'
  if (isFault && !isAskedFor(level, gate)) return { skipped: result.reason ?? 'It was begun and not finished.' }
  return {}
}

const fail = (message: string): Outcome => ({ failure: { message } })
