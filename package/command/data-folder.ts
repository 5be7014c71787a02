import { chmod, copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { databaseFolder, listDatabaseFiles, readStamp } from '../../scripts/lib/local-database.ts'
import { Failure, failureIn } from './exit.ts'
import { LOCK, lockFolder } from './lock.ts'

/**
 * Takes the folder in which the service stores everything, and makes it if it does not exist.
 *
 * @throws Failure if it cannot be used, or another process uses it
 */
export async function openDataFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const unlock = lockFolder(folder)
    if (!unlock)
      throw new Failure('folder', `Another galaxy uses the folder ${folder}. Stop it, or use --persist-to or --memory.`)
    process.on('exit', unlock)
    // It will contain secrets, and may be in a folder of git. What else is there already, git may have to know.
    const isEmpty = (await readdir(folder)).every((name) => name.startsWith(LOCK))
    if (isEmpty) await writeFile(join(folder, '.gitignore'), '*\n')
  } catch (error) {
    throw failureIn(folder, error)
  }
}

/**
 * Brings the database in a folder up to date. A new one is a copy.
 *
 * @param prepared A state folder with nothing but a prepared database
 * @throws Failure if the folder cannot be used, is full, or has a database that this version does not know
 */
export async function prepareData(folder: string, prepared: string): Promise<void> {
  try {
    if (listDatabaseFiles(folder).length === 0) await copyDatabase(folder, prepared)
    else if ((await readStamp(folder)) !== (await readStamp(prepared))) {
      // Imported only now, because most starts do not need it.
      const { prepareDatabase } = await import('../../scripts/lib/prepare.ts')
      await prepareDatabase(folder, () => copyDatabase(folder, prepared))
    }
  } catch (error) {
    throw failureIn(folder, error)
  }
}

/** Copies all or nothing. */
async function copyDatabase(folder: string, prepared: string): Promise<void> {
  const place = databaseFolder(folder)
  const draft = `${place}.new`
  try {
    await rm(draft, { recursive: true, force: true })
    // Folders are made and not copied: those of an installed package may be read-only, and what is in such a folder
    // cannot be removed if the copy is interrupted.
    const source = databaseFolder(prepared)
    for (const entry of await readdir(source, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const file = join(entry.parentPath, entry.name)
      const copy = join(draft, relative(source, file))
      await mkdir(dirname(copy), { recursive: true })
      await copyFile(file, copy)
      await chmod(copy, 0o600)
    }
    await rm(place, { recursive: true, force: true })
    await rename(draft, place)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}
