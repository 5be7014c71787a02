import { execFile } from 'node:child_process'
import { cp, glob, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { layOutPackedFiles } from '../../scripts/lib/packed-files.ts'
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
  const [npm = '', folder = '', clone = ''] = ['npm', 'project', 'clone'].map((name) => join(place, name))
  for (const name of [npm, folder]) await mkdir(name)
  await copyPacked(clone)
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', place], { cwd: clone })
  const [file = ''] = await Array.fromAsync(glob('*.tgz', { cwd: place }))
  await run(join(await makeOfflineNpm(npm), 'npm'), ['install', '--prefix', folder, join(place, file)])
  return { folder, remove: () => rm(place, { recursive: true, force: true }) }
}

/**
 * Copies what npm packs, with the files of the package in their places. Other tests read those of the clone meanwhile,
 * so here it is not done in the clone itself, as `npm pack` does it.
 */
async function copyPacked(folder: string): Promise<void> {
  const { files } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
  const always = ['package.json', 'README.md', 'LICENSE', join('package', 'packed-readme.md')]
  for await (const path of glob([...files, ...always], { cwd: ROOT }))
    await cp(join(ROOT, path), join(folder, path), { recursive: true })
  await layOutPackedFiles(folder)
}

/**
 * Adds packages that are installed here to a project, with their commands, as links.
 *
 * @param from The folder in which they are installed
 */
export async function addPackages({ folder }: Project, names: readonly string[], from = ROOT): Promise<void> {
  const modules = join(folder, 'node_modules')
  for (const name of names) {
    const target = join(from, 'node_modules', name)
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(target, join(modules, name))
    const { bin = {} } = JSON.parse(await readFile(join(target, 'package.json'), 'utf8'))
    const commands: Record<string, string> = typeof bin === 'string' ? { [name]: bin } : bin
    for (const [command, path] of Object.entries(commands))
      await symlink(join(target, path), join(modules, '.bin', command))
  }
}
