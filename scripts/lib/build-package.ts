import { globSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { writeLocalConfig } from './local-config.ts'
import { listDatabaseFiles, readStamp, writeStamp } from './local-database.ts'
import { SECRETS } from './local-secrets.ts'
import { prepareWithWrangler } from './prepare-with-wrangler.ts'
import { ROOT } from './root.ts'
import { runWrangler } from './wrangler.ts'

// What the package contains besides files of the project. Node does not run TypeScript in node_modules, so the command
// and the library are built, like the Worker, and the package needs nothing but the runtime.

/** The folder of what is built. package/command/main.ts finds everything there. */
const BUILT = join(ROOT, 'dist', 'package')

/** Builds everything that the package contains. */
export async function buildPackage(): Promise<void> {
  await rm(BUILT, { recursive: true, force: true })
  await buildWorker()
  await Promise.all([writeWorkerOptions(), buildCode(), buildDatabase()])
}

/** Builds the Worker as it is deployed, and the files that it reads. */
async function buildWorker(): Promise<void> {
  const folder = join(BUILT, 'worker')
  await runWrangler(['deploy', '--dry-run', '--env', 'production', '--outdir', folder])
  for (const name of ['README.md', 'index.js.map']) await rm(join(folder, name), { force: true })
}

/** Writes the options of the Worker for Miniflare, without what depends on this machine: its secrets and its paths. */
async function writeWorkerOptions(): Promise<void> {
  const { workerOptions } = unstable_getMiniflareWorkerOptions(await writeLocalConfig())
  // The modules are built already, and the command runs the scheduled job itself.
  const { modulesRules: _, cronTriggers: __, rootPath: ___, bindings = {}, assets, ...options } = workerOptions
  const variables = Object.entries(bindings).filter(([name]) => !(name in SECRETS))
  const portable = {
    ...options,
    bindings: Object.fromEntries(variables),
    assets: { ...assets, directory: undefined },
  }
  await writeFile(join(BUILT, 'worker.json'), JSON.stringify(portable))
}

/** Builds the command and the modules of the library. */
async function buildCode(): Promise<void> {
  const client = globSync(join(ROOT, 'package', 'client', '*.ts'))
  await build({
    entryPoints: {
      command: join(ROOT, 'package', 'command', 'main.ts'),
      ...Object.fromEntries(client.map((file) => [basename(file, '.ts'), file])),
    },
    absWorkingDir: ROOT,
    // The same depth as that of the sources, so that the built files find the root of the package in the same way.
    outdir: BUILT,
    bundle: true,
    // What a start does not need is loaded later.
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    external: ['miniflare', 'vitest', '@playwright/test'],
  })
}

/** Prepares a database, so that the first start copies a file. */
async function buildDatabase(): Promise<void> {
  const made = await mkdtemp(join(tmpdir(), 'galaxy-database-'))
  const packed = join(BUILT, 'state')
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
