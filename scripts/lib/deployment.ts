import type { DeployArguments } from './deploy-arguments.ts'
import type { Step, Tools } from './deploy-step.ts'
import { listSteps } from './deploy-steps.ts'
import { readTarget, type Target } from './deploy-target.ts'
import { Failure } from './failure.ts'

// Deploys the service. It needs only a wrangler that is logged in. Each step does only what is missing, so after an
// interruption the same command continues where it stopped.

/** Tests replace them. */
export interface DeploymentTools extends Tools {
  print(text: string): void
  /** @returns Whether the answer is yes */
  confirm(question: string): Promise<boolean>
}

/**
 * Deploys to an environment of wrangler.toml, or only prints what this would do.
 *
 * @throws Failure
 */
export async function deploy(options: DeployArguments, tools: DeploymentTools): Promise<void> {
  const { environment, isDryRun, url, isConfirmed } = options
  const target = await readTarget(environment).catch((error) => {
    throw new Failure(error.message, 2)
  })
  const steps = listSteps(target, url, tools)
  if (isDryRun) return await printSteps(environment, steps, tools)
  const account = await readAccount(target, tools)
  const question = `Deploy the Worker ${target.worker} to ${environment}, in the account ${account}?`
  if (!isConfirmed && !(await tools.confirm(question))) throw new Failure('Nothing was deployed.')
  for (const step of steps) await runStep(step, tools)
  tools.print(`\nThe deployment to ${environment} is complete.`)
}

/** Prints the steps, and does those that change nothing. */
async function printSteps(environment: string, steps: readonly Step[], tools: DeploymentTools): Promise<void> {
  tools.print(`These are the steps of the deployment to ${environment}. Nothing is changed.`)
  for (const [index, { title, commands }] of steps.entries()) {
    tools.print(`\n${index + 1}. ${title}\n${commands.map((command) => `     ${command}`).join('\n')}`)
  }
  tools.print('')
  for (const step of steps.filter(({ isLocal }) => isLocal)) await runStep(step, tools)
}

async function runStep({ title, run }: Step, { print }: DeploymentTools): Promise<void> {
  print(title)
  try {
    print(`  ${await run()}`)
  } catch (error) {
    // Whoever throws it has said what to do.
    if (error instanceof Failure) throw error
    const message = error instanceof Error ? error.message : error
    throw new Failure(`${message}\n\nThe step "${title}" failed. Repeat the command to continue from there.`)
  }
}

/** The name of the account that wrangler will use. */
async function readAccount(target: Target, { wrangler }: DeploymentTools): Promise<string> {
  const text = await wrangler(['whoami', '--json']).catch((error) => {
    const advice = 'wrangler is not logged in. Run: npx wrangler login (or set CLOUDFLARE_API_TOKEN)'
    throw new Failure(/"loggedIn":\s*false/.test(error.message) ? advice : error.message)
  })
  const { accounts }: { accounts: { id: string; name: string }[] } = JSON.parse(text)
  const id = process.env.CLOUDFLARE_ACCOUNT_ID ?? target.account
  const usable = id === undefined ? accounts : accounts.filter((account) => account.id === id)
  const [account] = usable
  if (account && usable.length === 1) return account.name
  const list = accounts.map((one) => `  ${one.id}  ${one.name}`).join('\n')
  const fault = id === undefined ? '' : `wrangler cannot use the account ${id}. `
  throw new Failure(
    `${fault}Set CLOUDFLARE_ACCOUNT_ID to the id of one of the accounts that wrangler can use:\n${list}`,
  )
}
