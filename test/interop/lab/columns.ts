import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SHOWN_LANGUAGES } from '../../../laboratory/scoreboard/results.ts'
import { folderOf, LANGUAGE_NAMES } from '../languages.ts'
import type { Column } from './column.ts'

// All columns: those of each folder that has `lab/columns.ts`. The folders of languages are registered in languages.ts.

const files = LANGUAGE_NAMES.map((name) => join(folderOf(name), 'lab', 'columns.ts')).filter(existsSync)
const found = await Promise.all(files.map((file): Promise<{ COLUMNS: readonly Column[] }> => import(file)))

/** The columns of the scoreboard, in its order. */
export const ALL_COLUMNS: readonly Column[] = found
  .flatMap(({ COLUMNS }) => COLUMNS)
  .toSorted((one, other) => SHOWN_LANGUAGES.indexOf(one.language) - SHOWN_LANGUAGES.indexOf(other.language))
