import { mkdtempSync, rmSync } from 'node:fs'
import { lstat, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lockFolder } from './lock.ts'

const PREFIX = 'galaxy-run-'

/** How old a folder is before another process may remove it. Until then, its process may be about to lock it. */
const UNLOCKED_MS = 5_000

/**
 * Makes a folder for everything temporary, that of the runtime included. It is removed when this process ends. If the
 * process is killed, the next one removes it (`removeLeftFolders`).
 *
 * @throws Error of the file system
 */
export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), PREFIX))
  const unlock = lockFolder(folder)
  process.on('exit', () => {
    unlock?.()
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    } catch {
      // The next process removes it.
    }
  })
  return folder
}

/** Where this process finds its temporary folder: this is what `os.tmpdir()` and the runtime read. */
export const TEMPORARY_VARIABLES = ['TMPDIR', 'TEMP', 'TMP']

/**
 * Removes the temporary folders of processes that were killed. What cannot be removed stays.
 *
 * @param parent The folder in which they are
 */
export async function removeLeftFolders(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  for (const name of names.filter((name) => name.startsWith(PREFIX))) {
    // Somebody else's folder, or one that another process removes at this moment, is not an error.
    await removeIfLeft(join(parent, name)).catch(() => {})
  }
}

async function removeIfLeft(folder: string): Promise<void> {
  // Not what a link leads to: anybody can make one here.
  const found = await lstat(folder)
  if (!found.isDirectory()) return
  const { birthtimeMs, mtimeMs, uid } = found
  const isYoung = Date.now() - Math.max(birthtimeMs, mtimeMs) < UNLOCKED_MS
  if (isYoung || (process.getuid && uid !== process.getuid())) return
  const unlock = lockFolder(folder)
  if (!unlock) return
  unlock()
  await rm(folder, { recursive: true, force: true })
}
