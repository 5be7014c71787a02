import { execFile } from 'node:child_process'
import { cp, readFile, symlink } from 'node:fs/promises'
import { join, matchesGlob } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../scripts/lib/root.ts'

const run = promisify(execFile)

/**
 * Copies what git would check out, with the changes that are not committed yet. In the place of `npm ci` there is a link
 * to the installed packages.
 *
 * @param folder The new folder. It has nothing that the Docker image is made without
 */
export async function makeCheckout(folder: string): Promise<void> {
  const ignored = (await readFile(join(ROOT, '.dockerignore'), 'utf8')).split('\n').filter((line) => /^[^#]/.test(line))
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  const isIgnored = (file: string) =>
    ignored.some((pattern) => matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`))
  const files = stdout.split('\n').filter((file) => file !== '' && !isIgnored(file))
  await Promise.all(files.map((file) => cp(join(ROOT, file), join(folder, file))))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}
