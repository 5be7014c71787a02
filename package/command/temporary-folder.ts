import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { lstat, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { lockFolder } from './lock.ts'

const PREFIX = 'galaxy-run-'

/** The names that `mkdtemp` makes of the prefix. */
const NAME = new RegExp(`^${PREFIX}[A-Za-z0-9]{6}$`)

/** The first file in a folder. Without it, the folder is somebody else's, whatever its name is. */
const MARK = 'made-by-galaxy'

/** What the mark contains. A copy of a folder has another name than its mark says. */
const markOf = (name: string) => `galaxy has made ${name} for temporary files. The next start removes it.\n`

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
  writeFileSync(join(folder, MARK), markOf(basename(folder)), { flag: 'wx' })
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
 * Removes the temporary folders of processes that were killed. What cannot be removed stays, and so does everything
 * that has no mark.
 *
 * @param parent The folder in which they are
 */
export async function removeLeftFolders(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => [])
  for (const name of names.filter((name) => NAME.test(name))) {
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
  if (!(await isMarked(folder))) return
  const unlock = lockFolder(folder)
  if (!unlock) return
  unlock()
  await rm(folder, { recursive: true, force: true })
}

/** @throws Error of the file system, if there is no mark */
async function isMarked(folder: string): Promise<boolean> {
  const mark = join(folder, MARK)
  if (!(await lstat(mark)).isFile()) return false
  return (await readFile(mark, 'utf8')) === markOf(basename(folder))
}
