import type { Level, PartName } from '../../../../laboratory/case.ts'
import type { KnownCase, Laboratory } from '../../../../laboratory/files.ts'
import { decisiveOf } from '../../../../laboratory/outcome.ts'
import type { GateLists } from '../../../domain/problems.ts'
import type { LabCounts, LabReport, LabResult } from '../../../schemas/lab-run.ts'
import { presentResult } from './outcome.ts'
import type { StoredResult, StoredRun } from './queries.ts'

/** A case of the suite, and what a run knows about it. */
export interface CaseState {
  id: string
  level: Level
  judged: KnownCase
  /** The part that was judged; undefined if nothing was, or if it was stored before parts had names. */
  part: PartName | null | undefined
  /** Undefined if it was never called. */
  result: LabResult | undefined
  /** Why it should fail; undefined if it should not. */
  expected: string | undefined
  /** Why it does not count; undefined if it does. */
  skipped: string | undefined
}

/** The state of every case, in the order of the catalogue. */
export function statesOf(
  { cases }: Laboratory,
  { expect, skip }: Pick<StoredRun, 'expect' | 'skip'>,
  stored: readonly StoredResult[],
): CaseState[] {
  const resultOf = new Map(stored.map((result) => [result.caseId, result]))
  return cases.map((judged) => {
    const result = resultOf.get(judged.id)
    return {
      id: judged.id,
      level: judged.level,
      judged,
      part: result && decisiveOf(judged, result.steps)?.part,
      result: result && presentResult(judged, result),
      expected: own(expect, judged.id),
      skipped: own(skip, judged.id) ?? own(skip, `${judged.id.split('/')[0]}/*`),
    }
  })
}

function own(reasons: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(reasons, name) ? reasons[name] : undefined
}

const COUNTED = {
  pass: 'pass',
  'non-strict': 'nonStrict',
  fail: 'fail',
  info: 'info',
  incomplete: 'incomplete',
} as const

/** How many cases have each outcome. A case in `skip` only counts as skipped. */
export function countStates(states: readonly CaseState[]): LabCounts {
  const counts = { cases: 0, pass: 0, nonStrict: 0, fail: 0, info: 0, incomplete: 0, missing: 0, skipped: 0 }
  for (const { skipped, result } of states) {
    counts.cases++
    if (skipped !== undefined) counts.skipped++
    else counts[result ? COUNTED[result.verdict] : 'missing']++
  }
  return counts
}

/** The counts of each level. */
export function summarise(states: readonly CaseState[]): LabReport['summary'] {
  const of = (level: Level) => countStates(states.filter((state) => state.level === level))
  return { core: of('core'), extended: of('extended'), open: of('open') }
}

/** The level of a gate: `core`, or `extended` for both. */
export type GateLevel = 'core' | 'extended'

/** Whether a gate asks for the cases of a level. */
export function isAskedFor(level: Level, gate: GateLevel): boolean {
  return level === 'core' || level === gate
}

/** Whether a case passed, strictly or not. */
export const hasPassed = ({ result }: CaseState): boolean =>
  result?.verdict === 'pass' || result?.verdict === 'non-strict'

/** What a gate has against a case; undefined if it has nothing. A case in `skip` never matters. */
export function complaintOf(state: CaseState, gate: GateLevel): keyof GateLists | undefined {
  const { level, result, expected, skipped } = state
  if (skipped !== undefined) return undefined
  if (expected !== undefined) return hasPassed(state) ? 'stale' : undefined
  if (!isAskedFor(level, gate)) return undefined
  if (!result) return 'missing'
  return result.verdict === 'fail' || result.verdict === 'incomplete' ? 'unexpected' : undefined
}

/** Whether any case of a gate has a verdict. A client that sends nothing never passes. */
export function isAnythingJudged(states: readonly CaseState[], gate: GateLevel): boolean {
  return states.some(
    (state) =>
      isAskedFor(state.level, gate) &&
      state.skipped === undefined &&
      (hasPassed(state) || state.result?.verdict === 'fail'),
  )
}

/** What keeps a run from passing a gate. */
export function judgeGate(states: readonly CaseState[], gate: GateLevel): GateLists & { passes: boolean } {
  const idsOf = (complaint: keyof GateLists) =>
    states.filter((state) => complaintOf(state, gate) === complaint).map(({ id }) => id)
  const lists = { unexpected: idsOf('unexpected'), missing: idsOf('missing'), stale: idsOf('stale') }
  const isEmpty = Object.values(lists).every((list) => list.length === 0)
  return { ...lists, passes: isEmpty && isAnythingJudged(states, gate) }
}
