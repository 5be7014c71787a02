import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join, normalize } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { NO_GUIDES } from '../../documents/guides/list.ts'
import manifest from '../../package.json' with { type: 'json' }
import { LAYERS } from '../../scripts/lib/layers.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { eachRow } from '../support/each-row.ts'

// The pages about the service and its code: what they lead to exists, and they stay short and complete.

/** The pages that a newcomer reads first, and how long each may be. */
const SIZES = [
  { page: 'CONTRIBUTING.md', linesMax: 150, wordsMax: 1500 },
  { page: 'ARCHITECTURE.md', linesMax: 200, wordsMax: 2500 },
]

/** Readers of the guides have a running service and no repository, apart from those who deploy one. */
const EDITED_BY_OPERATORS = ['src/http/pipeline/write-limit.ts', 'test/service/environments.test.ts', 'wrangler.toml']

/** How much there is for users to read, in all and in one guide. */
const DOCS_WORDS_MAX = 45_000
const PAGE_WORDS_MAX = 4500

/** They name files of another project, of an earlier time, or of a reader's machine. */
const WITH_OTHER_FILES = /^(README|CHANGELOG|SECURITY|data\/.*|vendor\/.*|docs\/[a-z]+)\.md$/

const { stdout } = await promisify(execFile)('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
})
const files = stdout.split('\n').filter((file) => file !== '' && existsSync(join(ROOT, file)))
const basenames = new Set(files.map((file) => basename(file)))
const pages = new Map(
  await Promise.all(
    files
      .filter((file) => file.endsWith('.md'))
      .map(async (file) => [file, await readFile(join(ROOT, file), 'utf8')] as const),
  ),
)

/** The text of a page without its blocks of code. */
function proseOf(page: string): string {
  return (pages.get(page) ?? '').replaceAll(/^ *```.*?^ *```$/gms, '')
}

/** The anchors of a page, as GitHub makes them of its headings. */
function anchorsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** The folder in which a page is read. That of the package is in the root of the packed file. */
const folderOf = (page: string) => (page === 'package/packed-readme.md' ? '.' : dirname(page))

/** The links of a page to other parts of the project, as paths from its root. */
function linksOf(page: string): { target: string; anchor: string | undefined }[] {
  return [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [path = '', anchor] = link.split('#')
      return { target: path === '' ? page : normalize(join(folderOf(page), path)), anchor }
    })
}

/** The paths of files and folders that a page names as code. */
function namedPathsOf(page: string): string[] {
  return [...proseOf(page).matchAll(/`([^`\s]+)`/g)]
    .map(([, code = '']) => code)
    .filter(
      (code) =>
        /^(?:[\w.-]+\/)*[\w.-]+\.(?:cjs|css|grit|md|mjs|sql|toml|tsx?)$/.test(code) || /^src\/[\w./-]+$/.test(code),
    )
    .filter((code) => !code.includes('*'))
}

/** Paths begin at the root, at the folder of the page, or at `src/`. A name alone may be that of any file. */
function isThere(path: string, page: string): boolean {
  const starts = ['', dirname(page), 'src']
  return starts.some((start) => existsSync(join(ROOT, start, path))) || (!path.includes('/') && basenames.has(path))
}

it('each page has only links that lead somewhere', () =>
  eachRow([...pages.keys()], (page) => {
    const broken = linksOf(page).filter(
      ({ target, anchor }) =>
        !existsSync(join(ROOT, target)) ||
        (anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor)),
    )
    expect(broken).toEqual([])
  }))

it('each page names only files that exist', () =>
  eachRow(
    [...pages.keys()].filter((page) => !WITH_OTHER_FILES.test(page)),
    (page) => {
      expect(namedPathsOf(page).filter((path) => !isThere(path, page))).toEqual([])
    },
  ))

it.each(SIZES)('$page has at most $linesMax lines and $wordsMax words', ({ page, linesMax, wordsMax }) => {
  const text = pages.get(page) ?? ''
  expect(text.trim().split('\n').length).toBeLessThanOrEqual(linesMax)
  expect(countWords(text)).toBeLessThanOrEqual(wordsMax)
  expect(text.length).toBeGreaterThan(1000)
})

/** Pieces of a text with a letter or a digit, so the frames of tables do not count. */
const countWords = (text: string) => text.split(/\s+/).filter((word) => /\p{L}|\p{N}/u.test(word)).length

describe('docs/', () => {
  const docs = [...pages].filter(([page]) => page.startsWith('docs/'))

  it(`has at most ${DOCS_WORDS_MAX} words`, () => {
    expect(docs.reduce((sum, [, text]) => sum + countWords(text), 0)).toBeLessThanOrEqual(DOCS_WORDS_MAX)
  })

  it('names no file of the repository, but what operators edit in their clone', () => {
    const named = docs
      .map(([page]) => page)
      .filter((page) => !NO_GUIDES.some((name) => page === `docs/${name}.md`))
      .flatMap((page) => namedPathsOf(page).filter((path) => files.includes(path)))
    expect([...new Set(named)].toSorted()).toEqual(EDITED_BY_OPERATORS)
  })

  it(`has no page of more than ${PAGE_WORDS_MAX} words, tables not counted`, () =>
    eachRow(
      docs.map(([page]) => page),
      (page) => {
        expect(countWords((pages.get(page) ?? '').replaceAll(/^\|.*$/gm, ''))).toBeLessThanOrEqual(PAGE_WORDS_MAX)
      },
    ))
})

describe('ARCHITECTURE.md', () => {
  const targets = linksOf('ARCHITECTURE.md').map(({ target }) => target)

  it('leads to every README beside the code', () => {
    const readmes = [...pages.keys()].filter((page) => /^(src|browser|scripts)\/.*README\.md$/.test(page))
    expect(readmes.length).toBeGreaterThan(0)
    expect(targets).toEqual(expect.arrayContaining(readmes))
  })

  it('lists every layer', () => {
    const [, list = ''] = /```text\nsrc\/\n(.*?)```/s.exec(pages.get('ARCHITECTURE.md') ?? '') ?? []
    const listed = new Set(list.match(/[\w.]+(?=\/|\.ts)/g))
    expect(LAYERS.flat().filter((layer) => !listed.has(layer))).toEqual([])
  })
})

it('recipes/README.md leads to every recipe', () => {
  const recipes = [...pages.keys()].filter((page) => page.startsWith('recipes/') && !page.endsWith('/README.md'))
  expect(recipes.length).toBeGreaterThan(0)
  expect(linksOf('recipes/README.md').map(({ target }) => target)).toEqual(expect.arrayContaining(recipes))
})

it('test/support/README.md lists every file', () => {
  const shared = files.filter((file) => /^test\/support\/[^/]+\.ts$/.test(file)).map((file) => basename(file))
  const listed = new Set(namedPathsOf('test/support/README.md'))
  expect(shared.filter((file) => !listed.has(file))).toEqual([])
})

describe('docs/dependencies.md', () => {
  const page = pages.get('docs/dependencies.md') ?? ''
  const packages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
  const reasons = page.split('\n').filter((line) => line.startsWith('| `'))
  const named = reasons.flatMap((line) =>
    [...(line.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  )

  it('has the reason of every package', () => {
    expect(packages.filter((name) => !named.includes(name))).toEqual([])
  })

  it('has no reason of a package that is gone', () => {
    expect(named.filter((name) => name === undefined || !packages.includes(name))).toEqual([])
  })
})
