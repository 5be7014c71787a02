import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { SMOKE_TESTS } from '../../scripts/lib/smoke-test.ts'
import { shareGalaxy } from './prepared-state.ts'
import { type Account, EMPTY_ACCOUNT, MIGRATIONS } from './wrangler-stand-in.ts'

// `npm run deploy` as a process, which runs the stand-in for wrangler as processes. The service that it tries after the
// deployment is a real one. What the steps do is tested in deploy.test.ts.

const galaxy = shareGalaxy()

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galaxy-deploy-test-'))
})

afterEach(() => rm(folder, { recursive: true }))

const deploy = (changes: Partial<Account>, ...args: string[]) => run('deploy', changes, ...args)

/** What a command does to an account. */
async function run(name: string, changes: Partial<Account>, ...args: string[]) {
  const file = join(folder, 'account')
  await writeFile(file, JSON.stringify({ ...EMPTY_ACCOUNT, ...changes }))
  const env = {
    ...process.env,
    GALAXY_WRANGLER: join(import.meta.dirname, 'wrangler-stand-in.ts'),
    GALAXY_DEPLOY_FOLDER: join(folder, 'secrets'),
    STAND_IN_ACCOUNT: file,
  }
  const command = promisify(execFile)(process.execPath, ['scripts/run.cjs', name, ...args], { cwd: ROOT, env })
  const outcome = await command.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
  const account: Account = JSON.parse(await readFile(file, 'utf8'))
  return { ...outcome, account }
}

describe('npm run deploy', () => {
  it('makes a deployment in an empty account, and tries every part of the service', async () => {
    const { account, ...outcome } = await deploy({}, '--env', 'production', '--yes', '--url', galaxy.url)
    expect(outcome).toEqual({
      code: 0,
      stdout: expect.stringContaining('The deployment to production is complete.'),
      stderr: '',
    })
    expect(outcome.stdout.match(/^ {2}ok: /gm)).toHaveLength(SMOKE_TESTS.length)
    expect(account).toMatchObject({ databases: ['galaxy'], migrations: MIGRATIONS, deployments: 1 })
    const uploaded = account.secrets?.DATA_KEY
    expect(await readFile(join(folder, 'secrets', 'production', 'DATA_KEY'), 'utf8')).toBe(uploaded)
  })

  it('says why it stops, and fails', async () => {
    const { account, ...outcome } = await deploy({ isLoggedIn: false }, '--env', 'production', '--yes')
    expect(outcome).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining('Run: npx wrangler login') })
    expect(account.calls).toEqual(['whoami --json'])
  })

  it('says how it is used if nobody can be asked', async () => {
    const { account, ...outcome } = await deploy({}, '--env', 'production')
    const usage = 'Without a terminal, --yes is required\nUsage: npm run deploy'
    expect(outcome).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(usage) })
    expect(account.calls).toEqual([])
  })
})

it('npm run load-planets loads all of them', async () => {
  const target = ['--remote', '--env', 'production']
  const { account, ...outcome } = await run('load-planets', { migrations: MIGRATIONS }, ...target)
  expect(outcome).toEqual({ code: 0, stdout: 'The shipped planets are in the database.\n', stderr: '' })
  // A hundred in each statement.
  expect(account.planets).toBe(5500)
  expect(account.calls).toEqual([expect.stringMatching(/^d1 execute DB --yes --file \S+ --remote --env production$/)])
})
