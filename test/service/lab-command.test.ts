import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { LAB_USAGE } from '../../package/command/lab-options.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { sectionOf, tableOf } from './documentation.ts'
import { shareGalaxy } from './prepared-state.ts'

// `galaxy lab`: a client before the judge, in one command.

const COMMAND = join(ROOT, 'bin', 'galaxy.cjs')

/** A client of the cases of paths, which sends what the catalogue says. With `WRONG`, one case gets another value. */
const CLIENT = `
import { writeFileSync } from 'node:fs'
const { LAB_URL, LAB_OPENAPI, WRONG, TMPDIR } = process.env
const { paths } = await (await fetch(LAB_OPENAPI)).json()
const { cases } = await (await fetch(new URL('../cases', LAB_URL))).json()
for (const { id, wire, group } of cases) {
  if (group !== 'path' || !Object.keys(paths).some((path) => path.startsWith('/' + id))) continue
  await fetch(LAB_URL + '/' + id + '/' + (id === WRONG ? 'red%1B[31m%C2%9B31m' : wire))
}
writeFileSync('seen.json', JSON.stringify({ LAB_URL, LAB_OPENAPI, TMPDIR, umask: process.umask() }))
process.exit(Number(process.env.CODE ?? 0))
`
const OTHER_GROUPS = ['query', 'header', 'cookie', 'form', 'multipart', 'body', 'xml', 'response', 'redirect', 'retry']
const skip = Object.fromEntries(OTHER_GROUPS.map((group) => [`${group}/*`, 'a client of paths']))

let place: string
let temporary: string

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'galaxy-lab-command-'))
  temporary = join(place, 'tmp')
  await mkdir(temporary)
  await writeFile(join(place, 'client.mjs'), CLIENT)
  await writeFile(join(place, 'skip.json'), JSON.stringify({ skip }))
  const stale = { expect: { 'path/utf8': 'we encode nothing', 'path/reserved': 'a known fault' }, skip }
  await writeFile(join(place, 'expect.json'), JSON.stringify(stale))
  await writeFile(join(place, 'unknown.json'), JSON.stringify({ expect: { 'path/none': 'why' } }))
  await writeFile(join(place, 'other.json'), JSON.stringify({ ignore: {} }))
})
afterAll(() => rm(place, { recursive: true, force: true }))

const CALL = ['--', process.execPath, 'client.mjs']

interface Outcome {
  code: number
  stdout: string
  stderr: string
}

function lab(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const { GALAXY_URL: _, ...variables } = process.env
  const options = { cwd: place, env: { ...variables, TMPDIR: temporary, ...env } }
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, 'lab', ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}

it('a client that sends every case right passes the gate', async () => {
  const args = ['--tool', 'paths', '--tool-version', '1.2.3', '--expect', 'skip.json', '--junit', 'junit.xml']
  const { code, stdout, stderr } = await lab([...args, ...CALL], { CODE: '0' })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^\npaths 1\.2\.3, suite \d{4}-\d\d-\d\d\ncore {6}(\d+) of 93 passed, \d+ skipped\n/)
  expect(stdout).toContain('The gate for core lets pass.')
  expect(await readFile(join(place, 'junit.xml'), 'utf8')).toContain('<testsuite ')
  // Another step of CI may be another user.
  expect((await stat(join(place, 'junit.xml'))).mode & 0o777).toBe(0o666 & ~process.umask())
  const seen = JSON.parse(await readFile(join(place, 'seen.json'), 'utf8'))
  expect(seen.LAB_URL).toMatch(/^http:\/\/localhost:\d+\/lab\/runs\/[a-z0-9]{24}$/)
  expect(seen.LAB_OPENAPI).toBe(`${seen.LAB_URL}/openapi.json`)
  // The client runs as its caller does.
  expect(seen).toMatchObject({ TMPDIR: temporary, umask: process.umask() })
  expect(await readdir(temporary)).toEqual([])
})

it('a client that sends one case wrong fails, and the message has no control characters', async () => {
  const { code, stdout } = await lab(['--tool', 'paths', '--expect', 'skip.json', ...CALL], { WRONG: 'path/utf8' })
  expect(code).toBe(7)
  expect(stdout).toContain('fail      path/utf8 (byte 0): ')
  expect(stdout).toContain('  sent      "red%1B[31m%C2%9B31m"\n  expected  "gr%C3%B6')
  expect(stdout).toContain('\n  decided   https://spec.openapis.org/oas/v3.1.2.html#url-percent-encoding\n')
  expect(stdout).not.toContain('Failed as expected')
  expect(stdout).toContain('The gate for core fails.')
  expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
})

it('a case that is expected to fail and passes is stale, and a failing command fails', async () => {
  const stale = await lab(['--tool', 'paths', '--expect', 'expect.json', ...CALL], { WRONG: 'path/utf8' })
  expect(stale.code).toBe(7)
  expect(stale.stdout).toContain('stale     path/reserved: it is expected to fail, and passes')
  expect(stale.stdout).not.toContain('path/utf8 ')
  expect(stale.stdout).toContain('Failed as expected: 1.\nThe gate for core fails.')
  const failed = await lab(['--tool', 'paths', '--expect', 'skip.json', ...CALL], { CODE: '3' })
  expect(failed.code).toBe(7)
  expect(failed.stdout).toContain('lets pass.\nThe command has ended with exit code 3.')
})

it('if the file of JUnit cannot be written, the results are printed all the same', async () => {
  const args = ['--tool', 'nothing', '--junit', 'no-such-folder/junit.xml']
  const { code, stdout, stderr } = await lab([...args, '--', process.execPath, '--version'])
  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('no-such-folder/junit.xml') })
  expect(stdout).toContain('The gate for core fails.')
})

it('a client that sends nothing fails', async () => {
  const { code, stdout } = await lab(['--tool', 'nothing', '--', process.execPath, '--version'])
  expect(code).toBe(7)
  expect(stdout).toContain('missing   path/simple-string: it was not called')
})

it('a case that is begun and not finished fails, and is not said to be missing', async () => {
  const read = "await fetch(process.env.LAB_URL + '/response/object')"
  const command = ['--', process.execPath, '--input-type=module', '--eval', read]
  const { code, stdout } = await lab(['--tool', 'reader', ...command])
  expect(code).toBe(7)
  expect(stdout).toContain('fail      response/object: it was begun, and not finished')
})

it('without `extended`, cases of that level do not count, and with it they do', async () => {
  const wrong = { WRONG: 'path/label-string' }
  expect((await lab(['--tool', 'paths', '--expect', 'skip.json', ...CALL], wrong)).code).toBe(0)
  const both = await lab(['--tool', 'paths', '--level', 'extended', '--expect', 'skip.json', ...CALL], wrong)
  expect(both).toMatchObject({ code: 7, stdout: expect.stringContaining('fail      path/label-string') })
})

const galaxy = shareGalaxy()

it('a service that runs already is used if GALAXY_URL has its address', async () => {
  const { code } = await lab(['--tool', 'paths', '--expect', 'skip.json', ...CALL], { GALAXY_URL: `${galaxy.url}/` })
  expect(code).toBe(0)
  const { LAB_URL } = JSON.parse(await readFile(join(place, 'seen.json'), 'utf8'))
  expect(LAB_URL.startsWith(`${galaxy.url}/lab/runs/`)).toBe(true)
  expect(await (await fetch(LAB_URL)).json()).toMatchObject({ tool: 'paths', closed: true })
})

it('after the results it ends at once, because the runtime has nothing left to answer', async () => {
  const args = [COMMAND, 'lab', '--tool', 'nothing', '--', process.execPath, '--version']
  const child = execFile(process.execPath, args, { env: { ...process.env, TMPDIR: temporary } })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await new Promise<void>((resolve) => child.stdout?.on('data', (text) => text.includes('The gate') && resolve()))
  const printed = performance.now()
  await ended
  // If it does not see the runtime end, it waits for 1,500 ms.
  expect(performance.now() - printed).toBeLessThan(1_400)
})

it('a command that is told to stop has not passed, and its client ends with it', async () => {
  const file = join(place, 'pid')
  const code = `require('fs').writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000)`
  const args = [COMMAND, 'lab', '--tool', 'slow', '--', process.execPath, '-e', code]
  const child = execFile(process.execPath, args, { env: { ...process.env, TMPDIR: temporary } }, () => {})
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let pid = 0
  while (!pid) {
    await sleep(50)
    pid = Number(await readFile(file, 'utf8').catch(() => ''))
  }
  child.kill('SIGTERM')
  expect(await ended).toBe(1)
  await expect.poll(() => isRunning(pid)).toBe(false)
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it.each([
  [[...CALL], '--tool must name the client'],
  [['--tool', 'x'], 'after -- must be the command'],
  [['--tool', 'x', '--', ''], 'after -- must be the command'],
  [['--tool', 'x', '--level', 'open', ...CALL], '--level must be one of core, extended'],
  [['--tool', 'x', '--expect', 'none.json', ...CALL], 'none.json'],
  [['--tool', 'x', '--expect', 'client.mjs', ...CALL], 'client.mjs'],
  [['--tool', 'x', '--expect', 'other.json', ...CALL], 'must be a file with'],
  [['--tool', 'x', '--expect', 'unknown.json', ...CALL], '/expect/path~1none'],
  [['--tool', 'x'.repeat(81), ...CALL], '/tool'],
  [['--tool', 'x', '--', './no-such-program'], 'The command ./no-such-program cannot be run'],
])('wrong arguments %j are refused with the code 2', async (args, message) => {
  const { code, stderr } = await lab(args)
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
  expect(stderr).not.toMatch(/\n {4}at /)
})

it('docs/lab.md has every option', async () => {
  const section = sectionOf(await readFile(join(ROOT, 'docs', 'lab.md'), 'utf8'), '## In one command')
  const options = [...LAB_USAGE.matchAll(/^ {2}(--\S+ \S+)/gm)].map(([, option]) => option)
  expect(options.length).toBeGreaterThan(3)
  expect([...tableOf(section).keys()]).toEqual(options)
})
