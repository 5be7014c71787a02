import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { APPLIED_SQL } from '../../scripts/lib/applied-migrations.ts'
import type { DeploymentTools } from '../../scripts/lib/deployment.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import type { RunWrangler } from '../../scripts/lib/wrangler.ts'

// What runs in the place of wrangler, with an account that is an object. It answers as wrangler 4.156 does, and records
// what it is asked. If `GALAXY_WRANGLER` names this file, it runs as a process of its own, and the account is a file of
// JSON.

/** The account, and what happens to it. */
export interface Account {
  isLoggedIn: boolean
  accounts: { id: string; name: string }[]
  databases: string[]
  queues: string[]
  /** Undefined if there is no Worker. */
  secrets: Record<string, string> | undefined
  /** The names of the migrations that were applied to the database. */
  migrations: string[]
  /** As the table of users has it; undefined if user 1 does not exist. */
  planets: number | undefined
  deployments: number
  /** The address at which wrangler reports the Worker. */
  address: string
  /** The beginning of a command that fails once, before or after it has its effect. */
  fault: { command: string; when: 'before' | 'after' } | undefined
  /** Every command line, in order. */
  calls: string[]
}

export const EMPTY_ACCOUNT: Account = {
  isLoggedIn: true,
  accounts: [{ id: 'a1', name: 'Ada' }],
  databases: [],
  queues: [],
  secrets: undefined,
  migrations: [],
  planets: undefined,
  deployments: 0,
  address: 'https://galaxy.ada.workers.dev',
  fault: undefined,
  calls: [],
}

/** The names of the project's migrations. */
export const MIGRATIONS = readdirSync(join(ROOT, 'migrations')).filter((name) => name.endsWith('.sql'))

/** How wrangler fails: what it prints. */
class Failure extends Error {}

/** Runs the stand-in in this process, with an account that it changes. */
export function standInFor(account: Account): RunWrangler {
  return async (args, { input = '', variables = {} } = {}) => {
    try {
      return answer({ args, input, report: variables.WRANGLER_OUTPUT_FILE_PATH }, account)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      throw new Error(`wrangler ${args.join(' ')} failed:\n${error.message}\n`)
    }
  }
}

/**
 * Everything with which a deployment to an account works. Nobody confirms it, and its service always works.
 *
 * @param printed What the deployment prints is added here
 */
export function toolsFor(account: Account, secretsFolder: string, printed: string[]): DeploymentTools {
  return {
    wrangler: standInFor(account),
    readPlanets: async () => ({ count: 300, writeSql: () => 'insert into "planets" …;\n'.repeat(3) }),
    tryService: async () => {},
    secretsFolder,
    print: (text) => void printed.push(text),
    confirm: async () => false,
  }
}

const file = process.env.STAND_IN_ACCOUNT
if (file !== undefined) main(file)

/** Runs the stand-in as a process. */
function main(path: string): void {
  const account: Account = JSON.parse(readFileSync(path, 'utf8'))
  const [args, report] = [process.argv.slice(2), process.env.WRANGLER_OUTPUT_FILE_PATH]
  // Only one command reads its standard input, and that of the others is nobody's.
  const input = args.join(' ').startsWith('secret bulk') ? readFileSync(0, 'utf8') : ''
  try {
    process.stdout.write(answer({ args, input, report }, account))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    console.error(error.message)
    process.exitCode = 1
  } finally {
    writeFileSync(path, JSON.stringify(account))
  }
}

interface Call {
  args: readonly string[]
  input: string
  /** The file for its report. */
  report: string | undefined
}

/** Does what a call asks for, unless a fault comes before it. @returns What wrangler prints */
function answer(call: Call, account: Account): string {
  const line = call.args.join(' ')
  account.calls.push(line)
  const fault = account.fault && line.startsWith(account.fault.command) ? account.fault : undefined
  if (fault) account.fault = undefined
  const text = fault?.when === 'before' ? '' : answerTo(call, account)
  if (fault) fail('A request to the Cloudflare API failed.')
  return text && `${text}\n`
}

function answerTo({ args, input, report }: Call, account: Account): string {
  const [command = '', name = ''] = [args.slice(0, 2).join(' '), args[2]]
  if (command === 'whoami --json') return whoAmI(account)
  if (!account.isLoggedIn && command !== 'deploy --dry-run') fail('You are not logged in.')
  if (command === 'd1 list') return JSON.stringify(account.databases.map((one) => ({ uuid: 'u1', name: one })))
  if (command === 'd1 create') account.databases.push(name)
  else if (command === 'queues info') return describeQueue(name, account)
  else if (command === 'queues create') account.queues.push(name)
  else if (command === 'secret list') return listSecrets(account)
  else if (command === 'secret bulk') account.secrets = { ...account.secrets, ...JSON.parse(input) }
  else if (command === 'd1 migrations') return migrate(account)
  else if (command === 'd1 execute') return execute(args, account)
  else if (command === 'deploy --env') deploy(account, report)
  else if (command !== 'deploy --dry-run') fail(`Unknown command: ${args.join(' ')}`)
  return ''
}

function whoAmI({ isLoggedIn, accounts }: Account): string {
  if (!isLoggedIn) throw new Failure(JSON.stringify({ loggedIn: false }))
  return JSON.stringify({ loggedIn: true, accounts })
}

function describeQueue(name: string, { queues }: Account): string {
  if (!queues.includes(name)) fail(`Queue "${name}" does not exist. To create it, run: wrangler queues create ${name}`)
  return `Queue Name: ${name}\nQueue ID: q1`
}

function listSecrets({ secrets }: Account): string {
  if (!secrets)
    fail('Worker "galaxy" (env: production) not found.\n\nIf this is a new Worker, run `wrangler deploy` first.')
  return JSON.stringify(Object.keys(secrets).map((name) => ({ name, type: 'secret_text' })))
}

function migrate(account: Account): string {
  if (account.databases.length === 0) fail("Couldn't find a D1 DB named 'galaxy' (bound as 'DB') in the API.")
  const missing = MIGRATIONS.filter((name) => !account.migrations.includes(name))
  if (missing.length === 0) return '✅ No migrations to apply!'
  account.migrations.push(...missing)
  return 'Migrations to be applied:'
}

function execute(args: readonly string[], account: Account): string {
  const isAboutMigrations = args.includes(APPLIED_SQL)
  if (account.migrations.length === 0)
    fail(`no such table: ${isAboutMigrations ? 'd1_migrations' : 'users'}: SQLITE_ERROR`)
  if (isAboutMigrations) return JSON.stringify([{ results: account.migrations.map((name) => ({ name })) }])
  const sqlFile = args[args.indexOf('--file') + 1]
  if (args.includes('--file')) {
    account.planets = (readFileSync(sqlFile ?? '', 'utf8').match(/insert into "planets"/g) ?? []).length * 100
    return ''
  }
  return JSON.stringify([{ results: account.planets === undefined ? [] : [{ bodies_used: account.planets }] }])
}

function deploy(account: Account, report: string | undefined): void {
  if (!account.secrets) fail('The following required secrets have not been set: SIGNING_KEYS, DATA_KEY')
  if (account.queues.length < 2) fail('Queue "galaxy-callbacks-dead" does not exist.')
  account.deployments += 1
  const targets = ['schedule: * * * * *', account.address, 'Consumer for galaxy-callbacks']
  writeFileSync(
    report ?? '',
    `{"type":"wrangler-session"}\n${JSON.stringify({ type: 'deploy', version_id: 'v1', targets })}\n`,
  )
}

function fail(message: string): never {
  throw new Failure(`✘ [ERROR] ${message}`)
}
