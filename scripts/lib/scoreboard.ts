import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Scoreboard, SHOWN_LANGUAGES } from '../../laboratory/scoreboard/results.ts'
import { ROOT } from './root.ts'

/** The file with the last result of each client. */
export const SCOREBOARD_FILE = join(ROOT, 'docs', 'scoreboard.json')

export async function readScoreboard(): Promise<Scoreboard> {
  const known: Partial<Scoreboard> = JSON.parse(await readFile(SCOREBOARD_FILE, 'utf8'))
  return Object.fromEntries(SHOWN_LANGUAGES.map((language) => [language, known[language] ?? {}])) as Scoreboard
}
