import { GROUPS, type Group, type Level } from '../case.ts'
import type { Case } from '../suite/declare.ts'
import { CASES } from '../suite/suite.ts'
import { CAUSES, type Cause } from './causes.ts'
import { textOf } from './excerpt.ts'
import { type Cell, type ClientResult, hasFailed, hasPassed, type Scoreboard } from './results.ts'

// What the scoreboard shows: the page, and the table of clients in docs/lab.md.

/** How many cases of a level or a group passed. Cases that a client skips or stops at are among them. */
export interface Count {
  passed: number
  cases: number
}

export interface ClientView extends Omit<ClientResult, 'cells'> {
  name: string
  language: string
  levels: Readonly<Record<Exclude<Level, 'open'>, Count>>
  /** Without open cases. */
  groups: Readonly<Record<Group, Count>>
  /** What the tool leaves to its user, and at which cases the generator stops: reasons with cases. */
  skipped: readonly ReasonView[]
  stopped: readonly ReasonView[]
}

export interface ReasonView {
  reason: string
  /** Ids, or `group/*` if it is all of a group. */
  cases: readonly string[]
}

/** What several clients sent that is the same. */
export interface EntryView {
  cell: Cell
  clients: readonly string[]
}

export interface CaseView {
  spec: Case
  /** By the names of clients. Undefined if a client has no result for the case. */
  cells: Readonly<Record<string, Cell | undefined>>
  /** What did not simply pass, and was neither skipped nor stopped at. */
  entries: readonly EntryView[]
}

export interface CauseView extends Cause {
  clients: readonly string[]
  /** The ids of the cases that failed by it, in the order of the catalogue. */
  failed: readonly string[]
  /** How many cells failed by it. */
  count: number
  cell: Cell
  /** The section that decides the evidence. */
  specification: string
}

export interface ScoreboardView {
  clients: readonly ClientView[]
  cases: readonly CaseView[]
  causes: readonly CauseView[]
}

export interface PlacedCell {
  client: string
  spec: Case
  cell: Cell
}

/** @throws Error if the evidence of a cause is no cell that failed */
export function viewScoreboard(scoreboard: Scoreboard): ScoreboardView {
  const results = Object.values(scoreboard).flatMap((clients) => Object.entries(clients))
  return {
    clients: Object.entries(scoreboard).flatMap(([language, clients]) =>
      Object.entries(clients).map(([name, result]) => viewClient(name, language, result)),
    ),
    cases: CASES.map((spec) => {
      const cells = Object.fromEntries(results.map(([name, { cells }]) => [name, cells[spec.id]]))
      return { spec, cells, entries: groupCells(cells) }
    }),
    causes: viewCauses(failuresOf(scoreboard)),
  }
}

/** Open cases never fail. */
export function failuresOf(scoreboard: Scoreboard): PlacedCell[] {
  const results = Object.values(scoreboard).flatMap((clients) => Object.entries(clients))
  return CASES.filter(({ level }) => level !== 'open').flatMap((spec) =>
    results.flatMap(([client, { cells }]) => {
      const cell = cells[spec.id]
      return cell && hasFailed(cell) ? [{ client, spec, cell }] : []
    }),
  )
}

/** The cause of a failure. @returns Undefined if none is known */
export function causeOf({ spec, cell }: PlacedCell): Cause | undefined {
  const sent = textOf(cell) ?? cell.error ?? ''
  return CAUSES.find(
    ({ cases, pattern }) =>
      (cases.includes(spec.id) || cases.includes(`${spec.group}/*`)) && (pattern?.test(sent) ?? true),
  )
}

function viewClient(name: string, language: string, { cells, ...result }: ClientResult): ClientView {
  const judged = CASES.filter(({ level }) => level !== 'open')
  const count = (cases: readonly Case[]) => ({
    passed: cases.filter(({ id }) => hasPassed(cells[id])).length,
    cases: cases.length,
  })
  const atLevel = (wanted: Level) => count(judged.filter(({ level }) => level === wanted))
  const inGroup = (wanted: Group) => count(judged.filter(({ group }) => group === wanted))
  const reasons = (verdict: Cell['verdict']) => {
    const found = CASES.filter(({ id }) => cells[id]?.verdict === verdict)
    const byReason = Map.groupBy(found, ({ id }) => cells[id]?.reason ?? '')
    return [...byReason].map(([reason, cases]) => ({ reason, cases: shorten(cases) }))
  }
  return {
    ...result,
    name,
    language,
    levels: { core: atLevel('core'), extended: atLevel('extended') },
    groups: Object.fromEntries(GROUPS.map((group) => [group, inGroup(group)])) as Record<Group, Count>,
    skipped: reasons('skipped'),
    stopped: reasons('stops'),
  }
}

/** The ids of cases, but `group/*` instead of all cases of a group. */
function shorten(cases: readonly Case[]): string[] {
  return GROUPS.flatMap((group) => {
    const ids = cases.filter((one) => one.group === group).map(({ id }) => id)
    return ids.length === CASES.filter((one) => one.group === group).length ? [`${group}/*`] : ids
  })
}

function groupCells(cells: CaseView['cells']): EntryView[] {
  const shown = Object.entries(cells).flatMap(([client, cell]) =>
    cell && !['pass', 'skipped', 'stops'].includes(cell.verdict) ? [{ client, cell }] : [],
  )
  const groups = Map.groupBy(shown, ({ cell }) => JSON.stringify(cell))
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first ? [{ cell: first.cell, clients: group.map(({ client }) => client) }] : []
  })
}

function viewCauses(failures: readonly PlacedCell[]): CauseView[] {
  const byCause = Map.groupBy(failures, causeOf)
  return CAUSES.map((cause) => {
    const cells = byCause.get(cause) ?? []
    const evidence = cells.find(
      ({ client, spec }) => client === cause.evidence.client && spec.id === cause.evidence.case,
    )
    if (!evidence) {
      const { client, case: id } = cause.evidence
      throw new Error(`The cause "${cause.title}" has no evidence: ${id} of ${client} did not fail by it.`)
    }
    return {
      ...cause,
      clients: [...new Set(cells.map(({ client }) => client))],
      failed: [...new Set(cells.map(({ spec }) => spec.id))],
      count: cells.length,
      cell: evidence.cell,
      specification: evidence.spec.specification,
    }
  })
}
