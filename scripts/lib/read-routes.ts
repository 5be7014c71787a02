import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import type * as App from '../../src/app.ts'
import type * as Sockets from '../../src/features/live/socket-routes.ts'
import type { Route } from '../../src/http/pipeline/route.ts'
import { buildFiles } from './build-files.ts'
import type * as Located from './located-routes.ts'
import { ROOT } from './root.ts'

export interface LocatedRoute {
  route: Route
  /** Where it is declared, from the root of the project. */
  file: string
}

const DECLARATIONS = ['src/app.ts', 'src/features/live/socket-routes.ts', 'scripts/lib/located-routes.ts']
const REPLACED = join(ROOT, 'src', 'http', 'pipeline', 'route.ts')
const REPLACEMENT = join(ROOT, 'scripts', 'lib', 'located-routes.ts')

const locateRoutes: Plugin = {
  name: 'locate-routes',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/route\.ts$/ }, ({ path, resolveDir, importer }) =>
      importer !== REPLACEMENT && join(resolveDir, path) === REPLACED ? { path: REPLACEMENT } : undefined,
    ),
}

/** The routes of all worlds, those of WebSockets included, in the order in which they are declared. */
export async function readRoutes(): Promise<LocatedRoute[]> {
  await buildFiles()
  const folder = join(ROOT, 'dist', `routes.${process.pid}`)
  const { outputFiles } = await build({
    stdin: { contents: DECLARATIONS.map((path) => `export * from './${path}'`).join('\n'), resolveDir: ROOT },
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*'],
    // With it, Node names the files of the sources in stack traces.
    sourcemap: 'inline',
    sourcesContent: false,
    outdir: folder,
    plugins: [locateRoutes],
    write: false,
  })
  const file = join(folder, 'routes.mjs')
  await mkdir(folder, { recursive: true })
  try {
    await writeFile(file, outputFiles[0]?.contents ?? '')
    process.setSourceMapsEnabled(true)
    const declared: typeof App & typeof Sockets & typeof Located = await import(pathToFileURL(file).href)
    const routes = [...declared.DOCUMENTED_ROUTES.common, ...declared.socketRoutes]
    return routes.map((route) => ({ route, file: declared.FILES.get(route.operationId) ?? '' }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
