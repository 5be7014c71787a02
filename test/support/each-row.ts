import { expect } from 'vitest'

/** How much of a row is shown with its failure, in characters. */
const SHOWN_MAX = 200

/**
 * Checks every row of a table within one test, in turn.
 *
 * @throws Error with all rows that fail and the reason of each, or if there are no rows
 */
export async function eachRow<const Row>(
  rows: readonly Row[],
  check: (row: Row) => unknown,
  nameOf: (row: Row) => string = (row) => JSON.stringify(row).slice(0, SHOWN_MAX),
): Promise<void> {
  expect(rows).not.toHaveLength(0)
  const failures: string[] = []
  for (const row of rows) {
    try {
      await check(row)
    } catch (error) {
      failures.push(`${nameOf(row)}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  if (failures.length > 0) throw new Error(`${failures.length} of ${rows.length} rows:\n${failures.join('\n')}`)
}
