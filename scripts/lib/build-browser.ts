import { buildFiles } from './build-files.ts'

// Builds what the Worker serves or imports besides its own code. `wrangler dev` and `wrangler deploy` run this command
// (wrangler.toml, `[build]`).

await buildFiles()
