import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LAB_USAGE } from '../../package/command/lab-options.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { codesOf, sectionOf, tableOf } from './documentation.ts'
import { shareGalaxy } from './prepared-state.ts'

// `galaxy lab`: a client before the judge, in one command.

const COMMAND = join(ROOT, 'bin', 'galaxy.cjs')
/** How long a stop may take: two seconds, and what a busy machine adds. */
const STOP_MS_MAX = 3_000

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

const galaxy = shareGalaxy()
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
  const wrongFiles = {
    'other.json': { ignore: {} },
    'list.json': [],
    'tool.json': { tool: 7 },
    'cases.json': { expect: ['path/utf8'] },
    'reason.json': { skip: { 'xml/*': null } },
    'empty.json': { expect: { 'path/utf8': '' }, skip: { 'xml/*': ' ', 'form/*': 'no forms' } },
  }
  for (const [name, json] of Object.entries(wrongFiles)) await writeFile(join(place, name), JSON.stringify(json))
})
afterAll(() => rm(place, { recursive: true, force: true }))

const CALL = ['--', process.execPath, 'client.mjs']

interface Outcome {
  code: number
  stdout: string
  stderr: string
}

/** Runs the command at the service that runs already, because most of it does not depend on whose service it is. */
const lab = (args: readonly string[], env: Record<string, string> = {}) =>
  labAlone(args, { GALAXY_URL: galaxy.url, ...env })

/** Runs the command, which starts a service of its own. */
function labAlone(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  const { GALAXY_URL: _, ...variables } = process.env
  const options = { cwd: place, env: { ...variables, TMPDIR: temporary, ...env } }
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, 'lab', ...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
  })
}

it('a client that sends every case right passes the gate of a service that ends with it', async () => {
  const args = ['--tool', 'paths', '--tool-version', '1.2.3', '--expect', 'skip.json', '--junit', 'junit.xml']
  const { code, stdout, stderr } = await labAlone([...args, ...CALL], { CODE: '0' })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(
    /^\npaths 1\.2\.3, suite \d{4}-\d\d-\d\d, OpenAPI 3\.1\ncore {6}(\d+) of 93 passed, \d+ skipped\n/,
  )
  expect(stdout).toContain('The gate for core lets pass.')
  // It ends with the service.
  expect(stdout).not.toContain('report')
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

it('a client of another version of OpenAPI is judged by its cases', async () => {
  const args = ['--tool', 'paths', '--document', '3.2', '--level', 'extended', '--expect', 'skip.json', ...CALL]
  const { code, stdout } = await lab(args)
  expect(code).toBe(0)
  expect(stdout).toMatch(/, OpenAPI 3\.2\ncore {6}\d+ of 99 passed, \d+ skipped\nextended {2}\d+ of 89 passed/)
  const seen = JSON.parse(await readFile(join(place, 'seen.json'), 'utf8'))
  expect(seen.LAB_OPENAPI).toBe(`${seen.LAB_URL}/openapi-3.2.json`)
  const wrong = await lab(args, { WRONG: 'path/allow-reserved' })
  expect([wrong.code, wrong.stdout]).toEqual([7, expect.stringContaining('fail      path/allow-reserved (byte 0)')])
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

it('if one file cannot be written, the other is', async () => {
  const args = ['--tool', 'nothing', '--write-expect', 'no-such-folder/expect.json', '--junit', 'other.xml']
  const { code, stderr } = await lab([...args, '--', process.execPath, '--version'])
  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('no-such-folder/expect.json') })
  expect(await readFile(join(place, 'other.xml'), 'utf8')).toContain('<testsuite ')
})

it('the list of what is known may begin with a byte order mark', async () => {
  await writeFile(join(place, 'marked.json'), '\ufeff{"skip":{"path/*":"later"}}')
  const { stdout } = await lab(['--tool', 'x', '--expect', 'marked.json', '--', process.execPath, '--version'])
  expect(stdout).toMatch(/^core .* 12 skipped/m)
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

it('the counts of a level add up, with what a client may leave undone', async () => {
  const code = `
    const { LAB_URL } = process.env
    const first = () => fetch(LAB_URL + '/retry/after-seconds')
    await first()
    await fetch(LAB_URL + '/path/simple-string/blue')`
  const { stdout } = await lab(['--tool', 'info', '--', process.execPath, '--input-type=module', '--eval', code])
  expect(stdout).toMatch(/^extended {2}0 of \d+ passed, 1 info, .*\ninfo: no verdict, because /m)
  const levels = [...stdout.matchAll(/^(?:core|extended) +(\d+) of (\d+) passed(.*)$/gm)]
  expect(levels).toHaveLength(2)
  for (const [, passed, total, others = ''] of levels) {
    const counts = [...others.matchAll(/, (\d+) /g)].map(([, count]) => Number(count))
    expect(counts.reduce((sum, count) => sum + count, Number(passed))).toBe(Number(total))
  }
})

it('a response that is lost on purpose prints nothing between the lines of the client', async () => {
  const code = `
    const { LAB_URL } = process.env
    const url = LAB_URL + '/retry/post-once'
    await fetch(url)
    await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' })
      .then(({ status }) => console.error('status', status), () => console.error('lost'))
    await new Promise((resolve) => setTimeout(resolve, 500))`
  const { stderr } = await labAlone(['--tool', 'lost', '--', process.execPath, '--input-type=module', '--eval', code])
  expect(stderr).toBe('lost\n')
})

describe('a command that changes its own run', () => {
  const change = (method: string, body?: object) => `
    const { LAB_URL } = process.env
    await fetch(LAB_URL + '/path/utf8/wrong')
    const body = ${JSON.stringify(JSON.stringify(body)) ?? undefined}
    const { status } = await fetch(LAB_URL, { method: '${method}', headers: { 'Content-Type': 'application/json' }, body })
    if (status > 299) throw new Error(String(status))`
  const run = (code: string, ...args: string[]) =>
    lab(['--tool', 'cheat', ...args, '--', process.execPath, '--input-type=module', '--eval', code])

  it('is judged without its changes, and they are printed', async () => {
    const groups = ['path', ...OTHER_GROUPS].map((group) => [`${group}/*`, 'not now'])
    const skipsAll = { skip: Object.fromEntries(groups), expect: { 'path/utf8': 'known' } }
    const { code, stdout } = await run(change('PATCH', skipsAll), '--expect', 'skip.json')
    expect(code).toBe(7)
    expect(stdout).toContain('fail      path/utf8 (byte 0)')
    expect(stdout).toContain('missing   path/simple-string')
    expect(stdout).toContain('The gate for core fails.')
    expect(stdout).toContain(
      'The command has changed the run: expect (added: path/utf8), skip (added: path/*; other reason: query/*, ',
    )
  })

  it('is judged with cases that it took out of the list', async () => {
    const { stdout } = await run(change('PATCH', { expect: {}, skip: {} }), '--expect', 'expect.json')
    expect(stdout).not.toContain('missing   query/')
    expect(stdout).toContain('expect (removed: path/utf8, path/reserved), skip (removed: query/*, ')
  })

  it('changes nothing by setting what is there', async () => {
    const { stdout } = await run(change('PATCH', { skip }), '--expect', 'skip.json')
    expect(stdout).not.toContain('has changed')
  })

  it.each([
    ['closed', change('PATCH', { closed: true })],
    ['deleted', change('DELETE')],
  ])('and has %s it fails, and no gate is asked', async (what, code) => {
    const outcome = await run(code, '--write-expect', `${what}.json`, '--junit', `${what}.xml`)
    expect(outcome).toEqual({
      code: 7,
      stdout: expect.stringMatching(/^The report: \S+\n$/),
      stderr: `galaxy: The command has ${what} the run, so the run says nothing about the client. No gate was asked.\n`,
    })
    expect((await readdir(place)).filter((name) => name.startsWith(what))).toEqual([])
  })
})

it('known.json of docs/lab.md is taken as it is, with its tool and version', async () => {
  const section = sectionOf(await readFile(join(ROOT, 'docs', 'lab.md'), 'utf8'), '### What is known to fail')
  const [known = ''] = codesOf(section, 'json')
  await writeFile(join(place, 'known.json'), known)
  const named = await lab(['--expect', 'known.json', ...CALL])
  expect(named.stdout).toContain('\nswagger-client 3.39.0, suite ')
  const other = await lab(['--expect', 'known.json', '--tool', 'other', '--tool-version', '2', ...CALL])
  expect(other.stdout).toContain('\nother 2, suite ')
})

it('writes what failed, and with reasons the same client passes', async () => {
  const file = join(place, 'written.json')
  const reasons = { 'path/reserved': 'a known fault', 'path/date': 'fixed by now' }
  await writeFile(file, JSON.stringify({ tool: 'paths', version: '1', expect: reasons, skip: { 'xml/*': 'no XML' } }))
  const args = ['--expect', file, '--write-expect', file]
  const first = await lab([...args, ...CALL], { WRONG: 'path/utf8' })
  expect(first.code).toBe(7)
  const written = JSON.parse(await readFile(file, 'utf8'))
  // The groups with core cases, of which nothing was called.
  const others = ['query', 'header', 'form', 'multipart', 'body', 'response'].map((group) => [`${group}/*`, ''])
  expect(written).toEqual({
    tool: 'paths',
    version: '1',
    expect: { 'path/utf8': '' },
    skip: { 'xml/*': 'no XML', ...Object.fromEntries(others) },
  })
  expect(first.stdout).toContain(`${file} has 7 empty reasons. --expect takes it when all are written.`)
  const empty = await lab([...args, ...CALL])
  expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining('expect, "path/utf8"') })
  await writeFile(file, JSON.stringify(written).replaceAll('""', '"written"'))
  const last = await lab([...args, ...CALL], { WRONG: 'path/utf8' })
  expect(last.stdout).not.toContain('empty reasons')
  expect(last.code).toBe(0)
})

it('cases that a client has begun to send are named one by one, and those of a group that it leaves out are not', async () => {
  const file = join(place, 'partly.json')
  const code = "await fetch(process.env.LAB_URL + '/path/simple-string/blue')"
  await lab(['--tool', 'x', '--write-expect', file, '--', process.execPath, '--input-type=module', '--eval', code])
  const { skip } = JSON.parse(await readFile(file, 'utf8'))
  expect(skip).toMatchObject({ 'path/simple-array': '', 'query/*': '' })
  expect(skip).not.toHaveProperty('path/*')
  expect(skip).not.toHaveProperty('path/simple-string')
})

it('a service that runs already is used if GALAXY_URL has its address', async () => {
  const args = ['--tool', 'paths', '--expect', 'skip.json', ...CALL]
  const { code, stdout } = await lab(args, { GALAXY_URL: `${galaxy.url}/` })
  expect(code).toBe(0)
  const { LAB_URL } = JSON.parse(await readFile(join(place, 'seen.json'), 'utf8'))
  // First, because it stays whatever becomes of the command, and last, where it is looked for.
  const address = `The report: ${LAB_URL}/report\n`
  expect(stdout.startsWith(address)).toBe(true)
  expect(stdout.endsWith(`\n${address}`)).toBe(true)
  expect((await fetch(`${LAB_URL}/report`)).status).toBe(200)
  expect(LAB_URL.startsWith(`${galaxy.url}/lab/runs/`)).toBe(true)
  expect(await (await fetch(LAB_URL)).json()).toMatchObject({ tool: 'paths', closed: true })
})

it('has a report that stays also if the command cannot be run', async () => {
  const { code, stdout } = await lab(['--tool', 'x', '--', './nothing'], { GALAXY_URL: galaxy.url })
  expect(code).toBe(2)
  const [, url = ''] = /^The report: (\S+)\n$/.exec(stdout) ?? []
  expect((await fetch(url)).status).toBe(200)
})

it.each(['<h1>Welcome</h1>', 'null', '{}'])(
  'if something else than Galaxy answers %s, no command is run',
  async (body) => {
    const stranger = createServer((_, response) => response.end(body)).listen(0, '127.0.0.1')
    await once(stranger, 'listening')
    const url = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
    const outcome = await lab(['--tool', 'x', '--', 'echo', 'was run'], { GALAXY_URL: url })
    stranger.close()
    expect(outcome).toMatchObject({ code: 1, stdout: '' })
    expect(outcome.stderr).toMatch(/^galaxy: POST .*\/lab\/runs: something else than Galaxy has answered 200 .*\n$/)
  },
)

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

/** Starts a shell with a client below it, and that client with one of its own. Both ignore what they can ignore. */
async function startDeep(name: string, env: Record<string, string>) {
  const file = join(place, name)
  const ignore = "for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {})"
  const client = `${ignore}
    require('fs').appendFileSync(${JSON.stringify(file)}, process.pid + '\\n')
    setInterval(() => {}, 1000)`
  await writeFile(`${file}.cjs`, client.replace('\\\\n', '\\n'))
  const shell = `"${process.execPath}" "${file}.cjs" & "${process.execPath}" "${file}.cjs"; wait`
  const { GALAXY_URL: _, ...variables } = process.env
  const args = [COMMAND, 'lab', '--tool', 'slow', '--', 'sh', '-c', shell]
  const child = execFile(process.execPath, args, { env: { ...variables, TMPDIR: temporary, ...env } }, () => {})
  const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)))
  let pids: number[] = []
  while (pids.length < 2) {
    await sleep(50)
    pids = (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean).map(Number)
  }
  return { child, ended, pids }
}

describe.each([
  ['its own service', () => ({})],
  ['a service that runs already', () => ({ GALAXY_URL: galaxy.url })],
])('at %s, a command that is told to stop has not passed,', (service, env) => {
  // command.test.ts sends the others, which end the same way.
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'and after %s nothing is left of its client and what that has started',
    async (signal) => {
      const { child, ended, pids } = await startDeep(`pids-${signal}-${service.length}`, env())
      const start = performance.now()
      child.kill(signal)
      expect(await ended).toBe(signal === 'SIGKILL' ? signal : 1)
      expect(performance.now() - start).toBeLessThan(STOP_MS_MAX)
      await expect.poll(() => pids.filter(isRunning)).toEqual([])
    },
  )
})

it('Ctrl-C in a terminal, which its runtime gets too, ends it without a message', async () => {
  const args = [COMMAND, 'lab', '--tool', 'slow', '--', 'sh', '-c', 'echo begun; sleep 1000']
  const { GALAXY_URL: _, ...variables } = process.env
  const child = spawn(process.execPath, args, {
    env: { ...variables, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const ended = new Promise((resolve) => child.once('close', resolve))
  await expect.poll(() => output, { timeout: 100_000 }).toBe('begun\n')
  process.kill(-(child.pid ?? 0), 'SIGINT')
  expect(await ended).toBe(1)
  expect(output).toBe('begun\n')
  expect(await readdir(temporary)).toEqual([])
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

it('a command that cannot be run is refused with the code 2, and the service that was started ends', async () => {
  const { code, stderr } = await labAlone(['--tool', 'x', '--', './no-such-program'])
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('The command ./no-such-program cannot be run'),
  })
  expect(stderr).not.toMatch(/\n {4}at /)
  expect(await readdir(temporary)).toEqual([])
})

it.each([
  [[...CALL], '--tool must name the client'],
  [['--tool', 'x'], 'after -- must be the command'],
  [['--tool', 'x', '--', ''], 'after -- must be the command'],
  [['--tool', 'x', '--level', 'open', ...CALL], '--level must be one of core, extended'],
  [['--tool', 'x', '--document', '2.0', ...CALL], '--document must be one of 3.0, 3.1, 3.2'],
  [['--tool', 'x', '--expect', 'none.json', ...CALL], 'none.json'],
  [['--tool', 'x', '--expect', 'client.mjs', ...CALL], 'client.mjs'],
  [['--tool', 'x', '--expect', 'unknown.json', ...CALL], '/expect/path~1none'],
  [['--tool', 'x'.repeat(81), ...CALL], '/tool'],
])('wrong arguments %j are refused with the code 2', async (args, message) => {
  const { code, stderr } = await lab(args)
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
  expect(stderr).not.toMatch(/\n {4}at /)
})

it.each([
  ['none.json', '--expect none.json: it cannot be read: ENOENT'],
  ['client.mjs', '--expect client.mjs: it cannot be read: Unexpected token'],
  ['list.json', '--expect list.json: it must be a JSON object with tool, version, expect, skip'],
  ['other.json', '--expect other.json: there is no member "ignore", only tool, version, expect, skip'],
  ['tool.json', '--expect tool.json: tool must be a text'],
  ['cases.json', '--expect cases.json: expect must be an object from cases to reasons'],
  ['reason.json', '--expect reason.json: skip, "xml/*": the reason must be a text'],
  [
    'empty.json',
    '--expect empty.json: these reasons are empty. Write 1 to 200 characters for each:\n  expect, "path/utf8"\n  skip, "xml/*"',
  ],
])('what is wrong in %s is said in a line, without all options', async (file, message) => {
  const { code, stderr } = await lab(['--tool', 'x', '--expect', file, ...CALL])
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`galaxy: ${message}`) })
  expect(stderr).not.toContain('Usage')
})

it('docs/lab.md has every option', async () => {
  const section = sectionOf(await readFile(join(ROOT, 'docs', 'lab.md'), 'utf8'), '## In one command')
  const options = [...LAB_USAGE.matchAll(/^ {2}(--\S+ \S+)/gm)].map(([, option]) => option)
  expect(options.length).toBeGreaterThan(3)
  expect([...tableOf(section).keys()]).toEqual(options)
})
