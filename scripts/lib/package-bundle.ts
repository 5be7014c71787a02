import { join } from 'node:path'
import { type BuildResult, build } from 'esbuild'
import { ROOT } from './root.ts'

/**
 * Bundles the command of the package.
 *
 * @param folder Where the files are written; undefined: nowhere
 */
export async function bundlePackage(folder?: string): Promise<BuildResult<{ metafile: true }>> {
  return await build({
    entryPoints: { command: join(ROOT, 'package', 'command', 'main.ts') },
    absWorkingDir: ROOT,
    // The same depth as that of the sources, so that the built files find the root of the package in the same way.
    outdir: folder ?? ROOT,
    write: folder !== undefined,
    metafile: true,
    bundle: true,
    // What a start does not need is loaded later.
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    external: ['miniflare'],
  })
}

/** Bundles the judge of the laboratory (`galaxy/lab`), which needs nothing of the runtime. */
export async function bundleJudge(folder: string, format: 'esm' | 'cjs'): Promise<void> {
  await build({
    entryPoints: { index: join(ROOT, 'laboratory', 'library.ts') },
    absWorkingDir: ROOT,
    outdir: folder,
    bundle: true,
    platform: 'neutral',
    format,
    target: 'node22',
  })
}

/** Bundles `galaxy` as CommonJS. Where a module of ours finds its own URL, CommonJS has the name of its file. */
export async function bundleLibrary(entry: string, folder: string): Promise<void> {
  await build({
    entryPoints: { index: entry },
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    define: { 'import.meta.url': '__filename' },
  })
}
