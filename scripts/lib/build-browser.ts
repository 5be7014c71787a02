import { buildBrowser } from './browser-files.ts'

// Builds what the pages load in a browser. `wrangler dev` and `wrangler deploy` run this command (wrangler.toml, `[build]`).

await buildBrowser()
