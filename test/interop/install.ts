import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseArgs } from 'node:util'
import {
  folderOf,
  installedFile,
  isInstalled,
  LANGUAGE_NAMES,
  LANGUAGES,
  type LanguageName,
  locksOf,
  missingFor,
} from './languages.ts'

// `npm run interop:install [-- LANGUAGE ...]` fetches the packages of the languages whose clients are tested: of all whose
// programs this machine has, or of those that the arguments name. With --debian it fetches nothing, and prints the
// packages of Debian that the machine lacks.

const { values, positionals } = parseArgs({ allowPositionals: true, options: { debian: { type: 'boolean' } } })
const unknown = positionals.find((name) => !isLanguage(name))
if (unknown !== undefined) {
  console.error(`${unknown} is no language. There are: ${LANGUAGE_NAMES.join(', ')}.`)
  process.exit(2)
}
const names = positionals.length > 0 ? positionals.filter(isLanguage) : LANGUAGE_NAMES

if (values.debian) {
  process.stdout.write([...new Set(names.flatMap(missingFor))].map((name) => `${name}\n`).join(''))
} else {
  for (const name of names) install(name)
}

function isLanguage(name: string): name is LanguageName {
  return name in LANGUAGES
}

function install(name: LanguageName): void {
  for (const used of LANGUAGES[name].uses ?? []) install(used)
  if (isInstalled(name)) return
  const missing = missingFor(name)
  if (missing.length > 0) {
    console.warn(`*** ${name} needs ${missing.join(', ')}. Not installed. ***`)
    // Who names a language wants it, and CI wants all.
    if (positionals.length > 0 || process.env.CI === 'true') process.exitCode = 1
    return
  }
  const { install: commands } = LANGUAGES[name]
  for (const [program, ...args] of commands) {
    execFileSync(program, args, { cwd: folderOf(name), stdio: ['ignore', 'inherit', 'inherit'] })
  }
  mkdirSync(dirname(installedFile(name)), { recursive: true })
  writeFileSync(installedFile(name), locksOf(name))
  console.log(`${name}: installed`)
}
