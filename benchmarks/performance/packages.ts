import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ROOT } from '../../scripts/lib/root.ts'

// The packages that only the benchmarks need: the load, the peers, and a client of WebSockets. They have a package.json and a lock file of their
// own, so that `npm ci` of the project does not install them.

/** Where they are installed. */
export const FOLDER = join(ROOT, 'benchmarks')

/** Installs the packages of the benchmark, unless exactly these versions are installed. */
export function ensurePackages(): void {
  const { dependencies } = readJson(join(FOLDER, 'package.json')) as { dependencies: Record<string, string> }
  if (Object.entries(dependencies).every(([name, version]) => installedVersion(name) === version)) return
  console.log('Installing what only the benchmark needs: npm ci --prefix benchmarks')
  execFileSync('npm', ['ci', '--prefix', FOLDER], { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32' })
}

/** Loads a package of the benchmark. */
// biome-ignore lint/suspicious/noExplicitAny: a package loaded by its name has no types
export function requirePackage(name: string): any {
  ensurePackages()
  return createRequire(join(FOLDER, 'package.json'))(name)
}

/** The path of a file of a package of the benchmark. */
export function packageFile(name: string, path: string): string {
  return join(FOLDER, 'node_modules', name, path)
}

/** The version of an installed package of the benchmark; undefined if it is not installed. */
export function installedVersion(name: string): string | undefined {
  return versionIn(packageFile(name, 'package.json'))
}

/** The version of an installed package of the project. */
export function projectVersion(name: string): string | undefined {
  return versionIn(join(ROOT, 'node_modules', name, 'package.json'))
}

function versionIn(file: string): string | undefined {
  try {
    return (readJson(file) as { version: string }).version
  } catch {
    return undefined
  }
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}
