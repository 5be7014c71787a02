import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { folderOf, type LanguageName } from './languages.ts'

/** The version of a package of PyPI that the requirements of a language name. */
export async function versionOfRequirement(language: LanguageName, name: string): Promise<string> {
  const locked = await readFile(join(folderOf(language), 'requirements.txt'), 'utf8')
  const line = locked.split('\n').find((one) => one.startsWith(`${name}==`))
  return String(/==(\S+)/.exec(line ?? '')?.[1])
}
