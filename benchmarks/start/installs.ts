import { execFile } from 'node:child_process'
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../scripts/lib/root.ts'
import { FOLDER } from '../performance/packages.ts'

const run = promisify(execFile)

/** What a fresh installation puts on the disk. */
export interface Installation {
  /** Where the packages are. */
  folder: string
  /** The number of installed packages. */
  packages: number
  /** The size that `du` tells, in MB (10^6 bytes). */
  megabytes: number
}

/** Packs this checkout as users get it. @returns The path of the packed file */
export async function packGalaxy(folder: string): Promise<string> {
  await run('npm', ['pack', '--pack-destination', folder], { cwd: ROOT })
  const file = (await readdir(folder)).find((name) => name.endsWith('.tgz'))
  if (file === undefined) throw new Error('npm pack has made no file')
  return join(folder, file)
}

/** The packages of benchmarks/package.json with these names, in their versions. */
export async function peerPackages(names: readonly string[]): Promise<string[]> {
  const { dependencies } = JSON.parse(await readFile(join(FOLDER, 'package.json'), 'utf8'))
  return names.map((name) => {
    if (!(name in dependencies)) throw new Error(`benchmarks/package.json does not name ${name}`)
    return `${name}@${dependencies[name]}`
  })
}

/**
 * Installs packages in a new folder, as somebody does who has nothing yet.
 *
 * @param packages As `npm install` takes them
 * @param files Files that the folder needs besides, which are not counted
 */
export async function installFresh(
  folder: string,
  packages: readonly string[],
  files: readonly string[] = [],
): Promise<Installation> {
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  // Without the prefix, npm would install in a folder above that has a package.json.
  await run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', ...packages], { cwd: folder })
  for (const file of files) await copyFile(file, join(folder, basename(file)))
  return { folder, packages: await countPackages(folder), megabytes: await sizeOf(join(folder, 'node_modules')) }
}

/** Counts what is installed in a folder. npm may list optional packages that this machine does not get. */
export async function countPackages(folder: string): Promise<number> {
  const { packages } = JSON.parse(await readFile(join(folder, 'node_modules', '.package-lock.json'), 'utf8'))
  const isInstalled = await Promise.all(Object.keys(packages).map((path) => exists(join(folder, path, 'package.json'))))
  return isInstalled.filter(Boolean).length
}

/** What a folder takes on the disk, in MB (10^6 bytes). */
export async function sizeOf(folder: string): Promise<number> {
  const { stdout } = await run('du', ['-sk', folder])
  return (Number.parseInt(stdout, 10) * 1024) / 1e6
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
