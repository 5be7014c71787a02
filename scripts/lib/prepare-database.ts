// Makes sure that a stop ends wrangler too.
import './stop.ts'
import { ensureLocalSecrets } from './local-secrets.ts'
import { prepareDatabase } from './prepare.ts'

// `node scripts/prepare-database.ts DIR` does what `npm start` does before it starts the service.

await ensureLocalSecrets()
await prepareDatabase(process.argv[2] ?? '.wrangler/state')
