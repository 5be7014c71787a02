import { readFileSync } from 'node:fs'
import { glob, writeFile } from 'node:fs/promises'
import { basename, delimiter, join } from 'node:path'
import { type Command, folderOf, type LanguageName } from './languages.ts'

// Programs for the Java virtual machine. Maven only fetches what they need.

/** The programs run for seconds: more compilers and collectors of the machine would cost more than they gain. */
const SHORT_RUN = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']

/** The jars that the lock file of a language names, as a class path. */
export function jarsOf(language: LanguageName): string {
  const lines = readFileSync(join(folderOf(language), 'checksums.sha256'), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => join(folderOf(language), line.split('  ')[1] ?? '')).join(delimiter)
}

/**
 * The version of a jar that the lock file of a language names.
 *
 * @throws Error if it names none
 */
export function versionOfJar(language: LanguageName, artifact: string): string {
  const prefix = `${artifact}-`
  const jar = jarsOf(language)
    .split(delimiter)
    .map((file) => basename(file, '.jar'))
    .find((name) => name.startsWith(prefix) && /^\d/.test(name.slice(prefix.length)))
  if (jar === undefined) throw new Error(`${language} has no ${artifact}`)
  return jar.slice(prefix.length)
}

/** Runs a class. */
export const java = (classPath: string, ...args: string[]): Command => ['java', ...SHORT_RUN, '-cp', classPath, ...args]

/**
 * Compiles sources of Java for Java 11. The names of parameters are kept.
 *
 * @param output The folder for the classes
 * @param folders The folders of the sources
 * @param files Further sources
 */
export async function javac(output: string, classPath: string, folders: string[], files: string[]): Promise<Command> {
  const found = await Array.fromAsync(glob(folders.map((folder) => `${folder}/**/*.java`)))
  const list = join(output, 'sources.txt')
  await writeFile(list, [...found, ...files].map((file) => `"${file}"\n`).join(''))
  const options = ['--release', '11', '-parameters', '-proc:none', '-nowarn', '-encoding', 'UTF-8']
  return [
    'javac',
    ...SHORT_RUN.map((option) => `-J${option}`),
    ...options,
    ...['-cp', classPath, '-d', output, `@${list}`],
  ]
}

/**
 * Compiles sources of Kotlin. The names of parameters are kept.
 *
 * @param output The folder for the classes
 * @param sources Files and folders
 */
export function kotlinc(output: string, sources: string[]): Command {
  const jars = jarsOf('kotlin')
  const options = ['-no-stdlib', '-no-reflect', '-nowarn', '-java-parameters', '-cp', jars, '-d', output]
  return java(jars, 'org.jetbrains.kotlin.cli.jvm.K2JVMCompiler', ...options, ...sources)
}
