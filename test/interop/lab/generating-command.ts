import childProcess from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { ROOT } from '../../../scripts/lib/root.ts'
import type { Column } from './column.ts'

/**
 * The command that generates the client of a column, as its `build` runs it: with `openapi.json` for the document, and
 * `client` for the folder that it writes. Nothing is run.
 *
 * @returns Undefined if the client reads the document when it is used
 */
export async function generatingCommandOf(column: Column): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), PREFIX))
  const document = join(folder, column.document)
  const output = join(folder, 'client')
  await writeFile(document, '{}')
  await mkdir(output)
  let found: string | undefined
  const note = (program: string, args: readonly string[], { cwd, env }: Options, done: Done) => {
    const changed = Object.entries(env).filter(([name, value]) => value !== process.env[name] && !OF_MACHINE.test(name))
    if (found !== undefined || ![...args, ...Object.values(env)].includes(document)) return done(null, '', '')
    found = write([...changed.map((one) => one.join('=')), program, ...args], cwd)
    // What comes next needs what it writes.
    done(new Error('It was not run.'), '', '')
  }
  const { execFile } = childProcess
  const replaceBy = (other: unknown) => {
    Object.assign(childProcess, { execFile: other })
    syncBuiltinESMExports()
  }
  replaceBy(note)
  try {
    await column.build(document, output).catch(() => undefined)
  } finally {
    replaceBy(execFile)
    await rm(folder, { recursive: true })
  }
  return found
}

interface Options {
  cwd: string
  env: Readonly<Record<string, string | undefined>>
}

type Done = (error: Error | null, stdout: string, stderr: string) => void

const PREFIX = 'galaxy-lab-command-'
/** Variables that say where programs are, and how they run. */
const OF_MACHINE = /^(?:PATH$|GO|PYTHON)/
/** The folder of the document and the client, absolute or relative. */
const FOLDER = new RegExp(`[^\\s=]*${PREFIX}[^/]+/`, 'g')
/** How openapi-generator is started, without its options. */
const GENERATOR = /^java .* org\.openapitools\.codegen\.OpenAPIGenerator/

/** A command for people: with paths from the folder in which it runs. */
function write(words: readonly string[], cwd: string): string {
  const command = words
    .map((word) => (word.startsWith(`${ROOT}/`) ? relative(cwd, word) : word))
    .join(' ')
    .replace(GENERATOR, 'openapi-generator')
    .replaceAll(FOLDER, '')
    .replaceAll(`${cwd}/`, '')
  return cwd.startsWith(`${ROOT}/`) ? `cd ${relative(ROOT, cwd)} && ${command}` : command
}
