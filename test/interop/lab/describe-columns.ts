import { describe, expect, it } from 'vitest'
import type { Cells } from '../../../laboratory/scoreboard/results.ts'
import { readScoreboard } from '../../../scripts/lib/scoreboard.ts'
import { serviceUrl } from '../journey.ts'
import { changedCells, keepUnsteady } from './cells.ts'
import type { Column } from './column.ts'
import { ALL_COLUMNS } from './columns.ts'
import { buildColumn, judgeColumn } from './judge.ts'
import { judgeRecording } from './judge-recording.ts'
import { GROUPS_WITH_EXPLODE } from './opposite.ts'
import { inputsOf, readRecording } from './recordings.ts'

/** The names of the columns, and whether their stored requests are those that they would send now. */
const recordings = new Map(
  await Promise.all(
    ALL_COLUMNS.map(
      async (column) => [column.name, (await readRecording(column))?.inputs === (await inputsOf(column))] as const,
    ),
  ),
)

/** The cells of a column: from its stored requests, or from a client that is built and run. */
async function cellsOf(column: Column, isCurrent: boolean): Promise<Cells> {
  const recording = isCurrent ? await readRecording(column) : undefined
  if (recording) return judgeRecording(column, recording)
  const service = serviceUrl().replace('localhost', '127.0.0.1')
  return await judgeColumn(column, await buildColumn(column, service), service)
}

/** Describes the columns of a folder: their cells are those of docs/scoreboard.json. */
export function describeColumns(columns: readonly Column[]): void {
  describe.each(columns)('$name in the laboratory', (column) => {
    const service = serviceUrl().replace('localhost', '127.0.0.1')

    const isCurrent = recordings.get(column.name) === true && process.env.INTEROP_ALL !== '1'

    it('sends what docs/scoreboard.json says', async () => {
      const committed = (await readScoreboard())[column.language][column.name]
      const cells = keepUnsteady(column, committed?.cells ?? {}, await cellsOf(column, isCurrent))
      expect({ version: await column.version(), cells }, HINT).toEqual({
        version: committed?.version,
        cells: committed?.cells,
      })
    })

    // It proves the driver. So it runs if that has changed.
    if (isCurrent) return

    it('reads the document: if each explode is the opposite, these cells change', async () => {
      const output = await buildColumn(column, service, 'opposite')
      const committed = (await readScoreboard())[column.language][column.name]?.cells ?? {}
      const cells = keepUnsteady(column, committed, await judgeColumn(column, output, service))
      const changed = changedCells(committed, cells).filter((id) =>
        GROUPS_WITH_EXPLODE.includes(`${id.split('/')[0]}/*`),
      )
      expect(changed.toSorted()).toEqual(column.opposite.toSorted())
    })
  })
}

const HINT = 'if this is right: npm run scoreboard -- NAME'
