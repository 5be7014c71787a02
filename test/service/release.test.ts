import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { readReleaseArguments, SKIPPABLE } from '../../scripts/lib/release-arguments.ts'
import { DAYS_MAX, findVersionFaults, SECTION_MAX_LINES } from '../../scripts/lib/release-versions.ts'
import { git, readTextFiles } from '../../scripts/lib/repository.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { release } from '../../scripts/lib/run-release.ts'

// `npm run release`: in a small project whose commands only note that they ran. The real ones take an hour.

const run = promisify(execFile)

const VERSION = '3.1.0'
const TODAY = '2027-03-05'

/** A function, because this file must not name the packed file of a version that is not this project's. */
const packed = (version: string) => `galaxy-${version}.tgz`

/** The files of a project that can be released, and the parts of CHANGELOG.md that a test changes. */
const filesWith = ({ unreleased = '', heading = `## ${VERSION} - ${TODAY}`, changes = '- It flies.\n' } = {}) => ({
  'package.json': JSON.stringify({
    name: 'galaxy',
    version: VERSION,
    private: true,
    scripts: { generate: 'sh .ci/note generate', scoreboard: 'sh .ci/note scoreboard' },
  }),
  'package-lock.json': JSON.stringify({
    name: 'galaxy',
    version: VERSION,
    lockfileVersion: 3,
    requires: true,
    packages: { '': { name: 'galaxy', version: VERSION } },
  }),
  'CHANGELOG.md': `# Changelog\n\n## Unreleased\n${unreleased}\n${heading}\n\n${changes}\n## 3.0.0 - 2027-01-31\n\n- ${packed('3.0.0')}\n`,
  'docs/testing.md': `npm install ./${packed(VERSION)} prints {"pid":4711,"version":"${VERSION}"}\n`,
  '.gitignore': 'node_modules\nbuilt\n',
})

/** Each command notes where it ran and with what, and fails if the place has a file that says so. */
const NOTE = 'echo "$(pwd) $*" >> "$NOTES"; [ ! -e "fails-$1" ]\n'
const CI_RUN = '#!/bin/sh\nexec sh .ci/note ci "$@"\n'

const texts = (files: Record<string, string>) => Object.entries(files).map(([path, text]) => ({ path, text }))
const faultsOf = (files: Record<string, string>, today = TODAY) => findVersionFaults(VERSION, texts(files), today)

describe('versions and days', () => {
  it('are right in a project that can be released', () => {
    expect(faultsOf(filesWith())).toEqual([])
  })

  it.each([
    ['package.json', '"version":"3.1.0"', '"version":"3.0.9"', ['package.json has the version 3.0.9.']],
    [
      'package-lock.json',
      '"name":"galaxy","version":"3.1.0"',
      '"name":"galaxy","version":"3.0.9"',
      ['package-lock.json has the version 3.0.9.', 'package-lock.json, packages has the version 3.0.9.'],
    ],
    ['docs/testing.md', 'galaxy-3.1.0', 'galaxy-3.0.9', [`docs/testing.md:1 has ${packed('3.0.9')}.`]],
    ['docs/testing.md', '"version":"3.1.0"', '"version":"3.1.0-rc.1"', [expect.stringMatching(/^docs.*:1 has "pid":/)]],
  ] as const)('another version in %s is found', (path, good, bad, faults) => {
    const files = filesWith()
    expect(faultsOf({ ...files, [path]: files[path].replaceAll(good, bad) })).toEqual(faults)
  })

  it.each([
    ['changes that belong to no version', { unreleased: '\n- It swims.\n' }, /changes under "Unreleased"/],
    ['another version first', { heading: '## 3.2.0 - 2027-03-05' }, /must begin with/],
    ['no day', { heading: '## 3.1.0' }, /no day of the version, but undefined/],
    ['a day that no calendar has', { heading: '## 3.1.0 - 2027-02-29' }, /but 2027-02-29/],
    ['a day before that of the last version', { heading: '## 3.1.0 - 2027-01-30' }, /2027-01-30 above 2027-01-31/],
    ['nothing about the version', { changes: '' }, /says nothing about 3.1.0/],
  ])('CHANGELOG.md with %s is found', (_, changelog, fault) => {
    expect(faultsOf(filesWith(changelog)).join('\n')).toMatch(fault)
  })

  it.each([
    ['tomorrow', -1, /has not come/],
    ['today', 0, /^$/],
    ['the last day that counts', DAYS_MAX, /^$/],
    ['a day that is too old', DAYS_MAX + 1, /over 7 days old/],
  ])('the day of the version is %s', (_, age, fault) => {
    const today = new Date(Date.parse(TODAY) + age * 86_400_000).toISOString().slice(0, 10)
    expect(faultsOf(filesWith(), today).join('\n')).toMatch(fault)
  })

  it('the section of a version has a limit', () => {
    // The heading and the empty line below it count too.
    const sized = (lines: number) => filesWith({ changes: '- It flies.\n'.repeat(lines - 2) })
    expect(faultsOf(sized(SECTION_MAX_LINES))).toEqual([])
    expect(faultsOf(sized(SECTION_MAX_LINES + 1))).toEqual([expect.stringContaining('121 lines about 3.1.0')])
  })

  it('this project names one version everywhere', async () => {
    const files = await readTextFiles(ROOT)
    const { version } = JSON.parse(files.find(({ path }) => path === 'package.json')?.text ?? '')
    const about = findVersionFaults(version, files, TODAY).filter((fault) => !fault.startsWith('CHANGELOG.md'))
    expect(about).toEqual([])
  })
})

describe('the arguments', () => {
  it('name a version, and steps to skip', () => {
    expect(readReleaseArguments(['2.0.0-rc.1', '--skip', 'ci', '--dry-run', '--skip', 'interop'])).toEqual({
      version: '2.0.0-rc.1',
      isDryRun: true,
      skipped: ['ci', 'interop'],
    })
  })

  it.each([
    [[], /VERSION must be/],
    [['v2.0.0'], /VERSION must be/],
    [['2.0'], /VERSION must be/],
    [['02.0.0'], /VERSION must be/],
    [['2.0.0', '3.0.0'], /several versions/],
    [['2.0.0', '--skip', 'tree'], /tree is no step that can be skipped/],
    [['2.0.0', '--force'], /--force/],
  ])('%j are refused', (args, message) => {
    expect(() => readReleaseArguments(args)).toThrow(message)
  })
})

describe('a release', () => {
  const folders: string[] = []
  let place: { root: string; clone: string; today: string }
  let printed: string[]

  const commit = async (files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(place.root, path, '..'), { recursive: true })
      await writeFile(join(place.root, path), text, { mode: path === '.ci/run' ? 0o755 : 0o644 })
    }
    await git(place.root, 'add', '--all')
    await git(place.root, 'commit', '--quiet', '--message', 'a change')
  }
  const released = (options: { isDryRun?: boolean; skipped?: typeof SKIPPABLE } = {}) =>
    release({ version: VERSION, isDryRun: false, skipped: [], ...options }, place, (line) => printed.push(line))
  /** What ran, and whether in the clone. */
  const notes = async () =>
    (await readFile(process.env.NOTES ?? '', 'utf8').catch(() => ''))
      .split('\n')
      .filter(Boolean)
      .map((line) => line.replace(place.clone, 'clone'))
  const tags = () => git(place.root, 'tag', '--list', '--format=%(refname:short) %(contents)')

  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'galaxy-release-'))
    folders.push(folder)
    place = { root: join(folder, 'project'), clone: join(folder, 'clone'), today: TODAY }
    printed = []
    process.env.NOTES = join(folder, 'notes')
    await mkdir(place.root)
    await git(place.root, 'init', '--quiet')
    for (const [name, value] of [['user.name', 'Ada'] as const, ['user.email', 'ada@galaxy.test'] as const])
      await git(place.root, 'config', name, value)
    await commit({ ...filesWith(), '.ci/run': CI_RUN, '.ci/note': NOTE })
  })

  afterAll(async () => {
    delete process.env.NOTES
    for (const folder of folders) await rm(folder, { recursive: true, force: true })
  })

  it('is tagged if everything passes, in a clone of the commit', async () => {
    await writeFile(join(place.root, 'built'), 'git ignores it')
    await released()
    expect(await notes()).toEqual([
      'clone generate',
      'clone scoreboard --judge --check',
      'clone ci',
      'clone ci interop --all',
    ])
    expect(await tags()).toBe(`v${VERSION} Galaxy ${VERSION}`)
    expect(await git(place.clone, 'rev-parse', 'HEAD')).toBe(await git(place.root, 'rev-parse', `v${VERSION}^{commit}`))
    await expect(stat(join(place.clone, 'built'))).rejects.toThrow('ENOENT')
    expect(printed.at(-1)).toBe(`Tagged v${VERSION}. Publish it: git push origin v${VERSION}`)
  })

  it('tags nothing in a dry run, and says what was skipped', async () => {
    await released({ isDryRun: true, skipped: SKIPPABLE })
    expect(await tags()).toBe('')
    expect(await notes()).toEqual([])
    expect(printed.map((line) => line.split(':')[0])).toEqual([
      'ok       tree',
      'ok       versions',
      ...['documents', 'scoreboard', 'ci', 'interop'].map((step) => `skipped  ${step}`),
      'A dry run',
    ])
    expect(printed.at(-1)).toContain('Skipped: ci, interop, documents, scoreboard.')
  })

  it('has a tag that says what was skipped', async () => {
    await released({ skipped: SKIPPABLE })
    expect(await tags()).toBe(`v${VERSION} Galaxy ${VERSION}\n\nNot checked: ci, interop, documents, scoreboard.`)
  })

  it.each([
    ['a changed file', 'docs/testing.md', ' M docs/testing.md'],
    ['a new file', 'notes.txt', '?? notes.txt'],
  ])('fails with %s that is not committed', async (_, path, status) => {
    await writeFile(join(place.root, path), 'new')
    await expect(released()).rejects.toThrow(`failed   tree: Files are not committed:\n${status}`)
    expect([await notes(), await tags()]).toEqual([[], ''])
  })

  it('fails if there is such a tag', async () => {
    await git(place.root, 'tag', `v${VERSION}`)
    await expect(released()).rejects.toThrow(`There is a tag v${VERSION} already.`)
  })

  it('fails if a file has another version', async () => {
    await commit({ 'README.md': `npm install ./${packed('3.0.0')}\n` })
    await expect(released()).rejects.toThrow(`failed   versions: README.md:1 has ${packed('3.0.0')}.`)
  })

  it.each([
    [
      'a generated file is another one',
      { '.ci/note': 'echo new > docs/testing.md' },
      /documents: .*M docs\/testing.md/s,
    ],
    ['the scoreboard is another one', { 'fails-scoreboard': '' }, /scoreboard: npm run scoreboard .* has failed \(1\)/],
    ['.ci/run fails', { 'fails-ci': '' }, /ci: .*run has failed \(1\)/],
  ])('fails if %s', async (_, files, message) => {
    await commit(files)
    await expect(released()).rejects.toThrow(message)
    expect(await tags()).toBe('')
  })
})

it('git and pull requests know that large texts are generated, unless they are data', async () => {
  const LARGE_BYTES = 100_000
  const files = (await readTextFiles(ROOT)).filter(({ text }) => text.length > LARGE_BYTES).map(({ path }) => path)
  const { stdout } = await run('git', ['check-attr', 'linguist-generated', 'linguist-vendored', '--', ...files], {
    cwd: ROOT,
  })
  const marked = stdout.split('\n').flatMap((line) => (line.endsWith(': set') ? [line.split(':')[0]] : []))
  expect(marked).toContain('documents/out/openapi.json')
  expect(files.filter((file) => !marked.includes(file) && !file.startsWith('data/'))).toEqual([])
})
