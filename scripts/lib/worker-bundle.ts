import { join } from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './root.ts'

/** Bundles code of the Worker as wrangler does, without writing it. @param entry Absolute path of the first file */
export async function bundleForWorker(entry: string) {
  return await build({
    entryPoints: [entry],
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*'],
    outdir: join(ROOT, 'dist'),
    minify: true,
    metafile: true,
    write: false,
  })
}
