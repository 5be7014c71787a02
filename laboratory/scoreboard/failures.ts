import { bytesOf, writeBytes } from '../difference.ts'
import type { Case } from '../suite/declare.ts'
import { CASES } from '../suite/suite.ts'
import { CAUSES, type Cause } from './causes.ts'
import { boardOf, type Cell, type Cells, type ClientResult, hasFailed, type Scoreboard } from './results.ts'

export interface PlacedCell {
  client: string
  spec: Case
  cell: Cell
}

/** The cells of a client that fit, in the order of the catalogue. */
export function cellsOf(client: string, cells: Cells, fits: (cell: Cell, spec: Case) => boolean): PlacedCell[] {
  return CASES.flatMap((spec) => {
    const cell = cells[spec.id]
    return cell && fits(cell, spec) ? [{ client, spec, cell }] : []
  })
}

/** The cases of its version that a client was not asked, because they are newer than its run. */
export const unaskedOf = ({ document, cells }: Pick<ClientResult, 'document' | 'cells'>) =>
  CASES.filter(({ id, versions }) => versions.includes(boardOf(document)) && !cells[id])

/** Whether a case failed. Open cases never fail. */
export const isFailure = (cell: Cell, { level }: Case) => level !== 'open' && hasFailed(cell)

/** The cells of all clients that failed. */
export function failuresOf(scoreboard: Scoreboard): PlacedCell[] {
  const results = Object.values(scoreboard).flatMap((clients) => Object.entries(clients))
  return results.flatMap(([client, { cells }]) => cellsOf(client, cells, isFailure))
}

/** The cause of a failure. @returns Undefined if none is known */
export function causeOf({ spec, cell }: PlacedCell): Cause | undefined {
  const { received, encoding, part, reason = '' } = cell
  const sent =
    received === undefined ? (cell.error ?? '') : writeBytes(bytesOf(received, encoding), encoding === undefined)
  return CAUSES.find(
    (cause) =>
      (cause.cases.includes(spec.id) || cause.cases.includes(`${spec.group}/*`)) &&
      (cause.isOfType ?? false) === (part === 'header content-type') &&
      (cause.pattern?.test(sent) ?? true) &&
      (cause.reason?.test(reason) ?? true),
  )
}

/** Failures with the same cause. */
export interface CauseView {
  cause: Cause
  failures: readonly PlacedCell[]
}

/** The causes of failures, the one with most failures first. Those without a known cause are left out. */
export function viewCauses(failures: readonly PlacedCell[]): CauseView[] {
  const byCause = Map.groupBy(failures, causeOf)
  return [...byCause]
    .flatMap(([cause, failures]) => (cause ? [{ cause, failures }] : []))
    .toSorted((one, other) => other.failures.length - one.failures.length)
}

/** @throws Error if the evidence of a cause is no cell that failed by it */
export function checkEvidence(failures: readonly PlacedCell[]): void {
  for (const cause of CAUSES) {
    const { client, case: id } = cause.evidence
    const evidence = failures.find((failure) => failure.client === client && failure.spec.id === id)
    if (!evidence || causeOf(evidence) !== cause)
      throw new Error(`The cause "${cause.title}" has no evidence: ${id} of ${client} did not fail by it.`)
  }
}
