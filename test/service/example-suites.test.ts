import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { codesOf, sectionOf } from './documentation.ts'
import { copyExample, expectTwoUniverses, runSuite, suiteEnvironment } from './example-suite.ts'
import { isTested } from './installed.ts'
import { startMeetingPoint } from './meeting-point.ts'
import { shareGalaxy } from './prepared-state.ts'
import { listCommandLines } from './processes.ts'
import { makeProject, type Project } from './project.ts'

// The test suites of examples/ in languages other than JavaScript. JUnit is in test/interop/java, because Maven fetches
// what it needs.

const galaxy = shareGalaxy()
let project: Project

beforeAll(async () => {
  project = await makeProject()
})

afterAll(() => project.remove())

/** Runs a suite at a service of its own, and one of two test files that meet at the shared service. */
async function runBoth(name: string, ...commands: string[][]): Promise<string[]> {
  const meeting = await startMeetingPoint(galaxy.url)
  const suite = await copyExample(name, project)
  try {
    await Promise.all(commands.map((command) => runSuite(command, suite, meeting.url)))
    expectTwoUniverses(meeting)
  } finally {
    meeting.close()
  }
  const outputs = await Promise.all(commands.map((command) => runSuite(command, suite)))
  expect(await listCommandLines(project.folder)).toEqual([])
  return outputs
}

/** Kills a suite while one of its tests runs. */
async function killDuringTest([program = '', ...args]: string[], suite: string): Promise<void> {
  const tests = spawn(program, args, { cwd: suite, env: suiteEnvironment(), stdio: 'ignore' })
  const ended = new Promise((resolve) => tests.on('close', resolve))
  try {
    await expect.poll(() => existsSync(join(suite, 'hanging'))).toBe(true)
  } finally {
    tests.kill('SIGKILL')
    await ended
  }
}

const pytest = ['python3', '-B', '-m', 'pytest', '-p', 'no:cacheprovider']
const testsPytest = isTested('pytest', ['python3', '-m', 'pytest', '--version'], 'examples/pytest')
const testsXdist = isTested('pytest-xdist', ['python3', '-c', 'import xdist'], 'files of pytest in parallel')

describe.runIf(testsPytest)('examples/pytest', () => {
  const commands = testsXdist
    ? [[...pytest, '-n', '4', '--dist', 'loadfile']]
    : ['test_arrakis.py', 'test_caladan.py'].map((file) => [...pytest, file])

  it('gives each file a universe, at its own service or at one that is there', async () => {
    const outputs = await runBoth('pytest', ...commands)
    expect(outputs).toEqual(commands.map(() => expect.stringMatching(/\d passed/)))
  })

  it('leaves nothing if it is killed', async () => {
    const suite = await copyExample('pytest', project)
    const hang = "import time\n\n\ndef test_hangs(universe):\n    open('hanging', 'w').close()\n    time.sleep(1000)\n"
    await writeFile(join(suite, 'test_hang.py'), hang)
    await killDuringTest([...pytest, 'test_hang.py'], suite)
    await expect.poll(() => listCommandLines(project.folder)).toEqual([])
  })
})

describe.runIf(isTested('go', ['go', 'version'], 'examples/go'))('examples/go', () => {
  it('gives each test a universe, at its own service or at one that is there', async () => {
    const outputs = await runBoth('go', ['go', 'test', '-count=1', '-parallel', '4'])
    expect(outputs).toEqual([expect.stringMatching(/^ok/m)])
  })

  it('is formatted as gofmt formats it', async () => {
    expect(await runSuite(['gofmt', '-l', '.'], await copyExample('go', project))).toBe('')
  })

  it('leaves nothing if it is killed', async () => {
    const suite = await copyExample('go', project)
    const imports = 'import (\n\t"os"\n\t"testing"\n)'
    const body = '\tnewUniverse(t)\n\tos.WriteFile("hanging", nil, 0o600)\n\tselect {}'
    const hang = `package galaxy\n\n${imports}\n\nfunc TestHangs(t *testing.T) {\n${body}\n}\n`
    await writeFile(join(suite, 'hang_test.go'), hang)
    await runSuite(['go', 'test', '-c', '-o', 'suite.test'], suite)
    await killDuringTest([join(suite, 'suite.test'), '-test.run', 'Hangs'], suite)
    await expect.poll(() => listCommandLines(project.folder)).toEqual([])
  })
})

it('the commands of docs/tools.md under "Other CI systems" start a service that goes on', async () => {
  const page = await readFile(join(ROOT, 'docs', 'tools.md'), 'utf8')
  const [commands = ''] = codesOf(sectionOf(page, '### Other CI systems'), 'bash')
  const folder = await mkdtemp(join(project.folder, 'ci-'))
  const printed = await runSuite(['bash', '-ec', `${commands}\necho "$GALAXY_URL"`], folder)
  const { url, pid } = JSON.parse(await readFile(join(folder, 'galaxy.json'), 'utf8'))
  expect(printed.trim()).toBe(url)
  expect((await fetch(`${url}/planets/4`)).status).toBe(200)
  process.kill(pid, 'SIGTERM')
  await expect.poll(() => listCommandLines(project.folder)).toEqual([])
})

it('the commands of docs/tools.md under "Other CI systems" fail with what the command printed', async () => {
  const page = await readFile(join(ROOT, 'docs', 'tools.md'), 'utf8')
  const [commands = ''] = codesOf(sectionOf(page, '### Other CI systems'), 'bash')
  const folder = await mkdtemp(join(project.folder, 'ci-'))
  const broken = commands.replace('--memory', '--warp').replace('timeout 60', 'timeout 2')
  await expect(runSuite(['bash', '-ec', broken], folder)).rejects.toThrow('--warp')
})
