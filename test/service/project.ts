import { execFile } from 'node:child_process'
import { glob, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
