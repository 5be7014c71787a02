import { glob, readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'

// Code in the documentation is run by a test. Commands marked `sh` are not: they start the service, or need an account,
// Docker or a long time.

const RUN = ['bash', 'go', 'java', 'js', 'python', 'rust', 'yaml']

interface Block {
  page: string
  heading: string
  language: string
}

const folder = join(ROOT, 'docs')
const pages = [
  'README.md',
  ...(await readdir(folder)).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
]
const blocks = (await Promise.all(pages.map(blocksOf))).flat()
const files = await Array.fromAsync(glob(['test/service/*.test.ts', 'test/interop/*/*.test.ts'], { cwd: ROOT }))
const tests = await Promise.all(
  files
    .filter((name) => basename(name) !== basename(import.meta.filename))
    .map((name) => readFile(join(ROOT, name), 'utf8')),
)

/** The blocks of code of a page, with the heading above each. */
async function blocksOf(page: string): Promise<Block[]> {
  const found: Block[] = []
  let heading = ''
  let isInBlock = false
  for (const line of (await readFile(join(ROOT, page), 'utf8')).split('\n')) {
    const fence = /^ *```(\w*)/.exec(line)
    if (fence) isInBlock = !isInBlock
    if (fence && isInBlock) found.push({ page, heading, language: fence[1] ?? '' })
    if (!isInBlock) heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading
  }
  return found
}

it.each(blocks.filter(({ language }) => RUN.includes(language)))(
  'the $language of "$heading" in $page is run by a test',
  ({ page, heading }) => {
    const isRun = tests.some((text) => text.includes(basename(page)) && text.includes(heading))
    expect(isRun).toBe(true)
  },
)

it('every other block is data, or a command that no test runs', () => {
  const others = blocks.map(({ language }) => language).filter((language) => !RUN.includes(language))
  expect([...new Set(others)].toSorted()).toEqual(['json', 'sh', 'text', 'xml'])
})
