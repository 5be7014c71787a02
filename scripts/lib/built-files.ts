import { createHash } from 'node:crypto'
import { access, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ROOT } from './root.ts'

// Writes the files of a build. Several builds may run at the same time, while a service reads the files.

/** Writes a file, unless it already has this content. Creates its folder. */
export async function writeIfChanged(path: string, content: Uint8Array): Promise<void> {
  const present = await readFile(path).catch(() => undefined)
  if (present?.equals(content)) return
  await mkdir(dirname(path), { recursive: true })
  await replaceFile(path, (draft) => writeFile(draft, content))
}

/** Writes a file elsewhere and then renames it, because a running service may be reading it. */
export async function replaceFile(path: string, write: (draft: string) => Promise<void>): Promise<void> {
  const draft = join(ROOT, 'dist', `${basename(path)}.${process.pid}`)
  await write(draft)
  await rename(draft, path)
}

export async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  )
}

/** Enough to tell the builds of one machine apart. */
const DIGEST_CHARACTERS = 16

/** How long the files of an earlier build stay, because a page that is open may still load them. */
const KEPT_MS = 60 * 60 * 1000

/**
 * Removes what earlier builds have written to a folder, if it is older than `KEPT_MS`. Newer files stay even if this
 * build did not write them, because a build of other sources may be running at the same time.
 */
export async function removeOld(folder: string, current: readonly string[]): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    if (current.includes(name) || Date.now() - (await stat(path)).mtimeMs < KEPT_MS) continue
    await rm(path, { recursive: true, force: true })
  }
}

/**
 * A digest of files, and of everything in folders. As long as it stays the same, nothing has to be built from them
 * again.
 *
 * @param sources Paths of files and folders, from the root of the project
 */
export async function digestSources(sources: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const source of sources) {
    for (const file of await listFiles(join(ROOT, source))) {
      hash.update(file.slice(ROOT.length)).update(await readFile(file))
    }
  }
  return hash.digest('hex').slice(0, DIGEST_CHARACTERS)
}

/** The file itself, or the files in a folder, sorted. */
async function listFiles(path: string): Promise<string[]> {
  if ((await stat(path)).isFile()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
