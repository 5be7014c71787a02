import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '../../scripts/lib/root.ts'
import { LANGUAGE_NAMES, LANGUAGES, type LanguageName } from './languages.ts'

// What the tests of a folder find depends on the documents, its locks and its programs. So they run if one of these is
// another one than when they passed last. stamps.json has a digest of them for each folder.

const FILE = join(import.meta.dirname, 'stamps.json')

/** The digests with which the tests of each folder have passed. */
function readStamps(): Partial<Record<LanguageName, string>> {
  return existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {}
}

/** Notes that the tests of folders have passed. */
export function stamp(names: readonly LanguageName[]): void {
  const stamps = { ...readStamps(), ...Object.fromEntries(names.map((name) => [name, inputsOf(name)])) }
  const known = LANGUAGE_NAMES.flatMap((name) => (stamps[name] === undefined ? [] : [[name, stamps[name]]]))
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(known), null, 2)}\n`)
}

/** Whether something is another one than when the tests of a folder passed last. */
export const isDue = (name: LanguageName): boolean => readStamps()[name] !== inputsOf(name)

/** The files in git below some paths. */
function filesIn(...paths: string[]): string[] {
  // Without a path, git would list all files.
  if (paths.length === 0) return []
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...paths]
  const listed = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n')
  return listed.filter((file) => file !== '' && existsSync(join(ROOT, file)))
}

/** What all folders share, but the columns of the scoreboard, which have digests of their own (lab/recordings.ts). */
const SHARED = ['documents/out', ':(glob)test/interop/*.ts']

/** What the tests that install the packed file depend on besides. */
const PACKAGE = ['bin', 'package']

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** The files of the project that a file imports. */
const importsOf = (file: string) =>
  Array.from(read(file).matchAll(/ from '(\.[\w./-]+\.ts)'/g), ([, path = '']) => join(dirname(file), path))

/** What a helper of test/service contains if it is about pages, examples or code of the service. */
const NAMES_INPUTS = /'docs', |'examples', |\/src\//

/**
 * The digest of what the tests of a folder depend on. The pages whose code they run, and the suites in `examples/`, are
 * those that they name, or that helpers name which they import. The service is not among it, because its own tests are
 * for that, but files of it that tests themselves import are.
 */
function inputsOf(name: LanguageName): string {
  const folders = [name, ...(LANGUAGES[name].uses ?? [])].map((one) => `test/interop/${one}`)
  const own = filesIn(...folders, ...SHARED).filter((file) => !/^test\/interop\/\w+\/lab\//.test(file))
  const tests = own.filter((file) => file.endsWith('.ts') && !file.endsWith('/stamps.ts'))
  const imports = tests.flatMap(importsOf)
  const helpers = imports.filter((file) => file.startsWith('test/service/') && NAMES_INPUTS.test(read(file)))
  const texts = [...tests, ...helpers].map(read)
  const pages = texts.flatMap((text) =>
    [...text.matchAll(/'docs', '([\w.-]+\.md)'/g)].map(([, page]) => `docs/${page}`),
  )
  const examples = texts.flatMap((text) =>
    [...text.matchAll(/copyExample\('(\w+)'/g)].map(([, folder]) => `examples/${folder}`),
  )
  // With what is in the folder of its name.
  const code = imports.filter((file) => file.startsWith('src/')).flatMap((file) => [file, file.replace(/\.ts$/, '')])
  const packed = texts.some((text) => text.includes('service/project.ts')) ? PACKAGE : []
  const hash = createHash('sha256')
  for (const file of [
    ...new Set([...own, ...filesIn(...helpers, ...pages, ...examples, ...code, ...packed)]),
  ].toSorted()) {
    hash.update(file).update(readFileSync(join(ROOT, file)))
  }
  return hash.digest('hex')
}
