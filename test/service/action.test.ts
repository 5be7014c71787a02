import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { ROOT } from '../../scripts/lib/root.ts'
import { makeCheckout } from './checkout.ts'
import { CompositeAction, type Job, type Outcome, runAction } from './composite-action.ts'
import { codesOf, sectionOf, tableOf } from './documentation.ts'
import { bodyOf } from './galaxy.ts'
import { makeOfflineNpm } from './offline-npm.ts'
import { listCommandLines } from './processes.ts'

// The steps of action.yml, in the shell of a runner, with an npm that needs no registry (offline-npm.ts). They make the
// package from a checkout, so no file is missing that it is made from.

const run = promisify(execFile)
const action = CompositeAction.parse(parse(await readFile(join(ROOT, 'action.yml'), 'utf8')))
const page = await readFile(join(ROOT, 'docs', 'tools.md'), 'utf8')
const scripts = action.runs.steps.flatMap((step) => ('run' in step ? [step.run] : []))

/** Text that a shell would run or change, if it were a part of a script. */
const HOSTILE_NAME = '$(touch pwned) `touch pwned`; touch pwned  *'

let folder: string
let job: Job
let started: Outcome

/** The action with some of its steps only. */
function withSteps(...names: string[]): CompositeAction {
  const steps = structuredClone(action.runs.steps.filter(({ name = '' }) => names.includes(name)))
  expect(steps).toHaveLength(names.length)
  return { ...action, outputs: {}, runs: { ...action.runs, steps } }
}

/** Runs the last step again. The package is that of the first time, unless another one is named. */
function startAgain(inputs: Record<string, string>, folder?: string, waitSeconds?: string): Promise<Outcome> {
  const start = withSteps('Start Galaxy')
  for (const step of start.runs.steps) {
    if ('run' in step && waitSeconds !== undefined)
      Object.assign(step, { env: { ...step.env, WAIT_SECONDS: waitSeconds } })
  }
  const install = { folder: folder ?? started.steps.install?.folder ?? '' }
  return runAction(start, { ...job, inputs }, { install })
}

/** Runs the step that looks for Node, and then the one that sets it up, with these commands and none else. */
async function lookForNode(commands: Record<string, string>): Promise<Outcome> {
  const path = await mkdtemp(join(folder, 'path-'))
  const { stdout: bash } = await run('sh', ['-c', 'command -v bash'])
  await symlink(bash.trim(), join(path, 'bash'))
  for (const [name, script] of Object.entries(commands)) {
    await writeFile(join(path, name), `#!${bash.trim()}\n${script}\n`, { mode: 0o755 })
  }
  return await runAction(withSteps('Look for Node and npm', 'Set up Node'), { ...job, env: { PATH: path } })
}

/** A command like the Node that runs the tests, which says that it is another version. */
async function nodeOf(version: string): Promise<string> {
  const disguise = join(folder, `node-${version}.cjs`)
  const versions = `{ ...process.versions, node: '${version}' }`
  await writeFile(disguise, `Object.defineProperty(process, 'versions', { value: ${versions} })`)
  return `exec '${process.execPath}' --require '${disguise}' "$@"`
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galaxy-action-'))
  const [actionPath = '', workspace = '', temporary = '', npm = ''] = ['checkout', 'workspace', 'temporary', 'npm'].map(
    (name) => join(folder, name),
  )
  for (const name of [workspace, temporary, npm]) await mkdir(name)
  await makeCheckout(actionPath)
  const env = { PATH: [await makeOfflineNpm(npm), process.env.PATH].join(delimiter) }
  job = { actionPath, workspace, temporary, env }
  started = await runAction(action, {
    ...job,
    inputs: { arguments: `--persist-to "${HOSTILE_NAME}"\n--var SIGNUP:closed` },
  })
  expect(started.code, started.printed).toBe(0)
})

afterAll(async () => {
  // Only if a test has failed.
  if ((await listCommandLines(folder)).length > 0) process.kill(Number(started.outputs.pid), 'SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

describe('the action', () => {
  it('serves Galaxy at GALAXY_URL after its steps have ended', async () => {
    const { GALAXY_URL: url = '' } = started.variables
    expect(started.outputs).toMatchObject({ url })
    expect(await bodyOf(await fetch(`${url}/planets/4`))).toMatchObject({ name: 'Mars' })
    expect((await fetch(`${url}/universes`, { method: 'POST' })).status).toBe(201)
    expect(started.printed).toContain(`Galaxy runs at ${url} until the end of the job.`)
  })

  it('passes its arguments to the command as they are, and no shell reads them', async () => {
    expect(await readdir(job.workspace)).toEqual([HOSTILE_NAME])
    const account = { email: 'ada@galaxy.test', password: 'i-love-planets' }
    const headers = { 'Content-Type': 'application/json' }
    const signUp = { method: 'POST', headers, body: JSON.stringify(account) }
    expect((await fetch(`${started.outputs.url}/user/signup`, signUp)).status).toBe(403)
  })

  it('can be used twice in a job, and writes nothing into its checkout unless it is told to', async () => {
    const { code, printed, variables, steps } = await startAgain({})
    expect(code, printed).toBe(0)
    process.kill(Number(steps.start?.pid), 'SIGTERM')
    expect(variables.GALAXY_URL).not.toBe(started.outputs.url)
    expect(await readdir(job.workspace)).toEqual([HOSTILE_NAME])
  })

  it('names a log that exists', async () => {
    expect((await stat(started.outputs.log ?? '')).isFile()).toBe(true)
  })

  it('leaves no process if its process is ended', async () => {
    process.kill(Number(started.outputs.pid), 'SIGTERM')
    await expect.poll(() => listCommandLines(folder)).toEqual([])
  })
})

describe('a job fails, and says why,', () => {
  it('if the port is taken', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const { code, printed, variables } = await startAgain({ arguments: `--port ${port}` })
    server.close()
    expect({ code, variables }).toEqual({ code: 1, variables: {} })
    expect(printed).toMatch(new RegExp(`^galaxy: .*${port}`, 'm'))
    expect(printed).toContain('::error title=Galaxy did not start::The command ended with exit code 3.')
  })

  it('if the command refuses an argument', async () => {
    const { code, printed } = await startAgain({ arguments: '--warp 9' })
    expect(code).toBe(1)
    expect(printed).toMatch(/^galaxy: .*--warp/m)
    expect(printed).toContain('The command ended with exit code 2.')
  })

  it('if a quote is not closed', async () => {
    const { code, printed } = await startAgain({ arguments: "--seed 'a" })
    expect(code).toBe(1)
    expect(printed).toContain('unmatched single quote')
  })

  it('if the command is not ready in time, and the command ends', async () => {
    const place = await mkdtemp(join(folder, 'never-'))
    const command = join(place, 'node_modules', 'galaxy', 'bin', 'galaxy.cjs')
    await mkdir(join(command, '..'), { recursive: true })
    await writeFile(command, "console.error('::set-output name=a::b'); setTimeout(() => {}, 60_000)")
    const { code, printed } = await startAgain({}, place, '2')
    expect(code).toBe(1)
    // It is no command to the runner.
    expect(printed).toMatch(/^galaxy: ::set-output/m)
    expect(printed).toContain('It was not ready after 2 seconds.')
    await expect.poll(() => listCommandLines(place)).toEqual([])
  })
})

describe('the Node of a runner', () => {
  const found = (outcome: Outcome) => ({ code: outcome.code, used: outcome.used })
  const setUp = { code: 0, used: [expect.stringMatching(/^actions\/setup-node@v\d+$/)] }

  it('is used from 20 on', async () => {
    expect(found(await lookForNode({ node: await nodeOf('20.0.0'), npm: 'exit 0' }))).toEqual({ code: 0, used: [] })
  })

  it.each([
    ['is older', async () => ({ node: await nodeOf('18.20.8'), npm: 'exit 0' })],
    ['has no npm', async () => ({ node: await nodeOf('24.0.0') })],
    ['is missing', async () => ({})],
  ])('is set up if it %s', async (_, commands) => {
    expect(found(await lookForNode(await commands()))).toEqual(setUp)
  })

  it('is that of this project if the action sets it up', () => {
    const major = Number.parseInt(manifest.devDependencies.node, 10)
    const versions = action.runs.steps.flatMap((step) => ('uses' in step ? [step.with] : []))
    expect(versions).toEqual([{ 'node-version': major }])
  })
})

it('no script of the action has an expression in it, which would become a part of the script', () => {
  expect(scripts.filter((script) => script.includes('${{'))).toEqual([])
  expect(scripts).toHaveLength(3)
})

describe('docs/tools.md, under "In CI",', () => {
  const section = sectionOf(page, '## In CI')

  it('uses the action from the folder into which it checks out the project', () => {
    const steps = parse(codesOf(section, 'yaml')[0] ?? '')
    expect(steps).toEqual([
      { uses: expect.stringMatching(/^actions\/checkout@v\d+$/), with: { repository: 'OWNER/galaxy', path: 'galaxy' } },
      { uses: './galaxy' },
      { run: 'npm test' },
    ])
  })

  it('explains every input and output', () => {
    const tables = section.split(/\n(?=\| output)/).map((part) => [...tableOf(part).keys()])
    expect(tables).toEqual([Object.keys(action.inputs), Object.keys(action.outputs)])
  })
})
