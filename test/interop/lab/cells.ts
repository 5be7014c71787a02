import { boardOf, type Cell, type Cells, DOCUMENTS, type DocumentName } from '../../../laboratory/scoreboard/results.ts'
import type { Catalogue, CatalogueCase, Result } from './bench.ts'
import type { Column } from './column.ts'

/** Whether a selection of ids and `group/*` names a case. */
export const selects = (selected: string, { id, group }: CatalogueCase) => selected === id || selected === `${group}/*`

/** The cases that count for a client of a document, though a document in OpenAPI 3.0 lacks some of them. */
export const casesOf = <One extends Pick<CatalogueCase, 'versions'>>(cases: readonly One[], document: DocumentName) =>
  cases.filter(({ versions }) => versions.includes(boardOf(document)))

/** The cells of a column after a run. @param errors What the client said, by case */
export function makeCells(
  { cases }: Catalogue,
  { document, stops, skip }: Column,
  results: readonly Result[],
  errors: ReadonlyMap<string, string>,
): Cells {
  const version = DOCUMENTS[document]
  const cellOf = (one: CatalogueCase): Cell => {
    const stop = stops.find((stop) => stop.cases.some((selected) => selects(selected, one)))
    if (stop) return { verdict: 'stops', reason: stop.message }
    const skipped = Object.entries(skip).find(([selected]) => selects(selected, one))
    if (skipped) return { verdict: 'skipped', reason: skipped[1] }
    if (!one.versions.includes(version)) return { verdict: 'skipped', reason: `OpenAPI ${version} cannot say it.` }
    const result = results.find((result) => result.case === one.id)
    const error = errors.get(one.id)
    if (!result) return { verdict: 'missing', ...(error !== undefined && { error }) }
    return presentResult(result, one, error)
  }
  return Object.fromEntries(casesOf(cases, document).map((one) => [one.id, cellOf(one)]))
}

function presentResult(result: Result, { group }: CatalogueCase, error: string | undefined): Cell {
  if (result.verdict === 'pass') return { verdict: result.verdict }
  const { verdict, reason, part, at, received, encoding, expected } =
    group === 'multipart' ? withSameBoundary(result) : result
  return {
    verdict,
    ...(reason !== null && { reason: withoutAddresses(reason) }),
    ...(part && { part }),
    ...(at !== null && { at }),
    ...(received !== null && { received: withoutAddresses(received) }),
    ...(encoding !== null && { encoding }),
    ...(expected !== null && { expected }),
    ...(verdict === 'incomplete' && error !== undefined && { error }),
  }
}

/**
 * Replaces addresses of objects, which are others in each run, by as many `x`. Some clients send them: in Ruby, an object
 * that has no text of its own is written as `#<File:0x00007f3701c51388>`.
 */
const withoutAddresses = (text: string) =>
  text.replace(/(?<=\b0x)[\da-f]{16}\b/g, (address) => 'x'.repeat(address.length))

/** The boundary in a body of multipart, or in its Content-Type. */
const BOUNDARY = /^--(\S+)\r\n|\bboundary="?([^";]+)/m
const SAME_BOUNDARY = 'x'.repeat(32)

/** Replaces the boundary, which is another one in each run, and of another length with some clients. */
function withSameBoundary(result: Result): Result {
  const { received, encoding, at } = result
  if (received === null) return result
  // A character for each byte, as `at` counts.
  const bytes = Buffer.from(received, encoding ?? 'utf8').toString('latin1')
  const [, inBody, inHeader] = BOUNDARY.exec(bytes) ?? []
  const boundary = inBody ?? inHeader
  if (boundary === undefined) return result
  const replaced = (text: string) => text.replaceAll(boundary, SAME_BOUNDARY)
  return {
    ...result,
    received: Buffer.from(replaced(bytes), 'latin1').toString(encoding ?? 'utf8'),
    at: at === null ? null : replaced(bytes.slice(0, at)).length,
  }
}

/** The ids whose cells differ, among those of the second. */
export function changedCells(before: Cells, after: Cells): string[] {
  return Object.keys(after).filter((id) => JSON.stringify(before[id]) !== JSON.stringify(after[id]))
}

/** The cells, but of unsteady cases those from before if their verdicts are the same. */
export function keepUnsteady({ unsteady = [] }: Column, before: Cells, after: Cells): Cells {
  const kept = unsteady.flatMap((id) => {
    const cell = before[id]
    return cell !== undefined && cell.verdict === after[id]?.verdict ? [[id, cell] as const] : []
  })
  return { ...after, ...Object.fromEntries(kept) }
}
