import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderOf, type LanguageName } from './languages.ts'

/** The version of a package of npm that the lock file of a language names. */
export async function versionOfPackage(language: LanguageName, name: string): Promise<string> {
  const { packages } = JSON.parse(await readFile(join(folderOf(language), 'package-lock.json'), 'utf8'))
  return String(packages[`node_modules/${name}`].version)
}
