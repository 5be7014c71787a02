import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder, and those above it that do not exist. `mkdir` of Node with `recursive` never ends where the system says
 * of a folder that exists that it does not, as Linux does below /proc.
 *
 * @param mode The rights of the folders that it makes
 * @throws Error of the file system
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  try {
    await mkdir(path, { mode })
  } catch (error) {
    if (await isFolder(path)) return
    const above = dirname(path)
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT' && above !== path && !(await isFolder(above))
    if (!isMissing) throw error
    await makeFolder(above, mode)
    await makeFolder(path, mode)
  }
}

const isFolder = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
