import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DeployArguments, readDeployArguments } from '../../scripts/lib/deploy-arguments.ts'
import { deploy } from '../../scripts/lib/deployment.ts'
import { Failure } from '../../scripts/lib/failure.ts'
import { runSmokeTest } from '../../scripts/lib/smoke-test.ts'
import { freePort } from './ports.ts'
import { type Account, EMPTY_ACCOUNT, MIGRATIONS, toolsFor } from './wrangler-stand-in.ts'

// Deployments in this process, with a stand-in for wrangler. deploy-command.test.ts runs the command itself.

const PRODUCTION = { environment: 'production', isDryRun: false, url: 'https://galaxy.test', isConfirmed: true }

let folder: string
let account: Account

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galaxy-deploy-test-'))
})

afterEach(() => rm(folder, { recursive: true }))

function setAccount(changes: Partial<Account>): void {
  account = structuredClone({ ...EMPTY_ACCOUNT, ...changes })
}

interface Outcome {
  /** The exit code of the command. */
  code: number
  /** What it printed, with its failure. */
  output: string
  /** What the stand-in was asked this time. */
  calls: string[]
  /** The addresses at which the service was tried. */
  tried: string[]
}

/** Deploys to production, or with other options. */
async function run(options: Partial<DeployArguments> = {}, tryService?: typeof runSmokeTest): Promise<Outcome> {
  const printed: string[] = []
  const tried: string[] = []
  account.calls = []
  const tools = toolsFor(account, join(folder, 'secrets'), printed)
  tools.tryService = tryService ?? (async (origin) => void tried.push(origin))
  const failure = await deploy({ ...PRODUCTION, ...options }, tools).catch((error) => error)
  if (failure && !(failure instanceof Failure)) throw failure
  const output = [...printed, failure?.message ?? ''].join('\n')
  return { code: failure?.exitCode ?? 0, output, calls: account.calls, tried }
}

/** The commands that create or change something. */
const CHANGES = /^(?:d1 create|queues create|secret bulk|d1 execute DB --yes --file|deploy --env|d1 migrations apply) ?/
const changesIn = ({ calls }: Outcome) =>
  calls.filter((call) => CHANGES.test(call)).map((call) => call.replace(/ \S*\.sql/, ''))

const ALL_CHANGES = [
  'd1 create galaxy',
  'queues create galaxy-callbacks',
  'queues create galaxy-callbacks-dead',
  'secret bulk --env production',
  'd1 migrations apply DB --remote --env production',
  'd1 execute DB --yes --file --remote --env production',
  'deploy --env production',
]

/** What a deployment always does: wrangler looks what is new. */
const ALWAYS = ['d1 migrations apply DB --remote --env production', 'deploy --env production']

describe('a deployment', () => {
  it('creates everything in an empty account, in order, and then tries the service', async () => {
    setAccount({})
    const outcome = await run()
    expect(outcome).toMatchObject({
      code: 0,
      output: expect.stringContaining('The deployment to production is complete.'),
      tried: ['https://galaxy.test'],
    })
    expect(changesIn(outcome)).toEqual(ALL_CHANGES)
    expect(outcome.calls.indexOf('deploy --dry-run --env production')).toBe(1)
    expect(account).toMatchObject({
      databases: ['galaxy'],
      queues: ['galaxy-callbacks', 'galaxy-callbacks-dead'],
      deployments: 1,
    })
  })

  it('keeps the secrets for their owner alone, and shows them nowhere', async () => {
    setAccount({})
    const { output, calls } = await run()
    const { secrets = {} } = account
    expect(Object.keys(secrets)).toEqual(['SIGNING_KEYS', 'DATA_KEY'])
    for (const [name, value] of Object.entries(secrets)) {
      const file = join(folder, 'secrets', 'production', name)
      expect(await readFile(file, 'utf8')).toBe(value)
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      expect(output + calls).not.toContain(value)
    }
    expect(JSON.parse(secrets.SIGNING_KEYS ?? '').keys).toHaveLength(1)
  })

  it('changes nothing that is there when it is repeated, the secrets least of all', async () => {
    setAccount({})
    await run()
    const { secrets } = structuredClone(account)
    const again = await run()
    expect(again.code).toBe(0)
    expect(changesIn(again)).toEqual(ALWAYS)
    expect(account.secrets).toEqual(secrets)
  })

  it('creates only what is missing in an account that has half of it', async () => {
    const there = { DATA_KEY: 'of another machine' }
    setAccount({
      databases: ['other', 'galaxy'],
      queues: ['galaxy-callbacks-dead'],
      secrets: there,
      planets: 200,
    })
    const outcome = await run()
    expect(outcome.code).toBe(0)
    expect(changesIn(outcome)).toEqual(ALL_CHANGES.filter((call) => !/^d1 create|-dead/.test(call)))
    expect(account.secrets).toEqual({ ...there, SIGNING_KEYS: expect.any(String) })
  })

  it.each([
    ...ALL_CHANGES.map((call) => ['before', call] as const),
    // Something was created, and the answer was lost.
    ...['d1 create galaxy', 'secret bulk --env production'].map((call) => ['after', call] as const),
  ])('goes on with the same command after a failure %s: %s', async (when, call) => {
    const command = call.replace(' --remote --env production', '')
    setAccount({ fault: { command, when } })
    const failed = await run()
    expect(failed).toMatchObject({
      code: 1,
      output: expect.stringContaining('Repeat the command to continue from there.'),
    })
    const { secrets: uploaded } = structuredClone(account)
    const resumed = await run()
    expect(resumed.code, resumed.output).toBe(0)
    // What was done is not done again, and what was not is done now.
    const done = changesIn(failed).slice(0, when === 'before' ? -1 : undefined)
    expect(changesIn(resumed)).toEqual(ALL_CHANGES.filter((one) => ALWAYS.includes(one) || !done.includes(one)))
    if (uploaded) expect(account.secrets).toEqual(uploaded)
  })

  it('takes the address from wrangler, and fails if the service does not work there', async () => {
    const nowhere = `https://localhost:${await freePort()}`
    setAccount({ address: nowhere })
    const { code, output } = await run({ url: undefined }, runSmokeTest)
    expect(code).toBe(1)
    expect(output).toContain(`Deployed version v1 to ${nowhere}.`)
    expect(output).toContain(`GET ${nowhere}/readyz failed: `)
    expect(output).toContain('The step "Test the service" failed.')
  })

  it('of staging is beside production, with secrets of its own', async () => {
    setAccount({})
    await run()
    const production = account
    setAccount({})
    const { code, calls } = await run({ environment: 'staging' })
    expect(code).toBe(0)
    expect(account).not.toBe(production)
    expect(calls).toEqual(expect.arrayContaining(['d1 create galaxy-staging', 'deploy --env staging']))
    const keyOf = (environment: string) => readFile(join(folder, 'secrets', environment, 'DATA_KEY'), 'utf8')
    expect(await keyOf('staging')).not.toBe(await keyOf('production'))
  })
})

describe('a dry run', () => {
  it('prints each step and its commands, builds the Worker, and asks the account for nothing', async () => {
    setAccount({ isLoggedIn: false })
    const { code, output, calls } = await run({ isDryRun: true, isConfirmed: false })
    expect(code).toBe(0)
    expect(calls).toEqual(['deploy --dry-run --env production'])
    for (const call of ALL_CHANGES.filter((one) => !one.includes('--file')))
      expect(output).toContain(`npx wrangler ${call}`)
    expect(output).toContain('npm run load-planets -- --remote --env production')
    expect(output.match(/^\d+\. /gm)).toHaveLength(9)
  })

  it('fails if the Worker cannot be built', async () => {
    setAccount({ fault: { command: 'deploy --dry-run', when: 'before' } })
    expect((await run({ isDryRun: true })).code).toBe(1)
  })
})

describe('a deployment stops before it changes anything', () => {
  it.each<[string, Partial<Account>, Partial<DeployArguments>, number, string]>([
    ['nobody is logged in', { isLoggedIn: false }, {}, 1, 'Run: npx wrangler login'],
    [
      'there are several accounts',
      { accounts: [...EMPTY_ACCOUNT.accounts, { id: 'b2', name: 'Bob' }] },
      {},
      1,
      'Set CLOUDFLARE_ACCOUNT_ID to the id of one of the accounts that wrangler can use:\n  a1  Ada\n  b2  Bob',
    ],
    ['the environment does not exist', {}, { environment: 'toString' }, 2, 'only production and staging'],
    ['its user does not confirm it', {}, { isConfirmed: false }, 1, 'Nothing was deployed.'],
    [
      'the Worker cannot be built',
      { fault: { command: 'deploy --dry-run', when: 'before' } },
      {},
      1,
      'The step "Build the Worker" failed.',
    ],
    [
      'the database was made by a version with other migrations',
      { databases: ['galaxy'], migrations: ['0000_tables.sql', '0001_triggers.sql'], planets: 300 },
      {},
      1,
      'The database galaxy has the migration 0000_tables.sql, which this version of Galaxy does not know.',
    ],
    [
      'the database was made by a newer version',
      { databases: ['galaxy'], migrations: [...MIGRATIONS, '9999_later.sql'], planets: 300 },
      {},
      1,
      'The database galaxy has the migration 9999_later.sql, which this version of Galaxy does not know.',
    ],
  ])('if %s', async (_, changes, options, code, message) => {
    setAccount(changes)
    const outcome = await run(options)
    expect(outcome).toMatchObject({ code, output: expect.stringContaining(message) })
    expect(changesIn(outcome)).toEqual([])
  })
})

describe('the arguments of npm run deploy', () => {
  const terminal = { hasTerminal: true, isCloudflareBuild: false }

  it.each([
    [],
    ['--env'],
    ['--env', 'staging', 'more'],
    ['--env', 'staging', '--url', 'ftp://galaxy.test'],
    ['--what'],
  ])('cannot be %j', (...args) => expect(() => readDeployArguments(args, terminal)).toThrow())

  it('may leave the confirmation to the terminal', () => {
    expect(readDeployArguments(['--env', 'staging', '--url', 'https://galaxy.test/a'], terminal)).toEqual({
      environment: 'staging',
      isDryRun: false,
      url: 'https://galaxy.test',
      isConfirmed: false,
    })
  })

  it('mean production in a build of Cloudflare, which gives none', () => {
    expect(readDeployArguments([], { hasTerminal: false, isCloudflareBuild: true })).toMatchObject({
      environment: 'production',
      isConfirmed: true,
    })
  })
})
