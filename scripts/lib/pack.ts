import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { PACKAGED_WORKER } from './local-config.ts'
import { ROOT, runWrangler } from './wrangler.ts'

// `npm pack` runs this first: it builds what the package contains besides files of the project. Node does not run
// TypeScript in node_modules, and esbuild does not read a tsconfig.json there. So both the Worker and the command are
// built, and the package needs nothing but wrangler.

await runWrangler(['deploy', '--dry-run', '--env', 'production', '--outdir', dirname(PACKAGED_WORKER)])
await build({
  entryPoints: ['start', 'close-runtime'].map((name) => join(ROOT, 'scripts', 'lib', `${name}.ts`)),
  absWorkingDir: ROOT,
  // The same depth as the sources, so that the built files find the root of the package in the same way.
  outdir: join(ROOT, 'dist', 'npx'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  // CommonJS packages in the bundle call `require`, which does not exist in an ES module.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url)",
  },
})
