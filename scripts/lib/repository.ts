import { execFile, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { Failure } from './failure.ts'
import type { TextFile } from './release-versions.ts'

// What a release does with git, and in a clone.

const run = promisify(execFile)
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024

/** @returns What git printed, without white space at the end */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', args, { cwd: folder, maxBuffer: OUTPUT_MAX_BYTES })
  return stdout.trimEnd()
}

/** The files of the working tree that git knows and that contain no zero byte, as git tells texts from other files. */
export async function readTextFiles(folder: string): Promise<TextFile[]> {
  const paths = (await git(folder, 'ls-files', '-z')).split('\0').filter(Boolean)
  const files = await Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(folder, path), 'utf8').catch(() => '\0') })),
  )
  return files.filter(({ text }) => !text.includes('\0'))
}

/**
 * Runs a command of a clone, and shows what it prints. It gets the environment of the caller, but nothing of the project
 * that runs the release.
 *
 * @throws Failure if it fails
 */
export async function runIn(folder: string, root: string, command: readonly string[]): Promise<void> {
  const [program = '', ...args] = command
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'], env: environment(root) })
  const code = await new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject))
  if (code !== 0) throw new Failure(`${command.join(' ')} has failed (${code}).`)
}

/** npm tells its children where it runs, and they would find the programs of that place first. */
function environment(root: string): NodeJS.ProcessEnv {
  const told = Object.keys(process.env).filter((name) => /^(npm_|INIT_CWD$|NODE_OPTIONS$)/i.test(name))
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.startsWith(root))
  return {
    ...process.env,
    ...Object.fromEntries(told.map((name) => [name, undefined])),
    PATH: path.join(delimiter),
    CI: 'true',
  }
}
