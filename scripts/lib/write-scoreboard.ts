import { writeFile } from 'node:fs/promises'
import type { Cell, Cells, ClientResult, Scoreboard } from '../../laboratory/scoreboard/results.ts'
import { SCOREBOARD_FILE } from './scoreboard.ts'

/** Writes docs/scoreboard.json. */
export async function writeScoreboard(scoreboard: Scoreboard): Promise<void> {
  await writeFile(SCOREBOARD_FILE, printScoreboard(scoreboard))
}

/** Prints a line for each cell, so that a difference of the file is a list of cells. */
export const printScoreboard = (scoreboard: Scoreboard) =>
  `${object(Object.entries(scoreboard), '', (columns) => writeColumns(columns))}\n`

const writeColumns = (columns: Readonly<Record<string, ClientResult>>) =>
  object(Object.entries(columns), '  ', ({ cells, ...rest }) => {
    const written = Object.entries(rest).map(([name, value]) => [name, JSON.stringify(value)] as const)
    return object([...written, ['cells', writeCells(cells)]], '    ', (text) => text)
  })

const writeCells = (cells: Cells) => object<Cell>(Object.entries(cells), '      ', (cell) => JSON.stringify(cell))

/** An object with a line for each member. An empty one has two lines, so that what is added to others is apart. */
function object<T>(members: readonly (readonly [string, T])[], indent: string, write: (value: T) => string): string {
  const lines = members.map(([name, value]) => `${indent}  ${JSON.stringify(name)}: ${write(value)}`)
  return ['{', ...(lines.length > 0 ? [lines.join(',\n')] : []), `${indent}}`].join('\n')
}
