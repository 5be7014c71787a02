// Makes sure that a stop ends wrangler too.
import './stop.ts'
import { ensureLocalSecrets } from './local-secrets.ts'
import { prepareWithWrangler } from './prepare-with-wrangler.ts'
import { ROOT } from './root.ts'

// `node scripts/run.cjs prepare-database DIR` does what `npm start` does before it starts the service.

await ensureLocalSecrets(ROOT)
await prepareWithWrangler(process.argv[2] ?? '.wrangler/state')
