// `npm pack` runs this first.
import './stop.ts'

// The secrets are those of the user, so wrangler need not warn that there are none.
process.env.WRANGLER_LOG ??= 'error'
const { buildPackage } = await import('./build-package.ts')
await buildPackage()
