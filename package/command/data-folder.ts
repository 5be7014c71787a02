import { chmod, copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { databaseFolder, listDatabaseFiles, readStamp } from '../../scripts/lib/local-database.ts'
import { makeFolder } from '../../scripts/lib/make-folder.ts'
import { Failure, failureIn } from './exit.ts'
import { LOCK, lockFolder } from './lock.ts'

/**
 * Takes the folder in which the service stores everything, and makes it if it does not exist.
 *
 * @throws Failure if it cannot be used, or another process uses it
 */
export async function openDataFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder, 0o700)
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

/**
 * Copies the files of a database, and removes nothing but what belongs to these. They get their names when all are there,
 * and the database itself gets its name last: without it, the next start copies again.
 */
async function copyDatabase(folder: string, prepared: string): Promise<void> {
  const source = databaseFolder(prepared)
  const databases = listDatabaseFiles(prepared)
  const entries = await readdir(source, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const copies = [...files.filter((file) => !databases.includes(file)), ...databases].map((file) => ({
    file,
    copy: join(databaseFolder(folder), relative(source, file)),
    draft: join(databaseFolder(folder), `${relative(source, file)}.new`),
  }))
  try {
    for (const { file, draft } of copies) {
      // Folders are made and not copied: those of an installed package may be read-only.
      await mkdir(dirname(draft), { recursive: true })
      await copyFile(file, draft)
      await chmod(draft, 0o600)
    }
    for (const { copy, draft } of copies) {
      // What SQLite would apply to a file of this name.
      for (const suffix of ['-wal', '-shm', '-journal']) await rm(`${copy}${suffix}`, { force: true })
      await rename(draft, copy)
    }
  } catch (error) {
    for (const { draft } of copies) await rm(draft, { force: true })
    throw error
  }
}
