import { execFile } from 'node:child_process'
import { glob, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../scripts/lib/root.ts'
import { makeOfflineNpm } from './offline-npm.ts'

const run = promisify(execFile)

/** A folder in which the package is installed. */
export interface Project {
  folder: string
  remove(): Promise<void>
}

/** Installs the package as its users do, with `npm install`. The preparation of the tests has built what it contains. */
export async function makeProject(): Promise<Project> {
  const place = await mkdtemp(join(tmpdir(), 'galaxy-project-'))
  const [npm = '', folder = ''] = ['npm', 'project'].map((name) => join(place, name))
  for (const name of [npm, folder]) await mkdir(name)
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', place], { cwd: ROOT })
  const [file = ''] = await Array.fromAsync(glob('*.tgz', { cwd: place }))
  await run(join(await makeOfflineNpm(npm), 'npm'), ['install', '--prefix', folder, join(place, file)])
  return { folder, remove: () => rm(place, { recursive: true, force: true }) }
}

/** Adds packages that are installed here to a project, with their commands, as links. */
export async function addPackages({ folder }: Project, names: readonly string[]): Promise<void> {
  const modules = join(folder, 'node_modules')
  for (const name of names) {
    const target = join(ROOT, 'node_modules', name)
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(target, join(modules, name))
    const { bin = {} } = JSON.parse(await readFile(join(target, 'package.json'), 'utf8'))
    for (const [command, path] of Object.entries<string>(bin))
      await symlink(join(target, path), join(modules, '.bin', command))
  }
}
