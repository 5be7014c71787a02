import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { PROBLEMS } from '../../src/domain/problems.ts'
import type { ProblemGuide } from '../../src/site/problem-guide.ts'
import { writeIfChanged } from './built-files.ts'
import { ROOT } from './root.ts'

/** The folder with a text for each problem. */
const SOURCES = join(ROOT, 'documents', 'problems')
/** The file that the Worker reads (src/site/problem-page.tsx). */
const FILE = join(ROOT, 'dist', 'browser', 'public', 'problems', 'guides.json')

/** Writes the texts of the pages about problems. @throws Error if a problem has none */
export async function buildProblemGuides(): Promise<void> {
  const guides = await Promise.all(Object.keys(PROBLEMS).map(async (code) => [code, await readGuide(code)] as const))
  await writeIfChanged(FILE, Buffer.from(JSON.stringify(Object.fromEntries(guides))))
}

/** The parts of a text: what is between the lines `---`, and two lists. */
const GUIDE = /^---\n(.*?)---\n\n## Usual causes\n\n(.*?)\n## What to do\n\n(.*)$/s

async function readGuide(code: string): Promise<ProblemGuide> {
  const text = await readFile(join(SOURCES, `${code}.md`), 'utf8')
  const [, facts, causes, remedies] = GUIDE.exec(text) ?? []
  if (facts === undefined || causes === undefined || remedies === undefined)
    throw new Error(
      `documents/problems/${code}.md needs its facts between lines "---", "Usual causes" and "What to do"`,
    )
  return { causes: itemsOf(causes), remedies: itemsOf(remedies), ...parse(facts) }
}

/** The items of a list, each of which may go on in further lines. */
function itemsOf(list: string): string[] {
  const items = list.split(/^- /m).slice(1)
  return items.map((item) => item.trim().replaceAll(/\s*\n\s*/g, ' '))
}
