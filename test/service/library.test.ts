import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { portsOf, readTree, tellsProcesses } from './processes.ts'
import { addPackages, makeProject } from './project.ts'

// The library of the package: programs that start Galaxy, and what is left after them.

const run = promisify(execFile)

let project: string
let remove: () => Promise<void>
/** Where the programs of a test have their temporary files. */
let temporary: string
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  const made = await makeProject()
  await addPackages(made, ['vitest', '@playwright/test'])
  project = made.folder
  remove = made.remove
})

beforeEach(async () => {
  temporary = await mkdtemp(join(project, 'temporary-'))
  env = { ...process.env, TMPDIR: temporary }
})

afterAll(() => remove())

/** Less than a test may take. */
const PROGRAM_MS_MAX = 100_000

const argumentsFor = (code: string) => [
  '--input-type=module',
  '--eval',
  `import { connectGalaxy, startGalaxy } from 'galaxy'\n${code}`,
]

/** Runs a program to its end. @returns The JSON that it printed */
async function runProgram(code: string) {
  const { stdout } = await run(process.execPath, argumentsFor(code), { cwd: project, env, timeout: PROGRAM_MS_MAX })
  return JSON.parse(stdout)
}

/** Starts a program that goes on after a line of JSON, in a group of its own. */
async function startProgram(code: string) {
  const child: ChildProcessByStdio<null, Readable, null> = spawn(process.execPath, argumentsFor(code), {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const nextJson = async () => JSON.parse((await lines.next()).value ?? 'null')
  if (child.pid === undefined) throw new Error('the program did not start')
  return { pid: child.pid, child, nextJson }
}

const answers = (url: string) =>
  fetch(`${url}/planets/1`).then(
    ({ status }) => status,
    () => 'nothing',
  )

/** What is left of processes that ran before. */
const aliveOf = (pids: readonly number[]) => pids.filter((pid) => readTree(pid).length > 0)

describe('a program that starts Galaxy', () => {
  it('runs several servers at once, with states of their own, and ends each of them completely', async () => {
    const found = await runProgram(`
      const galaxies = await Promise.all([startGalaxy(), startGalaxy({ seed: 'library' }), startGalaxy({ persistTo: 'kept' })])
      const statuses = await Promise.all(galaxies.map(async ({ url }) => (await fetch(url + '/planets/4')).status))
      const universe = await galaxies[0].makeUniverse()
      const path = universe.url.slice(galaxies[0].url.length)
      const elsewhere = (await fetch(galaxies[1].url + path + '/planets/4')).status
      await Promise.all(galaxies.flatMap(({ stop }) => [stop(), stop()]))
      await galaxies[0].stop()
      const left = await Promise.all(galaxies.map(({ url }) => fetch(url).then(() => 'answer', () => 'nothing')))
      console.log(JSON.stringify({ urls: galaxies.map(({ url }) => url), statuses, elsewhere, left }))
    `)
    expect(new Set(found.urls).size).toBe(3)
    expect(found.statuses).toEqual([200, 200, 200])
    expect(found.elsewhere).toBe(404)
    expect(found.left).toEqual(['nothing', 'nothing', 'nothing'])
    expect(await readdir(temporary)).toEqual([])
    expect(await readdir(join(project, 'kept'))).not.toEqual([])
  })

  it('finds with `persistTo` what an earlier server has stored', async () => {
    const found = await runProgram(`
      const begin = () => startGalaxy({ persistTo: 'persistent' })
      const first = await begin()
      const universe = await first.makeUniverse({ seed: 'blank' })
      await first.stop()
      const second = await begin()
      const path = universe.url.slice(first.url.length)
      console.log(JSON.stringify(await (await fetch(second.url + path + '/planets')).json()))
      await second.stop()
    `)
    expect(found).toMatchObject({ data: [] })
  })

  it('is not kept running by it, and takes it along when it ends', async () => {
    const url = await runProgram(`console.log(JSON.stringify((await startGalaxy()).url))`)
    await expect.poll(() => answers(url)).toBe('nothing')
    await expect.poll(() => readdir(temporary)).toEqual([])
  })

  it('takes it along with process.exit()', async () => {
    const url = await runProgram(`console.log(JSON.stringify((await startGalaxy()).url)); process.exit(0)`)
    await expect.poll(() => answers(url)).toBe('nothing')
    await expect.poll(() => readdir(temporary)).toEqual([])
  })

  it('stops it at the end of a block with `await using`', async () => {
    const found = await runProgram(`
      let urls
      {
        await using galaxy = await startGalaxy()
        await using universe = await galaxy.makeUniverse()
        urls = [galaxy.url, universe.url]
      }
      console.log(JSON.stringify(await Promise.all(urls.map((url) => fetch(url).then(() => 'answer', () => 'nothing')))))
    `)
    expect(found).toEqual(['nothing', 'nothing'])
  })

  it.runIf(tellsProcesses)('leaves no process, no port and no folder if it is killed', async () => {
    const { pid, child, nextJson } = await startProgram(`
      const galaxies = await Promise.all([startGalaxy(), startGalaxy()])
      console.log(JSON.stringify(galaxies.map(({ url }) => url)))
      setInterval(() => {}, 1000)
    `)
    const urls: string[] = await nextJson()
    const pids = readTree(pid).map((process) => process.pid)
    // The program, and for each server at least the command and the runtime.
    expect(pids.length).toBeGreaterThanOrEqual(5)
    expect(portsOf(pid)).toEqual(expect.arrayContaining(urls.map((url) => Number(new URL(url).port))))
    child.kill('SIGKILL')
    await expect.poll(() => aliveOf(pids)).toEqual([])
    expect(await Promise.all(urls.map(answers))).toEqual(['nothing', 'nothing'])
    await expect.poll(() => readdir(temporary)).toEqual([])
  })

  it.runIf(tellsProcesses)('ends it when `stop` resolves, and only the servers that it stops', async () => {
    const { pid, child, nextJson } = await startProgram(`
      const [first, second] = await Promise.all([startGalaxy(), startGalaxy()])
      console.log(JSON.stringify([first.url, second.url]))
      await first.stop()
      console.log('"stopped"')
      setInterval(() => {}, 1000)
    `)
    const [first, second] = await nextJson()
    expect(await nextJson()).toBe('stopped')
    expect([await answers(first), await answers(second)]).toEqual(['nothing', 200])
    expect(portsOf(pid)).not.toContain(Number(new URL(first).port))
    expect(readTree(pid).filter(({ name }) => name === 'workerd')).toHaveLength(1)
    child.kill('SIGKILL')
    await expect.poll(() => answers(second)).toBe('nothing')
  })

  it('can still use it after Ctrl-C, until it ends', async () => {
    const { pid, child, nextJson } = await startProgram(`
      const galaxy = await startGalaxy()
      process.on('SIGINT', async () => {
        const universe = await galaxy.makeUniverse()
        await universe.remove()
        await galaxy.stop()
        console.log('"cleaned up"')
        process.exit()
      })
      console.log('"ready"')
      setInterval(() => {}, 1000)
    `)
    expect(await nextJson()).toBe('ready')
    const ended = new Promise((resolve) => child.on('close', resolve))
    process.kill(-pid, 'SIGINT')
    expect(await nextJson()).toBe('cleaned up')
    expect(await ended).toBe(0)
  })
})

describe('a start that fails', () => {
  const failing = (options: string) => `
    const error = await startGalaxy(${options}).catch((error) => error)
    console.log(JSON.stringify({ isError: error instanceof Error, message: error.message }))
  `

  it('has what the command printed, and leaves nothing', async () => {
    const taken = createServer().listen(0, 'localhost')
    await new Promise((resolve) => taken.once('listening', resolve))
    const address = taken.address()
    if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
    try {
      const { isError, message } = await runProgram(failing(`{ port: ${address.port} }`))
      expect(isError).toBe(true)
      expect(message).toContain(String(address.port))
      expect(message).not.toContain('without a message')
    } finally {
      taken.close()
    }
    expect(await readdir(temporary)).toEqual([])
  })

  it('says which options exclude each other', async () => {
    const { message } = await runProgram(failing(`{ memory: true, persistTo: 'both' }`))
    expect(message).toContain('--memory')
    expect(message).toContain('--persist-to')
  })

  it('says which Node it needs, as the command does', async () => {
    const { message } = await runProgram(`
      Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.12.0' } })
      ${failing('{}')}`)
    expect(message).toBe('galaxy needs Node 22.13 or newer, and this is Node 22.12.0.')
  })

  it('says what forbids threads', async () => {
    const rights = ['--permission', '--allow-fs-read=*']
    const { stdout } = await run(process.execPath, [...rights, ...argumentsFor(failing('{}'))], { cwd: project, env })
    expect(JSON.parse(stdout).message).toMatch(/^galaxy cannot start a thread: .*permission/)
  })

  it('says that it took too long, and leaves nothing', async () => {
    const { message } = await runProgram(failing('{ timeoutMs: 1 }'))
    expect(message).toContain('Galaxy was not ready after 0.001 seconds.')
    await expect.poll(() => readdir(temporary)).toEqual([])
  })
})

describe('with a command that misbehaves', () => {
  /** Puts another program in the place of the command. */
  async function replaceCommand(code: string): Promise<() => Promise<void>> {
    const command = join(project, 'node_modules', 'galaxy', 'bin', 'galaxy.cjs')
    const original = await readFile(command)
    await writeFile(command, code)
    return () => writeFile(command, original)
  }
  /** Says that it is ready, and answers as Galaxy does. */
  const READY = `require('node:http').createServer((_, response) => response.setHeader('X-Processing-Time', '1').end())
    .listen(0, 'localhost', function () { console.log(JSON.stringify({ url: 'http://localhost:' + this.address().port })) })`

  it.each([
    [
      'prints very much',
      `${READY}.on('listening', print); process.stdin.on('end', () => process.exit()).resume()
      function print() { const print = 'yes | head -c 2000000; yes | head -c 2000000 >&2'
      require('node:child_process').spawnSync('sh', ['-c', print], { stdio: 'inherit' })
      fs.writeFileSync('printed', '') }`,
      'started',
    ],
    ['does not end', `${READY}; setInterval(() => {}, 1000)`, 'started'],
    [
      'says that it is ready, and does not answer',
      `console.log('{"url":"http://localhost:9"}'); process.stdin.on('end', () => process.exit()).resume()`,
      'GET http://localhost:9/healthz: the server cannot be reached',
    ],
    ['ends without a word', 'process.exit(7)', 'The command galaxy has ended (exit code 7) without a message.'],
    ['prints something else', `console.log('Hello'); process.stdin.on('end', () => process.exit()).resume()`, 'Hello'],
    ['prints a reason', `console.error('galaxy: no room'); process.exit(5)`, 'galaxy: no room'],
  ])('that %s, it works or fails with a reason, and ends', async (_, code, expected) => {
    const restore = await replaceCommand(`const fs = require('node:fs')\n${code}`)
    try {
      const waiting = code.includes('printed')
        ? `while (!existsSync('printed')) await new Promise((resolve) => setTimeout(resolve, 20))`
        : ''
      const message = await runProgram(`
        import { existsSync } from 'node:fs'
        const galaxy = await startGalaxy().catch((error) => error)
        ${waiting}
        await galaxy.stop?.()
        console.log(JSON.stringify(galaxy.message ?? 'started'))
      `)
      expect(message).toContain(expected)
    } finally {
      await restore()
    }
  })
})

describe('if a test has replaced what sends requests, or the clock,', () => {
  // It renames planet 1, replaces everything, and lets the library work. Another process looks at what has happened.
  it('it works all the same', async () => {
    const found = await runProgram(`
      import { execFileSync } from 'node:child_process'
      import { mock } from 'node:test'
      const galaxy = await startGalaxy()
      const universe = await galaxy.makeUniverse()
      const headers = { Authorization: 'Bearer ' + universe.token, 'Content-Type': 'application/json' }
      await fetch(universe.url + '/planets/1', { method: 'PUT', headers, body: '{"name":"Arrakis"}' })
      const look = (url) => {
        const code = 'fetch(process.argv[1]).then(async (r) => console.log(JSON.stringify([r.status, (await r.json()).name])))'
        return JSON.parse(execFileSync(process.execPath, ['-e', code, url], { encoding: 'utf8' }))
      }
      const before = look(universe.url + '/planets/1')

      // Those of node:timers, too.
      mock.timers.enable()
      const { nextTick } = process
      const { now } = Date
      const timers = { setTimeout, setInterval, setImmediate, queueMicrotask }
      const real = { fetch, ...timers }
      globalThis.fetch = async () => Response.json({})
      for (const name of Object.keys(timers)) globalThis[name] = () => ({ ref() {}, unref() {} })
      process.nextTick = () => {}
      Date.now = () => 0

      await universe.reset()
      const reset = look(universe.url + '/planets/1')
      const other = await galaxy.makeUniverse()
      const made = look(other.url + '/planets/1')
      await universe.remove()
      const removed = look(universe.url + '/planets/1')
      const refused = await connectGalaxy('http://localhost:9').catch((error) => error.message)
      const late = await startGalaxy({ memory: true, timeoutMs: 1 }).catch((error) => error.message)
      const second = await startGalaxy({ memory: true })
      const started = look(second.url + '/planets/1')
      await Promise.all([galaxy.stop(), second.stop()])

      process.nextTick = nextTick
      Date.now = now
      Object.assign(globalThis, real)
      mock.timers.reset()
      console.log(JSON.stringify({ before, reset, made, removed, refused, late, started }))
    `)
    expect(found).toEqual({
      before: [200, 'Arrakis'],
      reset: [200, 'Mercury'],
      made: [200, 'Mercury'],
      removed: [410, null],
      refused: 'GET http://localhost:9/healthz: the server cannot be reached (bad port). Has it ended?',
      late: 'Galaxy was not ready after 0.001 seconds.',
      started: [200, 'Mercury'],
    })
  })

  it('it works all the same, if Node was told to load the replacement everywhere', async () => {
    const file = join(project, 'replacement.mjs')
    await writeFile(file, `globalThis.fetch = async () => Response.json({ url: 'http://localhost:9', token: 'none' })`)
    const options = { ...env, NODE_OPTIONS: `--import=${file}` }
    const code = `
      const galaxy = await startGalaxy()
      const universe = await galaxy.makeUniverse()
      await galaxy.stop()
      console.log(JSON.stringify([universe.url, galaxy.url]))`
    const { stdout } = await run(process.execPath, ['--import', file, ...argumentsFor(code)], {
      cwd: project,
      env: options,
    })
    const [universe, server] = JSON.parse(stdout)
    expect(universe.startsWith(`${server}/u/`)).toBe(true)
  })

  it('tests of vitest with stubs and fake timers are reset', async () => {
    const folder = await mkdtemp(join(project, 'replaced-'))
    await writeFile(
      join(folder, 'vitest.config.mjs'),
      `export default { test: { globalSetup: 'galaxy/vitest/setup', pool: 'threads', testTimeout: 60_000 } }`,
    )
    const rename = `
      import { test } from 'galaxy/vitest'
      import { connectGalaxy } from 'galaxy'
      import { afterAll, beforeEach, expect, vi } from 'vitest'
      const real = fetch
      beforeEach(async ({ universe }) => {
        expect((await (await real(universe.url + '/planets/1')).json()).name).toBe('Mercury')
        const headers = { Authorization: 'Bearer ' + universe.token, 'Content-Type': 'application/json' }
        expect((await real(universe.url + '/planets/1', { method: 'PUT', headers, body: '{"name":"Arrakis"}' })).status).toBe(200)
      })`
    const stub = `${rename}
      test.for([1, 2])('stub %i', async () => {
        vi.stubGlobal('fetch', async () => Response.json({}))
        await expect(connectGalaxy('http://localhost:9')).rejects.toThrow('cannot be reached')
      })`
    const timers = `${rename}
      const toFake = ['setTimeout', 'setInterval', 'setImmediate', 'Date', 'performance']
      test.for([1, 2])('timers %i', async (_, { universe }) => {
        vi.useFakeTimers({ toFake })
        await universe.reset()
        vi.useRealTimers()
        expect((await (await real(universe.url + '/planets/1')).json()).name).toBe('Mercury')
      })`
    await writeFile(join(folder, 'stub.test.mjs'), stub)
    await writeFile(join(folder, 'timers.test.mjs'), timers)
    const { VITEST: _, ...variables } = env
    const options = { cwd: folder, env: { ...variables, NO_COLOR: '1' }, timeout: PROGRAM_MS_MAX }
    const { stdout } = await run('npx', ['vitest', 'run'], options).catch((error) => error)
    expect(stdout).toContain('Tests  4 passed (4)')
  })
})

describe('require("galaxy")', () => {
  it('is the library for CommonJS, without a warning', async () => {
    const code = `const { connectGalaxy, startGalaxy } = require('galaxy')
      startGalaxy().then(async (galaxy) => {
        const universe = await (await connectGalaxy(galaxy.url)).makeUniverse()
        await universe.remove()
        await galaxy.stop()
        console.log(Object.keys(require('galaxy')).sort().join())
      })`
    const { stdout, stderr } = await run(process.execPath, ['--eval', code], { cwd: project, env })
    expect({ stdout, stderr }).toEqual({ stdout: 'connectGalaxy,startGalaxy\n', stderr: '' })
  })

  it.each(['node16', 'nodenext'])('has types with module %s', async (module) => {
    const folder = join(project, `common-${module}`)
    await mkdir(folder)
    await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }')
    const code = `import { startGalaxy, type Universe } from 'galaxy'
      export const url = async (universe?: Universe): Promise<string> => universe?.url ?? (await startGalaxy()).url
      // @ts-expect-error There is no such option.
      startGalaxy({ inMemory: true })`
    await writeFile(join(folder, 'use.ts'), code)
    const compilerOptions = { target: 'es2022', module, strict: true, noEmit: true, types: [], skipLibCheck: true }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['use.ts'] }))
    const { stdout } = await run(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', folder]).catch((error) => error)
    expect(stdout).toBe('')
  })
})

it('says on standard error that the server has ended, if nobody stopped it', async () => {
  const code = `
    import { execFileSync } from 'node:child_process'
    const galaxy = await startGalaxy()
    const [pid] = execFileSync('ps', ['-o', 'pid=', '--ppid', String(process.pid)]).toString().trim().split(/\\s+/)
    process.kill(Number(pid), 'SIGKILL')
    const ended = new Promise((resolve) => (console.error = resolve))
    const kept = setInterval(() => {}, 1000)
    const message = await ended
    clearInterval(kept)
    const error = await galaxy.makeUniverse().catch((error) => error)
    await galaxy.stop()
    console.log(JSON.stringify({ url: galaxy.url, message, error: error.message }))
  `
  const { url, message, error } = await runProgram(code)
  expect(message).toContain(`Galaxy at ${url} has ended (SIGKILL).`)
  expect(error).toMatch(/^POST \S+\/universes: the server cannot be reached \(\w+\)\. Has it ended\?$/)
})

describe('the types', () => {
  const SOURCE = `
    import { connectGalaxy, startGalaxy, type Galaxy, type StartOptions, type Universe } from 'galaxy'
    import { test } from 'galaxy/vitest'
    import { expect, test as pageTest } from 'galaxy/playwright'

    const options: StartOptions = { port: 0, seed: undefined, variables: { SIGNUP: 'closed' } }
    export async function use(): Promise<string> {
      await using galaxy: Galaxy = await startGalaxy(options)
      await using universe: Universe = await galaxy.makeUniverse({ seed: 'blank', hours: 2 })
      await (await connectGalaxy(galaxy.url)).stop()
      // @ts-expect-error There is no such seed.
      await galaxy.makeUniverse({ seed: 'full' })
      // @ts-expect-error There is no such option.
      await startGalaxy({ inMemory: true })
      // @ts-expect-error A universe has no such member.
      universe.nothing
      const { email, password }: { email: string; password: string } = universe.owner
      return universe.url + universe.token + email + password
    }
    test('vitest', async ({ universe, galaxy }) => {
      const made: Universe = await galaxy.makeUniverse()
      // @ts-expect-error A universe has no such member.
      universe.nothing
      return made.remove()
    })
    pageTest('Playwright', async ({ universe, galaxy, page, baseURL }) => {
      const made: Universe = await galaxy.makeUniverse()
      // @ts-expect-error A universe has no such member.
      universe.nothing
      await page.goto('planets')
      expect(baseURL).toBe(made.url)
    })
  `
  it.each([
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('work with module %s and moduleResolution %s', async (module, moduleResolution) => {
    const folder = join(project, `types-${moduleResolution}`)
    await mkdir(folder)
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await writeFile(join(folder, 'use.ts'), SOURCE)
    // What a program that uses only the library has: no types of Node, and no other library.
    const compilerOptions = { target: 'es2022', module, moduleResolution, strict: true, noEmit: true, types: [] }
    const config = { compilerOptions: { ...compilerOptions, skipLibCheck: true }, include: ['use.ts'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    await writeFile(
      join(folder, 'library.ts'),
      `import { startGalaxy } from 'galaxy'\nexport const one = startGalaxy()\n`,
    )
    const checked = {
      compilerOptions: { ...compilerOptions, exactOptionalPropertyTypes: true },
      include: ['library.ts'],
    }
    await writeFile(join(folder, 'library.json'), JSON.stringify(checked))
    const tsc = join(ROOT, 'node_modules', '.bin', 'tsc')
    for (const file of ['tsconfig.json', 'library.json']) {
      const { stdout } = await run(tsc, ['-p', file], { cwd: folder }).catch((error) => error)
      expect(stdout).toBe('')
    }
  })
})
