import { ALL_COLUMNS } from './lab/columns.ts'
import { inputsOf, readRecording } from './lab/recordings.ts'
import { LANGUAGE_NAMES, type LanguageName } from './languages.ts'
import { isDue } from './stamps.ts'

/** The folders whose tests run: something that they depend on has changed, or a client of the scoreboard is built there. */
export async function dueFolders(): Promise<LanguageName[]> {
  const columns = await Promise.all(
    ALL_COLUMNS.map(async (column) => {
      const recording = await readRecording(column)
      return recording?.inputs === (await inputsOf(column)) ? undefined : column.folder
    }),
  )
  return LANGUAGE_NAMES.filter((name) => isDue(name) || columns.includes(name))
}
