import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readlink, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../scripts/lib/root.ts'

const run = promisify(execFile)

/** The first commands of `npm` that the one of `makeOfflineNpm` changes. All others are those of the real one. */
const script = (npm: string, modules: string) => `#!/usr/bin/env bash
set -e
case $1 in
  # What the lock file names is linked there already.
  ci) [ -e package-lock.json ] && [ -e node_modules ] ;;
  # npm finds what the package depends on in the folder. It would fail if something were missing.
  install)
    [ "$2" = --prefix ]
    mkdir -p "$3"
    cp -R '${modules}' "$3"
    exec '${npm}' "$@" --offline --cache '${modules}.cache'
    ;;
  # What only the project itself needs goes. The linked packages stay where they are.
  prune)
    rm node_modules
    cp -R '${modules}' .
    ;;
  *) exec '${npm}' "$@" ;;
esac
`

/**
 * Makes an `npm` that needs no registry. `npm ci` does nothing, and `npm install --prefix FOLDER FILE` finds the
 * packages that ours depends on in the folder, as they are installed here, and none else. `npm prune` leaves only these.
 *
 * @param folder An empty folder for it
 * @returns The folder with the command, for PATH
 */
export async function makeOfflineNpm(folder: string): Promise<string> {
  const modules = join(folder, 'node_modules')
  const { stdout } = await run('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: ROOT })
  const paths = stdout.split('\n').map((path) => relative(join(ROOT, 'node_modules'), path))
  const needed = new Set(paths.filter((path) => /^(@[^/]+\/)?[^@./][^/]*$/.test(path)))
  for (const name of needed) await cp(join(ROOT, 'node_modules', name), join(modules, name), { recursive: true })
  await linkCommands(join(modules, '.bin'), needed)
  const commands = join(folder, 'bin')
  await mkdir(commands)
  const { stdout: npm } = await run('sh', ['-c', 'command -v npm'])
  await writeFile(join(commands, 'npm'), script(npm.trim(), modules), { mode: 0o755 })
  return commands
}

/** npm would fetch a package anew if the links to its commands were missing. */
async function linkCommands(folder: string, packages: ReadonlySet<string>): Promise<void> {
  await mkdir(folder, { recursive: true })
  const installed = join(ROOT, 'node_modules', '.bin')
  for (const name of await readdir(installed)) {
    const target = await readlink(join(installed, name))
    const [, owner = ''] = /^\.\.\/((?:@[^/]+\/)?[^/]+)/.exec(target) ?? []
    if (packages.has(owner)) await symlink(target, join(folder, name))
  }
}
