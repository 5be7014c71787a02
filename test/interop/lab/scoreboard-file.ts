import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ROOT } from '../../../scripts/lib/root.ts'
import type { Cell, Cells } from './cells.ts'
import { type Column, SHOWN_LANGUAGES, type ShownLanguage } from './column.ts'

/** The last result of a client. */
export interface ColumnResult extends Pick<Column, 'tool' | 'document'> {
  version: string
  /** The day of the run, in UTC. */
  date: string
  /** The date of the suite. */
  suite: string
  cells: Cells
}

/** By language and name of a column. Each language is there, also one without columns. */
export type Scoreboard = Record<ShownLanguage, Record<string, ColumnResult>>

const FILE = join(ROOT, 'docs', 'scoreboard.json')

export async function readScoreboard(): Promise<Scoreboard> {
  const known: Partial<Scoreboard> = existsSync(FILE) ? JSON.parse(await readFile(FILE, 'utf8')) : {}
  return Object.fromEntries(SHOWN_LANGUAGES.map((language) => [language, known[language] ?? {}])) as Scoreboard
}

/** Writes a line for each cell, so that a difference of the file is a list of cells. */
export async function writeScoreboard(scoreboard: Scoreboard): Promise<void> {
  await writeFile(FILE, `${object(Object.entries(scoreboard), '', (columns) => writeColumns(columns))}\n`)
}

const writeColumns = (columns: Record<string, ColumnResult>) =>
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
