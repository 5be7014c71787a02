import { join } from 'node:path'
import { PROBLEM_GUIDES } from '../../src/site/problem-guides.ts'
import { writeIfChanged } from './built-files.ts'
import { ROOT } from './root.ts'

/** The file that the Worker reads (src/site/problem-page.tsx). */
const FILE = join(ROOT, 'dist', 'browser', 'public', 'problems', 'guides.json')

/** Writes the texts of the pages about problems. */
export async function buildProblemGuides(): Promise<void> {
  await writeIfChanged(FILE, Buffer.from(JSON.stringify(PROBLEM_GUIDES)))
}
