import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail } from './fail.ts'

/** Reads the arguments of a command. If they are not valid, the command prints its usage and ends. */
export function readArgumentsOr<Arguments>(usage: string, read: () => Arguments): Arguments {
  try {
    return read()
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : error}\nUsage: ${usage}`, 2)
  }
}

/** Makes a folder that only this user can read. It is removed when the process ends. */
export async function makeOwnFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'galaxy-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
