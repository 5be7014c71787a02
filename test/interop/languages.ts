import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

// Registry: what is tested with packages that `npm ci` does not install. Each has a folder here, with its own manifest and
// lock file. Most are languages, whose generated clients are tested.

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]]

/** Something of the machine that a language needs. */
interface Need {
  /** Succeeds if it is there. */
  check: Command
  /** The package of Debian that has it. */
  debian: string
}

interface Language {
  needs: readonly Need[]
  /** Other folders whose packages it uses. */
  uses?: readonly LanguageName[]
  /** The files of its folder that name the versions of its packages. */
  locks: readonly string[]
  /** Fetch these packages. They run in its folder, one after the other. */
  install: readonly Command[]
}

const maven: readonly Need[] = [
  { check: ['javac', '-version'], debian: 'default-jdk-headless' },
  { check: ['mvn', '-version'], debian: 'maven' },
]

/** Maven has no lock file. `checksums.sha256` has the checksum of each file that it fetches, and only these are used. */
const byMaven: Pick<Language, 'locks' | 'install'> = {
  locks: ['pom.xml', 'checksums.sha256'],
  install: [
    ['mvn', '--quiet', '--batch-mode', 'dependency:copy-dependencies', '-DoutputDirectory=build'],
    ['sha256sum', '--check', '--strict', '--quiet', 'checksums.sha256'],
  ],
}

/** What only rustc 1.88 and later compile: conditions in a chain. progenitor needs that version. */
const CHAIN = 'pub fn f(a: Option<u8>) { if let Some(_) = a && true {} }'
const rust: Need = {
  check: ['sh', '-c', `echo '${CHAIN}' | rustc --edition=2024 --crate-type=lib --emit=metadata -o - -`],
  debian: 'rustc-web',
}
const cargo: Need = { check: ['cargo', '--version'], debian: 'cargo-web' }

/** Debian has Python in two packages. The first Python need not be Debian's. */
const python: Need = {
  check: ['python3', '-c', 'import ensurepip, sys; assert sys.version_info >= (3, 11)'],
  debian: 'python3-venv',
}

const byPip: readonly Command[] = [
  ['python3', '-m', 'venv', '--clear', 'build/venv'],
  ['build/venv/bin/pip', 'install', '--quiet', '--require-hashes', '--requirement', 'requirements.txt'],
]

const byNpm: Pick<Language, 'needs' | 'locks' | 'install'> = {
  needs: [],
  locks: ['package-lock.json'],
  install: [['npm', 'ci', '--no-audit', '--no-fund']],
}

export type LanguageName =
  | 'clients'
  | 'generator'
  | 'go'
  | 'importers'
  | 'java'
  | 'kotlin'
  | 'php'
  | 'python'
  | 'retries'
  | 'ruby'
  | 'runners'
  | 'rust'
  | 'sign-in'
  | 'tools'
  | 'typescript'

export const LANGUAGES: Readonly<Record<LanguageName, Language>> = {
  // Clients in TypeScript, by four generators.
  clients: byNpm,
  // Applications that sign users in.
  'sign-in': { ...byNpm, uses: ['tools'] },
  // Programs that read the documents, and clients of live events.
  tools: byNpm,
  // Programs that send the examples of a document.
  importers: {
    needs: [python],
    uses: ['tools'],
    locks: [...byNpm.locks, 'requirements.txt'],
    install: [...byNpm.install, ...byPip],
  },
  // openapi-generator, which makes clients of many languages.
  generator: { needs: maven, ...byMaven },
  go: {
    needs: [
      // It fails if go.mod needs a newer Go. Debian 12 has Go 1.19.
      { check: ['go', '-C', join(import.meta.dirname, 'go'), 'list', '-m'], debian: 'golang-go' },
      { check: ['jq', '--version'], debian: 'jq' },
    ],
    uses: ['generator'],
    locks: ['go.mod', 'go.sum', 'validators/go.mod', 'validators/go.sum'],
    install: [
      ['go', 'mod', 'download'],
      ['go', '-C', 'validators', 'mod', 'download'],
    ],
  },
  java: { needs: maven, uses: ['generator'], ...byMaven },
  // The driver in the laboratory is that of Java.
  kotlin: { needs: maven, uses: ['generator', 'java'], ...byMaven },
  // Clients in PHP and Ruby use the libraries of Debian.
  php: {
    needs: [
      { check: ['php', '--version'], debian: 'php-cli' },
      { check: ['php', '-r', 'exit(extension_loaded("curl") ? 0 : 1);'], debian: 'php-curl' },
      { check: ['php', '-r', 'exit(extension_loaded("mbstring") ? 0 : 1);'], debian: 'php-mbstring' },
      { check: ['php', '-r', 'require "GuzzleHttp/autoload.php";'], debian: 'php-guzzlehttp-guzzle' },
    ],
    uses: ['generator'],
    locks: [],
    install: [],
  },
  ruby: {
    needs: [
      { check: ['ruby', '--version'], debian: 'ruby' },
      { check: ['ruby', '-e', 'require "typhoeus"'], debian: 'ruby-typhoeus' },
    ],
    uses: ['generator'],
    locks: [],
    install: [],
  },
  python: {
    needs: [python],
    uses: ['generator'],
    locks: ['requirements.txt'],
    install: byPip,
  },
  // HTTP clients that send requests again.
  retries: {
    needs: [python, { check: ['curl', '--version'], debian: 'curl' }],
    locks: [...byNpm.locks, 'requirements.txt'],
    install: [...byNpm.install, ...byPip],
  },
  // A test runner that loads CommonJS, and what replaces requests in tests.
  runners: byNpm,
  // A workspace with the client in it. So the client has to be there before cargo reads which packages it needs.
  rust: {
    needs: [rust, cargo],
    uses: ['generator'],
    locks: ['Cargo.lock', 'generator.json', 'lab/Cargo.lock'],
    install: [
      [
        ...(['java', '-cp', '../generator/build/*', 'org.openapitools.codegen.OpenAPIGenerator', 'generate'] as const),
        ...['-g', 'rust', '-c', 'generator.json', '-i', '../../../documents/out/openapi.json', '-o', 'build/client'],
      ],
      ['cargo', 'fetch', '--locked', '--quiet'],
      ['cargo', 'fetch', '--locked', '--quiet', '--manifest-path', 'lab/Cargo.toml'],
    ],
  },
  typescript: { ...byNpm, uses: ['generator'] },
}

export const LANGUAGE_NAMES = Object.keys(LANGUAGES) as LanguageName[]

/** The folder of a language. What is built stands in its folder `build`, which git ignores. */
export const folderOf = (name: LanguageName) => join(import.meta.dirname, name)

/** The packages of Debian that a language needs, and that this machine lacks. */
export function missingFor(name: LanguageName): string[] {
  const { needs, uses = [] } = LANGUAGES[name]
  const missing = needs.filter(({ check: [program, ...args] }) => spawnSync(program, args).status !== 0)
  return [...missing.map(({ debian }) => debian), ...uses.flatMap(missingFor)]
}

/** The file that says for which lock files the packages were installed. */
export const installedFile = (name: LanguageName) => join(folderOf(name), 'build', 'installed')

/** What `installedFile` has to contain: a checksum of the lock files. */
export function locksOf(name: LanguageName): string {
  const hash = createHash('sha256')
  for (const file of LANGUAGES[name].locks) hash.update(readFileSync(join(folderOf(name), file)))
  return hash.digest('hex')
}

/** Whether the packages that the lock files of a language name are installed. */
export function isInstalled(name: LanguageName): boolean {
  const file = installedFile(name)
  const isThere = existsSync(file) && readFileSync(file, 'utf8') === locksOf(name)
  return isThere && (LANGUAGES[name].uses ?? []).every(isInstalled)
}

/** Whether the tests of a language run. In CI they run in any case, and fail if its packages are not installed. */
export const isTested = (name: LanguageName) => isInstalled(name) || process.env.CI === 'true'
