import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system in memory. Linux has it. */
const MEMORY = '/dev/shm'
/** Several times what a complete run uses (125 MiB). Some containers have only 64 MiB there. */
const NEEDED_BYTES = 1024 ** 3
/**
 * The variable in which the folder of this machine is kept, because vitest evaluates its configuration several times.
 */
const BEFORE = 'TMPDIR_BEFORE_TESTS'

/**
 * From now on, this process keeps its temporary files in memory, if there is room. What it starts does the same. The
 * files are removed when it ends, unless it is killed.
 *
 * A database in memory does not wait for a disk at each write. That saves a fifth of the time of the Workers tests.
 *
 * @returns The folder that this machine has for temporary files
 */
export function keepTemporaryFilesInMemory(): string {
  const before = process.env[BEFORE]
  if (before !== undefined) return before
  const folder = tmpdir()
  process.env[BEFORE] = folder
  process.env.TMPDIR = makeMemoryFolder() ?? folder
  return folder
}

/** @returns undefined if there is no memory to write to, or not enough */
function makeMemoryFolder(): string | undefined {
  try {
    if (!hasRoom(MEMORY)) return undefined
    const folder = mkdtempSync(join(MEMORY, 'galaxy-test-'))
    process.on('exit', () => removeFolder(folder))
    return folder
  } catch {
    // Some containers let nobody write there. The tests only take longer then.
    return undefined
  }
}

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize >= NEEDED_BYTES
}

function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    // A runtime that is being stopped may still write there. The result of the tests does not depend on it.
  }
}
