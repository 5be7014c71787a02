import { GROUPS, type Group, type Level } from '../case.ts'
import type { Case } from '../suite/declare.ts'
import { CASES } from '../suite/suite.ts'
import { type Board, boardOf, type ClientResult, hasPassed, type Scoreboard } from './results.ts'

// What the scoreboard counts.

/**
 * How many cases of a level or a group passed. Cases that a client skips or stops at are among them, and those that it
 * was not asked are not.
 */
export interface Count {
  passed: number
  cases: number
}

export interface ClientView extends ClientResult {
  name: string
  language: string
  /** The version of OpenAPI whose cases count for it. */
  board: Board
  levels: Readonly<Record<Exclude<Level, 'open'>, Count>>
  /** Without open cases. */
  groups: Readonly<Record<Group, Count>>
}

/** The clients, in the order of the languages. */
export function viewClients(scoreboard: Scoreboard): ClientView[] {
  return Object.entries(scoreboard).flatMap(([language, clients]) =>
    Object.entries(clients).map(([name, result]) => viewClient(name, language, result)),
  )
}

/** The clients in the order of the board: most core cases first, then most extended ones. */
export function bestFirst(clients: readonly ClientView[]): ClientView[] {
  return clients.toSorted(
    (one, other) =>
      other.levels.core.passed - one.levels.core.passed || other.levels.extended.passed - one.levels.extended.passed,
  )
}

function viewClient(name: string, language: string, result: ClientResult): ClientView {
  const board = boardOf(result.document)
  const judged = CASES.filter(
    ({ id, level, versions }) => level !== 'open' && versions.includes(board) && result.cells[id],
  )
  const count = (cases: readonly Case[]) => ({
    passed: cases.filter(({ id }) => hasPassed(result.cells[id])).length,
    cases: cases.length,
  })
  const atLevel = (wanted: Level) => count(judged.filter(({ level }) => level === wanted))
  const inGroup = (wanted: Group) => count(judged.filter(({ group }) => group === wanted))
  return {
    ...result,
    name,
    language,
    board,
    levels: { core: atLevel('core'), extended: atLevel('extended') },
    groups: Object.fromEntries(GROUPS.map((group) => [group, inGroup(group)])) as Record<Group, Count>,
  }
}
