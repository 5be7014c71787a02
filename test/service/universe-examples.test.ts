import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LOCAL_VARIABLES } from '../../scripts/lib/local-variables.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import {
  AGE_MAX_HOURS,
  IDLE_HOURS_DEFAULT,
  IDLE_HOURS_MAX,
  OWN_PLANETS_MAX,
  SEEDS,
  TOMBSTONE_DAYS,
  UNIVERSE_LIMITS,
} from '../../src/domain/universe.ts'
import { isTested } from '../interop/languages.ts'
import { jarsOf } from '../interop/maven.ts'
import { documentedFetch } from '../support/documented-fetch.ts'
import { proseOf, sectionOf, tableOf } from './documentation.ts'
import { bodyOf } from './galaxy.ts'
import { isInstalled } from './installed.ts'
import { type MeetingPoint, startMeetingPoint } from './meeting-point.ts'
import { shareGalaxy } from './prepared-state.ts'

// Extracts the code and the figures of docs/universes.md, and tries them. Its commands are in
// documented-commands.test.ts.

const run = promisify(execFile)
const page = await readFile(join(ROOT, 'docs', 'universes.md'), 'utf8')
const galaxy = shareGalaxy()

const hasPytest = isInstalled('pytest', ['python3', '-m', 'pytest', '--version'], 'docs/universes.md with pytest')
const hasXdist = isInstalled('pytest-xdist', ['python3', '-c', 'import xdist'], 'files of pytest in parallel')
const hasGo = isInstalled('go', ['go', 'version'], 'docs/universes.md with Go')
const hasJUnit = isTested('java')
if (!hasJUnit) console.warn('\n*** java is not installed (npm run interop:install -- java). JUnit is not tested. ***\n')

describe('the examples for test suites', () => {
  let folder: string
  let meeting: MeetingPoint

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'galaxy-examples-'))
    meeting = await startMeetingPoint(galaxy.url)
  })

  afterEach(async () => {
    meeting.close()
    await rm(folder, { recursive: true })
  })

  /** Writes the files of a section. The test file is there twice, once with another name of the planet. */
  async function writeFiles(tool: string): Promise<void> {
    const files = [...sectionOf(page, `### ${tool}`).matchAll(/^`([\w.-]+)`[^\n]*:.*?\n\n```\w+\n(.*?)^```$/gms)]
    for (const [, name = '', code = ''] of files) {
      await writeFile(join(folder, name), code)
      const rename = (text: string) => text.replaceAll('arrakis', 'caladan').replaceAll('Arrakis', 'Caladan')
      if (rename(name) !== name) await writeFile(join(folder, rename(name)), rename(code))
    }
  }

  /** Runs programs at the same time. */
  async function runAll(...commands: string[][]): Promise<string[]> {
    const foreign = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'))
    const env = { ...Object.fromEntries(foreign), GALAXY: meeting.url, CGO_ENABLED: '0' }
    const options = { cwd: folder, timeout: 110_000, env: { ...env, GOTOOLCHAIN: 'local' } }
    const runs = commands.map(async ([command = '', ...args]) => (await run(command, args, options)).stdout)
    return await Promise.all(runs)
  }

  /**
   * Two test files changed the same planet at the same time, each in its universe, which was put back after each test.
   */
  function expectTwoUniverses(): void {
    const universes = Object.groupBy(meeting.seen, ({ universe }) => universe)
    const histories = Object.values(universes).map((seen = []) => seen.map(({ request }) => request))
    const history = [
      ...['PUT /planets/1', 'GET /planets/1', 'POST /universe/reset'],
      ...['GET /planets/1', 'POST /universe/reset', 'DELETE /universe'],
    ]
    expect(histories).toEqual([history, history])
    const written = meeting.seen.filter(({ body }) => body).map(({ body }) => JSON.parse(body))
    expect(written).toHaveLength(2)
    expect(written).toEqual(expect.arrayContaining([{ name: 'Arrakis' }, { name: 'Caladan' }]))
  }

  it('work with vitest', async () => {
    await writeFiles('vitest')
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs')
    // The first file to write waits for the second one, which may begin late on a busy machine.
    const [output] = await runAll([process.execPath, vitest, 'run', '--testTimeout=100000'])
    expect(output).toContain('2 passed')
    expectTwoUniverses()
  })

  it.runIf(hasPytest)('work with pytest', async () => {
    await writeFiles('pytest')
    const pytest = ['python3', '-B', '-m', 'pytest', '-p', 'no:cacheprovider']
    const files = ['test_arrakis.py', 'test_caladan.py']
    if (hasXdist) await runAll([...pytest, '-n', '4', '--dist', 'loadfile'])
    else await runAll(...files.map((file) => [...pytest, file]))
    expectTwoUniverses()
  })

  it.runIf(hasGo)('work with Go, and are formatted as gofmt formats them', async () => {
    await writeFiles('Go')
    const commands = [...proseOf(page, '### Go').matchAll(/(?<!`)`(go [^`]+)`/g)].map(([, command = '']) =>
      command.split(' '),
    )
    expect(commands.map(([, verb]) => verb)).toEqual(['mod', 'test'])
    let output: string[] = []
    for (const command of commands) output = await runAll(command)
    expect(output).toEqual([expect.stringMatching(/^ok/m)])
    expect(await runAll(['gofmt', '-l', '.'])).toEqual([''])
    expectTwoUniverses()
  })

  it.runIf(hasJUnit)('work with JUnit', async () => {
    await writeFiles('JUnit')
    const jars = jarsOf('java')
    await runAll(['javac', '-cp', jars, '-d', '.', 'Universe.java', 'ArrakisTest.java', 'CaladanTest.java'])
    const launcher = ['org.junit.platform.console.ConsoleLauncher', 'execute', '--scan-class-path', '.']
    const [output] = await runAll(['java', '-cp', `.:${jars}`, ...launcher, '--details', 'tree'])
    expect(output).toMatch(/ 4 tests successful/)
    expectTwoUniverses()
  })
})

describe('the figures of docs/universes.md', () => {
  const figure = (value: number) => value.toLocaleString('en-US')

  it('are the limits of a universe', () => {
    const limits = [...tableOf(sectionOf(page, '## Limits'))].map(([name, [limit]]) => [name, limit])
    expect(Object.fromEntries(limits)).toEqual({
      planets: `${figure(OWN_PLANETS_MAX)} more than the universe began with`,
      ...Object.fromEntries(Object.entries(UNIVERSE_LIMITS).map(([name, limit]) => [name, figure(limit)])),
    })
  })

  it('are what a universe can be made with, and how long it lasts', () => {
    const members = tableOf(sectionOf(page, '## Make one'))
    expect(members.get('hours')).toEqual([
      expect.stringContaining(`1 to ${IDLE_HOURS_MAX}:`),
      String(IDLE_HOURS_DEFAULT),
    ])
    for (const seed of SEEDS) expect(members.get('seed')?.[0]).toContain(`${seed}:`)
    const end = proseOf(page, '## When it ends')
    expect(end).toContain(`No universe lasts longer than ${AGE_MAX_HOURS / 24} days.`)
    expect(end).toContain(`for ${TOMBSTONE_DAYS} days`)
  })

  it('are how many universes one address can make', async () => {
    const toml = await readFile(join(ROOT, 'wrangler.toml'), 'utf8')
    const deployed = /^UNIVERSE_RATE_LIMIT = "(\d+)"/m.exec(toml)?.[1]
    const limits = proseOf(page, '## Limits')
    expect(limits).toContain(`One address can make ${deployed} universes in an hour.`)
    expect(limits).toContain(`\`npm start\` allows ${figure(Number(LOCAL_VARIABLES.UNIVERSE_RATE_LIMIT))},`)
    const made = await documentedFetch(`${galaxy.url}/universes`, { method: 'POST' })
    expect(made.headers.get('X-RateLimit-Limit')).toBe(LOCAL_VARIABLES.UNIVERSE_RATE_LIMIT)
    const { url, token } = await bodyOf(made)
    await fetch(`${url}/universe`, { method: 'DELETE', headers: { Authorization: `Bearer ${token}` } })
  })
})
