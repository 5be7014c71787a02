import { describe, expect, it } from 'vitest'
import { readScoreboard } from '../../../scripts/lib/scoreboard.ts'
import { serviceUrl } from '../journey.ts'
import { changedCells, keepUnsteady } from './cells.ts'
import type { Column } from './column.ts'
import { buildColumn, judgeColumn } from './judge.ts'
import { GROUPS_WITH_EXPLODE } from './opposite.ts'

/** Describes the columns of a folder: their cells are those of docs/scoreboard.json. */
export function describeColumns(columns: readonly Column[]): void {
  describe.each(columns)('$name in the laboratory', (column) => {
    const service = serviceUrl().replace('localhost', '127.0.0.1')

    it('sends what docs/scoreboard.json says', async () => {
      const committed = (await readScoreboard())[column.language][column.name]
      const output = await buildColumn(column, service)
      const cells = keepUnsteady(column, committed?.cells ?? {}, await judgeColumn(column, output, service))
      expect({ version: await column.version(), cells }, HINT).toEqual({
        version: committed?.version,
        cells: committed?.cells,
      })
    })

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
