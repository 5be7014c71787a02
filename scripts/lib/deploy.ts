import { confirm } from './confirm.ts'
import { type DeployArguments, readDeployArguments, USAGE } from './deploy-arguments.ts'
import { deploy } from './deployment.ts'
import { Failure } from './failure.ts'
import { readPlanets } from './prepare.ts'
import { runCommand } from './run-command.ts'
import { runSmokeTest } from './smoke-test.ts'
import { runWrangler } from './wrangler.ts'

// npm run deploy -- --env NAME [--dry-run] [--url URL] [--yes]

/** git ignores it. */
const SECRETS_FOLDER = '.deploy'

await runCommand(() =>
  deploy(readArguments(), {
    wrangler: runWrangler,
    readPlanets,
    tryService: runSmokeTest,
    secretsFolder: process.env.GALAXY_DEPLOY_FOLDER ?? SECRETS_FOLDER,
    print: console.log,
    confirm,
  }),
)

function readArguments(): DeployArguments {
  const context = { hasTerminal: process.stdin.isTTY, isCloudflareBuild: process.env.WORKERS_CI === '1' }
  try {
    return readDeployArguments(process.argv.slice(2), context)
  } catch (error) {
    throw new Failure(`${error instanceof Error ? error.message : error}\nUsage: ${USAGE}`, 2)
  }
}
