import { execFile, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { deploy } from '../../scripts/lib/deployment.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { COMPILED_FOLDER } from '../../scripts/lib/wrangler.ts'
import { sectionOf } from './documentation.ts'
import { EMPTY_ACCOUNT, toolsFor } from './wrangler-stand-in.ts'

// The real wrangler, with a server of this test in the place of Cloudflare's API. It shows that wrangler accepts the
// commands of `npm run deploy` and of the documentation, what it asks the API for, and that it answers as the stand-in
// does (wrangler-stand-in.ts). Nothing can reach an account: the server is the only one that wrangler knows.

interface Answer {
  status: number
  body: object
}

/** What the API returns to the first requests. It refuses the others, because the token may not do this. */
let answers: readonly Answer[]
let requests: { line: string; body: string }[]

const REFUSED = { status: 403, body: { success: false, errors: [{ code: 10_000, message: 'refused' }], messages: [] } }
const succeed = (result: unknown) => ({ status: 200, body: { success: true, errors: [], messages: [], result } })

const api = createServer(async (request: IncomingMessage, response) => {
  requests.push({ line: `${request.method} ${request.url}`, body: await text(request) })
  const { status, body } = answers[requests.length - 1] ?? REFUSED
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
})
let base: string

beforeAll(async () => {
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  const address = api.address()
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})

afterAll(() => {
  api.close()
})

beforeEach(() => {
  answers = []
  requests = []
})

/** Runs a command line as somebody would type it. @returns What wrangler printed */
async function runLine(line: string, input = ''): Promise<{ stdout: string; stderr: string }> {
  const env = {
    PATH: process.env.PATH,
    CLOUDFLARE_API_BASE_URL: base,
    CLOUDFLARE_API_TOKEN: 'none',
    CLOUDFLARE_ACCOUNT_ID: 'a1',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_HIDE_BANNER: 'true',
    // Compiling wrangler each time would take longer than what it does.
    NODE_COMPILE_CACHE: COMPILED_FOLDER,
  }
  const child = spawn('bash', ['-c', line.replace(/^npx wrangler/, 'node node_modules/wrangler/bin/wrangler.js')], {
    cwd: ROOT,
    env,
  })
  child.stdin.end(input)
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { stdout, stderr }
}

const MIGRATIONS_QUERY = 'd1 execute DB --yes --json --command "select name'
const PLANETS_QUERY = 'd1 execute DB --yes --json --command "select bodies_used'

/** The beginnings of what `npm run deploy` runs. */
const KNOWN = [
  'd1 list',
  'd1 create',
  'queues info',
  'queues create',
  'secret list',
  'secret bulk',
  'd1 migrations',
  MIGRATIONS_QUERY,
  PLANETS_QUERY,
  'deploy --env',
] as const

/** What `npm run deploy` runs, as a dry run prints it. The build of the Worker is none of this test's business. */
async function listCommands(): Promise<Set<string>> {
  const printed: string[] = []
  const options = { environment: 'production', isDryRun: true, isConfirmed: false, url: undefined }
  await deploy(options, toolsFor(structuredClone(EMPTY_ACCOUNT), tmpdir(), printed))
  const lines = printed.join('\n').match(/npx wrangler .*/g) ?? []
  // The commands for the two queues differ in the name alone.
  return new Set(lines.filter((line) => !line.includes('--dry-run')).map((line) => line.replace('-dead', '')))
}

const commands = [...(await listCommands())]

const commandOf = (beginning: (typeof KNOWN)[number]) =>
  commands.find((command) => command.startsWith(`npx wrangler ${beginning} `)) ?? ''

/**
 * Runs a command of `npm run deploy`, with what the API returns to it.
 *
 * @returns What it printed, and its first request
 */
async function runCommand(beginning: (typeof KNOWN)[number], ...answered: Answer[]) {
  requests = []
  answers = answered
  const printed = await runLine(commandOf(beginning), '{"DATA_KEY":"1:a"}')
  return { ...printed, request: requests[0] }
}

describe('wrangler accepts what npm run deploy runs, and answers as the stand-in does', () => {
  it('d1 list, with the databases of the account as JSON', async () => {
    const { stdout, request } = await runCommand('d1 list', succeed([{ uuid: 'u1', name: 'galaxy' }]))
    expect(request?.line).toBe('GET /accounts/a1/d1/database?per_page=10&page=1')
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'galaxy' }])
  })

  it('queues info, if the queue exists and if not', async () => {
    const queue = { queue_name: 'galaxy-callbacks', queue_id: 'q1', producers_total_count: 0, consumers_total_count: 0 }
    const { stdout, request } = await runCommand('queues info', succeed([queue]))
    expect(request?.line).toBe('GET /accounts/a1/queues?page=1&name=galaxy-callbacks')
    expect(stdout).toContain('Queue Name: galaxy-callbacks\n')
    expect((await runCommand('queues info', succeed([]))).stderr).toContain('Queue "galaxy-callbacks" does not exist.')
  })

  it('secret list, if the Worker has secrets and if there is no Worker', async () => {
    const { stdout, request } = await runCommand('secret list', succeed([{ name: 'DATA_KEY', type: 'secret_text' }]))
    expect(request?.line).toBe('GET /accounts/a1/workers/scripts/galaxy/secrets')
    expect(JSON.parse(stdout)).toEqual([{ name: 'DATA_KEY', type: 'secret_text' }])
    const missing = { status: 404, body: { ...REFUSED.body, errors: [{ code: 10_007, message: 'not found' }] } }
    const { stderr } = await runCommand('secret list', missing)
    expect(stderr).toContain('Worker "galaxy" (env: production) not found.')
  })

  it('secret bulk, with the secrets from its standard input', async () => {
    const { request } = await runCommand('secret bulk')
    expect(request?.line).toBe('PATCH /accounts/a1/workers/scripts/galaxy/secrets-bulk')
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ secrets: { DATA_KEY: { text: '1:a' } } })
  })

  it('d1 execute, with the migrations of a database, and without any in a new one', async () => {
    const found = succeed({ uuid: 'u1', name: 'galaxy' })
    const results = [{ name: '0000_baseline.sql' }]
    const { stdout } = await runCommand(MIGRATIONS_QUERY, found, succeed([{ results, success: true, meta: {} }]))
    expect(JSON.parse(stdout)).toMatchObject([{ results }])
    const errors = [{ code: 7500, message: 'no such table: d1_migrations: SQLITE_ERROR' }]
    const inNew = await runCommand(MIGRATIONS_QUERY, found, { status: 400, body: { ...REFUSED.body, errors } })
    expect(inNew.stdout + inNew.stderr).toContain('no such table: d1_migrations')
    expect(requests.map(({ line }) => line).slice(0, 2)).toEqual([
      'GET /accounts/a1/d1/database/galaxy?fields=uuid%2Cname',
      'POST /accounts/a1/d1/database/u1/query',
    ])
  })

  it.each([
    ['d1 create', 'POST /accounts/a1/d1/database'],
    ['queues create', 'POST /accounts/a1/queues'],
    ['d1 migrations', 'GET /accounts/a1/d1/database/galaxy?fields=uuid%2Cname'],
    [PLANETS_QUERY, 'GET /accounts/a1/d1/database/galaxy?fields=uuid%2Cname'],
    ['deploy --env', 'GET /accounts/a1/workers/services/galaxy'],
  ] as const)('%s', async (beginning, request) => {
    expect((await runCommand(beginning)).request?.line).toBe(request)
  })

  it('and this test knows all of it', () => {
    expect(KNOWN.map(commandOf).sort()).toEqual(commands.toSorted())
  })

  it('whoami, if nobody is logged in', async () => {
    const env = {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: COMPILED_FOLDER,
      HOME: '/nonexistent',
      XDG_CONFIG_HOME: '/nonexistent',
    }
    const program = join(ROOT, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
    const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) =>
      execFile(process.execPath, [program, 'whoami', '--json'], { cwd: ROOT, env }, (error, stdout) =>
        resolve({ code: error?.code, output: stdout }),
      ),
    )
    expect({ code, answer: JSON.parse(output) }).toEqual({ code: 1, answer: { loggedIn: false } })
  })
})

const operating = await readFile(join(ROOT, 'docs', 'operating.md'), 'utf8')
const rollBack = sectionOf(operating, '### Roll back').match(/npx wrangler [^`\n]*/g) ?? []

it.each(rollBack)('wrangler accepts the documented command: %s', async (line) => {
  await runLine(line)
  expect(requests[0]?.line).toMatch(
    /^GET \/accounts\/a1\/(?:workers\/scripts\/galaxy\/deployments|d1\/database\/galaxy)/,
  )
})

it('the documentation has four commands to roll back', () => {
  expect(rollBack).toHaveLength(4)
})
