import { type ExecFileException, execFile, spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { findChromium } from '../support/browser.ts'
import { until } from './callbacks-client.ts'
import { codesOf, sectionOf } from './documentation.ts'
import { runSuite } from './example-suite.ts'
import { type MeetingPoint, startMeetingPoint } from './meeting-point.ts'
import { shareGalaxy } from './prepared-state.ts'
import { listCommandLines } from './processes.ts'
import { addPackages, makeProject, type Project } from './project.ts'

// Does what docs/testing.md says, and docs/tools.md for CI, in empty folders with the package. In the place of `npm install` there are links to
// what is installed here.

const run = promisify(execFile)
const page = await readFile(join(ROOT, 'docs', 'testing.md'), 'utf8')
const shared = shareGalaxy()
const chromium = findChromium()

/** The configuration of Playwright of the page, with the Chromium of this machine. */
const withChromium = `import config from './playwright.config.mjs'
  export default { ...config, use: { launchOptions: { executablePath: ${JSON.stringify(chromium)} } } }`

let project: Project
let folder: string
let meeting: MeetingPoint | undefined

beforeAll(async () => {
  project = await makeProject()
  await addPackages(project, ['vitest', '@playwright/test'])
})

afterAll(() => project.remove())

afterEach(() => {
  meeting?.close()
  meeting = undefined
})

/** An empty folder with the files of a section. They have their names in the text before their block. */
async function writeFiles(heading: string): Promise<string[]> {
  folder = await mkdtemp(join(project.folder, 'tests-'))
  const blocks = [...sectionOf(page, heading).matchAll(/`([\w.-]+\.mjs)`[^`]*:.*?\n\n```js\n(.*?)^```$/gms)]
  for (const [, name = '', code = ''] of blocks) await writeFile(join(folder, name), code)
  return blocks.map(([, name = '']) => name)
}

/** Variables of the environment as in a terminal of a user. */
function environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const foreign = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_ENV$)/.test(name))
  return { ...Object.fromEntries(foreign), NO_COLOR: '1', FORCE_COLOR: undefined, ...more }
}

/** Runs a command of the page. It may fail. @returns Everything that it printed */
async function runLine(line: string, env: Record<string, string> = {}): Promise<string> {
  const [file = '', ...args] = line.split(' ')
  const options = { cwd: folder, timeout: 110_000, env: environment(env) }
  const { stdout, stderr } = await run(file, args, options).catch(
    (error: ExecFileException & { stdout: string; stderr: string }) => error,
  )
  return stdout + stderr
}

/** The commands of a section. The first one installs. */
function commandsOf(heading: string): { installed: string[]; command: string } {
  const commands = codesOf(sectionOf(page, heading), 'bash').map((code) => code.trim())
  const [command = ''] = commands.slice(-1)
  const [, names = ''] = /^npm install --save-dev (.*)$/.exec(commands[0] ?? '') ?? []
  return { installed: names.split(' '), command }
}

describe('vitest', () => {
  it('runs the example, which has the files of the page and two more, in parallel, with one server', async () => {
    const names = await writeFiles('## vitest')
    expect(names).toEqual(['vitest.config.mjs', 'planets.test.mjs'])
    for (const name of names) {
      const example = await readFile(join(ROOT, 'examples', 'vitest', name), 'utf8')
      expect(await readFile(join(folder, name), 'utf8')).toBe(example)
    }
    const { installed, command } = commandsOf('## vitest')
    expect(installed).toEqual(['./galaxy-2.0.0.tgz', 'vitest'])
    await cp(join(ROOT, 'examples', 'vitest'), folder, { recursive: true })
    const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    expect(command).toBe(`npx ${scripts.test}`)
    // Each test has five seconds otherwise, and other tests share the machine.
    const output = await runLine(`${command} --testTimeout=60000`)
    expect(output).toContain('Test Files  3 passed (3)')
    expect(output).toContain('Tests  6 passed (6)')
  })

  it('gives two files that run at the same time a universe each, on the server of GALAXY_URL', async () => {
    await writeFiles('## vitest')
    const code = await readFile(join(folder, 'planets.test.mjs'), 'utf8')
    await writeFile(join(folder, 'caladan.test.mjs'), code.replaceAll('Arrakis', 'Caladan'))
    meeting = await startMeetingPoint(shared.url)
    // The first file to write waits for the second one, which may begin late on a busy machine.
    const output = await runLine('npx vitest run --testTimeout=100000', { GALAXY_URL: meeting.url })
    expect(output).toContain('Tests  4 passed (4)')
    const universes = Object.values(Object.groupBy(meeting.seen, ({ universe }) => universe))
    const history = [
      ...['PUT /planets/1', 'POST /universe/reset', 'GET /planets/1', 'POST /universe/reset'],
      'DELETE /universe',
    ]
    expect(universes.map((seen = []) => seen.map(({ request }) => request))).toEqual([history, history])
    const written = meeting.seen.flatMap(({ request, body }) => (request.startsWith('PUT') ? [JSON.parse(body)] : []))
    expect(written).toEqual(expect.arrayContaining([{ name: 'Arrakis' }, { name: 'Caladan' }]))
  })

  it('resets the universe after a test that failed, and says if the setup is missing', async () => {
    await writeFiles('## vitest')
    const code = await readFile(join(folder, 'planets.test.mjs'), 'utf8')
    await writeFile(join(folder, 'planets.test.mjs'), code.replace('toBe(200)', 'toBe(299)'))
    const output = await runLine('npx vitest run', { GALAXY_URL: shared.url })
    expect(output).toContain('Tests  1 failed | 1 passed (2)')
    expect(output).toContain('expected 200 to be 299')
    await rm(join(folder, 'vitest.config.mjs'))
    expect(await runLine('npx vitest run')).toContain("add globalSetup: 'galaxy/vitest/setup' to its configuration")
  })

  it('keeps one server in watch mode, with a new universe in each run', async () => {
    await writeFiles('## vitest')
    const file = join(folder, 'planets.test.mjs')
    const report = "test('report', ({ galaxy, universe }) => console.log('AT', galaxy.url, universe.url))\n"
    await writeFile(file, (await readFile(file, 'utf8')) + report)
    const child = spawn('npx', ['vitest', 'watch'], { cwd: folder, env: environment(), detached: true })
    let output = ''
    child.stdout.on('data', (chunk) => (output += chunk))
    child.stderr.on('data', (chunk) => (output += chunk))
    const ended = new Promise((resolve) => child.on('close', resolve))
    const runs = () => [...output.matchAll(/AT (\S+) (\S+)/g)]
    const waits = () => output.match(/Waiting for file changes/g)?.length ?? 0
    try {
      await until(waits, (times) => times === 1, 100_000)
      await writeFile(file, `${await readFile(file, 'utf8')}\n`)
      await until(waits, (times) => times === 2, 100_000)
      const [first, second] = runs()
      expect(second?.[1]).toBe(first?.[1])
      expect(second?.[2]).not.toBe(first?.[2])
    } finally {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT')
      await ended
    }
    const [[, url = ''] = []] = runs()
    await expect(fetch(url)).rejects.toThrow()
  })
})

describe('Playwright', () => {
  it('has files on the page that are those of the example', async () => {
    const names = await writeFiles('## Playwright')
    expect(names).toEqual(['playwright.config.mjs', 'api.spec.mjs'])
    for (const name of names) {
      const example = await readFile(join(ROOT, 'examples', 'playwright', name), 'utf8')
      expect(await readFile(join(folder, name), 'utf8')).toBe(example)
    }
    expect(commandsOf('## Playwright')).toEqual({
      installed: ['./galaxy-2.0.0.tgz', '@playwright/test'],
      command: 'npx playwright test',
    })
  })

  it('gives each worker a universe, on the server of GALAXY_URL, and resets it after a test that failed', async () => {
    await writeFiles('## Playwright')
    const code = await readFile(join(folder, 'api.spec.mjs'), 'utf8')
    await writeFile(
      join(folder, 'caladan.spec.mjs'),
      code.replaceAll('Arrakis', 'Caladan').replace('toBe(200)', 'toBe(299)'),
    )
    meeting = await startMeetingPoint(shared.url)
    const output = await runLine('npx playwright test --workers 2 --timeout 100000', { GALAXY_URL: meeting.url })
    expect(output).toContain('1 failed')
    expect(output).toContain('3 passed')
    const universes = Object.values(Object.groupBy(meeting.seen, ({ universe }) => universe))
    for (const seen of universes) {
      const requests = (seen ?? []).map(({ request }) => request)
      const tests = requests.slice(0, -1)
      expect(requests.at(-1)).toBe('DELETE /universe')
      // Nothing that a test did is seen by the next one.
      expect(tests.filter((_, index) => index % 2 === 1)).toEqual(Array(tests.length / 2).fill('POST /universe/reset'))
    }
    expect(meeting.seen.filter(({ request }) => request === 'PUT /planets/1')).toHaveLength(2)
  })

  it.runIf(chromium)('runs the example, with the tests of pages, and the sign-in of the page', async () => {
    expect(await writeFiles('### Sign-in with OAuth')).toEqual(['sign-in.spec.mjs'])
    await cp(join(ROOT, 'examples', 'playwright'), folder, { recursive: true })
    await writeFile(join(folder, 'with-chromium.config.mjs'), withChromium)
    const output = await runLine('npx playwright test --config with-chromium.config.mjs')
    expect(output).toContain('5 passed')
  })
})

describe('retries, errors and callbacks', () => {
  it('vitest runs the files of the page', async () => {
    await writeFiles('## vitest')
    await rm(join(folder, 'planets.test.mjs'))
    const vitestFolder = folder
    const names: string[] = []
    for (const heading of [
      '### Your own retries',
      '### Errors and delays on demand',
      '### A callback that the test receives',
    ]) {
      names.push(...(await writeFiles(heading)))
      await cp(folder, vitestFolder, { recursive: true })
    }
    expect(names).toEqual(['read-planet.mjs', 'retries.test.mjs', 'prefer.test.mjs', 'callback.test.mjs'])
    folder = vitestFolder
    // Each test has five seconds otherwise, and other tests share the machine.
    const output = await runLine('npx vitest run --testTimeout=60000')
    expect(output).toContain('Test Files  3 passed (3)')
    expect(output).toContain('Tests  4 passed (4)')
  })

  it('the test of retries fails for code that comes too early, or not again', async () => {
    await writeFiles('## vitest')
    const config = await readFile(join(folder, 'vitest.config.mjs'), 'utf8')
    await writeFiles('### Your own retries')
    await writeFile(join(folder, 'vitest.config.mjs'), config)
    const code = await readFile(join(folder, 'read-planet.mjs'), 'utf8')
    const test = await readFile(join(folder, 'retries.test.mjs'), 'utf8')
    await rm(join(folder, 'retries.test.mjs'))
    const wrong = { early: code.replace('1000 * seconds', '0'), once: code.replace('!== 503', '!== 1') }
    for (const [name, text] of Object.entries(wrong)) {
      await mkdir(join(folder, name))
      await writeFile(join(folder, name, 'read-planet.mjs'), text)
      await writeFile(join(folder, name, 'retries.test.mjs'), test)
    }
    expect(await runLine('npx vitest run', { GALAXY_URL: shared.url })).toContain('Tests  2 failed (2)')
  })
})

it('the runner of Node runs the file of the page', async () => {
  const heading = '## Any other test runner of JavaScript'
  expect(await writeFiles(heading)).toEqual(['arrakis.test.mjs'])
  const output = await runLine(commandsOf(heading).command)
  expect(output).toMatch(/pass 2$/m)
  expect(output).toMatch(/fail 0$/m)
})

it('the command for other languages prints its address as the page says', async () => {
  folder = await mkdtemp(join(project.folder, 'tests-'))
  const section = sectionOf(page, '## pytest, Go, JUnit and everything else')
  const [command = ''] = codesOf(section, 'bash')
  const [file = '', ...args] = command.trim().split(' ')
  const child = spawn(file, args, { cwd: folder, env: environment(), stdio: ['ignore', 'pipe', 'inherit'] })
  const output = text(child.stdout)
  let line = ''
  child.stdout.on('data', (chunk) => (line += chunk))
  await until(
    () => line,
    (soFar) => soFar.includes('\n'),
    100_000,
  )
  const ready = JSON.parse(line)
  const [, documented = ''] = /prints a line such as\s+`(\{.*?\})`/s.exec(section) ?? []
  expect(Object.keys(ready)).toEqual(Object.keys(JSON.parse(documented)))
  expect((await fetch(`${ready.url}/planets/4`)).status).toBe(200)
  process.kill(ready.pid, 'SIGTERM')
  expect(await output).toBe(line)
  expect(await readdir(folder)).toEqual([])
})

describe('the commands of docs/tools.md under "Other CI systems"', () => {
  async function readCommands(): Promise<string> {
    folder = await mkdtemp(join(project.folder, 'ci-'))
    const tools = await readFile(join(ROOT, 'docs', 'tools.md'), 'utf8')
    return codesOf(sectionOf(tools, '### Other CI systems'), 'bash')[0] ?? ''
  }

  it('start a service that goes on', async () => {
    const printed = await runSuite(['bash', '-ec', `${await readCommands()}\necho "$GALAXY_URL"`], folder)
    const { url, pid } = JSON.parse(await readFile(join(folder, 'galaxy.json'), 'utf8'))
    expect(printed.trim()).toBe(url)
    expect((await fetch(`${url}/planets/4`)).status).toBe(200)
    process.kill(pid, 'SIGTERM')
    await expect.poll(() => listCommandLines(project.folder)).toEqual([])
  })

  it('fail with what the command printed', async () => {
    const commands = await readCommands()
    const broken = commands.replace('--memory', '--warp').replace('timeout 60', 'timeout 2')
    await expect(runSuite(['bash', '-ec', broken], folder)).rejects.toThrow('--warp')
  })
})

it('the page names every example', async () => {
  const examples = await readdir(join(ROOT, 'examples'))
  const [, list = ''] = /The folder `examples`[^:]*:([^.]*)\./.exec(page) ?? []
  const named = [...list.matchAll(/`(\w+)`/g)].map(([, name]) => name)
  expect(named.toSorted()).toEqual(examples.toSorted())
})
