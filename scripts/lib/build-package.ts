import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler'
import { writeLocalConfig } from './local-config.ts'
import { listDatabaseFiles, readStamp, writeStamp } from './local-database.ts'
import { bundleJudge, bundleLibrary, bundlePackage } from './package-bundle.ts'
import { prepareWithWrangler } from './prepare-with-wrangler.ts'
import { BUILT, ROOT } from './root.ts'
import { runWrangler } from './wrangler.ts'

// What the package contains besides files of the project. Node does not run TypeScript in node_modules, so the command
// and the library are built, like the Worker, and the package needs nothing but the runtime.

const run = promisify(execFile)

/** Builds everything that the package contains. A service that runs from the folder goes on. */
export async function buildPackage(): Promise<void> {
  await mkdir(dirname(BUILT), { recursive: true })
  const draft = await mkdtemp(`${BUILT}-`)
  try {
    await buildWorker(draft)
    await Promise.all([
      writeWorkerOptions(draft),
      bundlePackage(draft),
      buildLibrary(join(draft, 'client')),
      buildJudge(join(draft, 'lab')),
      buildDatabase(join(draft, 'state')),
    ])
    await rm(BUILT, { recursive: true, force: true })
    await rename(draft, BUILT)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** Builds the Worker as it is deployed, and the files that it reads. */
async function buildWorker(built: string): Promise<void> {
  const folder = join(built, 'worker')
  await runWrangler(['deploy', '--dry-run', '--env', 'production', '--outdir', folder])
  for (const name of ['README.md', 'index.js.map']) await rm(join(folder, name), { force: true })
}

/** Writes the options of the Worker for Miniflare. */
async function writeWorkerOptions(built: string): Promise<void> {
  await writeFile(join(built, 'worker.json'), JSON.stringify(await readWorkerOptions()))
}

/**
 * The options of the Worker for Miniflare, without what depends on this machine: its paths, its secrets, and the
 * variables of `.dev.vars`, of `.env` and of the environment, with which wrangler would replace those of wrangler.toml.
 */
export async function readWorkerOptions(): Promise<object> {
  const config = unstable_readConfig({ config: await writeLocalConfig() })
  const { workerOptions } = unstable_getMiniflareWorkerOptions(config)
  // The modules are built already, and the command runs the scheduled job itself.
  const { modulesRules: _, cronTriggers: __, rootPath: ___, ...options } = workerOptions
  const { assets } = options as { assets: object }
  return { ...options, bindings: config.vars, assets: { ...assets, directory: undefined } }
}

/** Builds the modules of the library, with their types, and `galaxy` itself as CommonJS too, for jest. */
async function buildLibrary(folder: string): Promise<void> {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const places = ['-p', join(ROOT, 'package', 'client'), '--outDir', folder]
  await run(process.execPath, [tsc, ...places, '--noEmit', 'false', '--declaration', '--singleThreaded'])
  const common = join(folder, 'cjs')
  await bundleLibrary(join(folder, 'index.js'), common)
  await writeFile(join(common, 'package.json'), '{ "type": "commonjs" }\n')
  for (const name of await readdir(folder)) {
    if (name.endsWith('.d.ts') && !/^(vitest|playwright)/.test(name)) await cp(join(folder, name), join(common, name))
  }
}

/** Builds `galaxy/lab`, as a module and as CommonJS, each with the types. */
async function buildJudge(folder: string): Promise<void> {
  const common = join(folder, 'cjs')
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const types = ['-p', join(ROOT, 'package', 'lab'), '--outDir', join(folder, 'types'), '--noEmit', 'false']
  await Promise.all([
    bundleJudge(folder, 'esm'),
    bundleJudge(common, 'cjs'),
    run(process.execPath, [tsc, ...types, '--singleThreaded']),
  ])
  await cp(join(folder, 'types'), join(common, 'types'), { recursive: true })
  await writeFile(join(common, 'package.json'), '{ "type": "commonjs" }\n')
}

/** Prepares a database, so that the first start copies a file. */
async function buildDatabase(packed: string): Promise<void> {
  const made = await mkdtemp(join(tmpdir(), 'galaxy-database-'))
  try {
    await prepareWithWrangler(made)
    // Without what the runtime has left beside it.
    for (const file of listDatabaseFiles(made)) {
      const copy = join(packed, relative(made, file))
      await mkdir(dirname(copy), { recursive: true })
      await cp(file, copy)
    }
    await writeStamp(packed, await readStamp(made))
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}
