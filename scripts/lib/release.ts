import { join } from 'node:path'
import { makeOwnFolder, readArgumentsOr } from './command.ts'
import { readReleaseArguments, USAGE } from './release-arguments.ts'
import { ROOT } from './root.ts'
import { runCommand } from './run-command.ts'
import { release } from './run-release.ts'

// npm run release -- VERSION [--dry-run] [--skip STEP ...]
// It builds and tests in a clone in the folder for temporary files, so what this machine has built before does not count.

await runCommand(async () => {
  const options = readArgumentsOr(USAGE, () => readReleaseArguments(process.argv.slice(2)))
  const today = new Date().toISOString().slice(0, 10)
  await release(options, { root: ROOT, clone: join(await makeOwnFolder(), 'galaxy'), today }, console.log)
})
