import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PROBLEMS } from '../../src/domain/problems.ts'
import { OPERATION_METHODS } from '../../src/http/pipeline/route.ts'
import type { ProblemGuide } from '../../src/site/problem-guide.ts'
import { writeIfChanged } from './built-files.ts'
import { ROOT } from './root.ts'

const SOURCES = join(ROOT, 'documents', 'problems')
/** The file that the Worker reads (src/site/problem-page.tsx). */
const FILE = join(ROOT, 'dist', 'browser', 'public', 'problems', 'guides.json')

/** Writes the texts of the pages about problems. @throws Error if a problem has none */
export async function buildProblemGuides(): Promise<void> {
  const guides = await Promise.all(Object.keys(PROBLEMS).map(async (code) => [code, await readGuide(code)] as const))
  await writeIfChanged(FILE, Buffer.from(JSON.stringify(Object.fromEntries(guides))))
}

/** A text: the standard, a request that gets the problem (itself, or by `Prefer`), two lists, and a guide. */
const GUIDE =
  /^RFC (\d+), section ([\d.]+)\.(?: `([A-Z]+) ([^`]+)` (is such a request|has it as an example)\.)?\n\n## Usual causes\n\n(- .*?)\n\n## What to do\n\n(- .*?)(?:\n\n\[(.+)\]\(\.\.\/\.\.\/docs\/([\w.-]+)\.md(#[\w-]+)?\) explains more\.)?\n?$/s

async function readGuide(code: string): Promise<ProblemGuide> {
  const text = await readFile(join(SOURCES, `${code}.md`), 'utf8')
  const match = GUIDE.exec(text)
  if (!match) throw new Error(`documents/problems/${code}.md is not like the other texts there.`)
  const [, rfc, section = '', method, path = '', kind, causes = '', remedies = '', title, name, anchor = ''] = match
  const found = OPERATION_METHODS.find((name) => name === method?.toLowerCase())
  if (method !== undefined && !found) throw new Error(`documents/problems/${code}.md has an unknown method: ${method}`)
  return {
    causes: itemsOf(causes),
    remedies: itemsOf(remedies),
    standard: { rfc: Number(rfc), section },
    ...(title !== undefined && { guide: { title, path: `/guides/${name}${anchor}` } }),
    ...(found && { provocation: { method: found, path, ...(kind === 'is such a request' && { isReal: true }) } }),
  }
}

/** The items of a list, each of which may go on in further lines. */
function itemsOf(list: string): string[] {
  const items = list.split(/^- /m).slice(1)
  return items.map((item) => item.trim().replaceAll(/\s*\n\s*/g, ' '))
}
