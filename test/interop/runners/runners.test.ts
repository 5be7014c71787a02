import { type ExecFileException, execFile } from 'node:child_process'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ROOT } from '../../../scripts/lib/root.ts'
import { codesOf, sectionOf } from '../../service/documentation.ts'
import { freePort } from '../../service/ports.ts'
import { addPackages, makeProject, type Project } from '../../service/project.ts'
import { folderOf } from '../languages.ts'

// The library of the package in jest, and beside what replaces requests in tests. vitest and the runner of Node are in
// test/service/library.test.ts.

const run = promisify(execFile)
const section = sectionOf(await readFile(join(ROOT, 'docs', 'testing.md'), 'utf8'), '## jest')
const PROGRAM_MS_MAX = 100_000

let project: Project

beforeAll(async () => {
  project = await makeProject()
  await addPackages(project, ['jest', 'msw', 'nock'], folderOf('runners'))
})

afterAll(() => project.remove())

/** The environment of a user, who runs no vitest. */
function environment(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const foreign = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST$|NODE_ENV$|GALAXY)/.test(name))
  return { ...Object.fromEntries(foreign), NO_COLOR: '1', CI: 'true', ...more }
}

/** Runs a program in a folder. It may fail. @returns Everything that it printed */
async function runIn(cwd: string, program: string, args: readonly string[], env?: Record<string, string>) {
  const options = { cwd, timeout: PROGRAM_MS_MAX, env: environment(env) }
  const { stdout, stderr } = await run(program, args, options).catch(
    (error: ExecFileException & { stdout: string; stderr: string }) => error,
  )
  return stdout + stderr
}

describe('jest', () => {
  /** An empty folder with the files of the page. */
  async function makeFolder(): Promise<string> {
    const folder = await mkdtemp(join(project.folder, 'jest-'))
    const blocks = [...section.matchAll(/`([\w.-]+\.js)`[^`]*:\n\n```js\n(.*?)^```$/gms)]
    for (const [, name = '', code = ''] of blocks) await writeFile(join(folder, name), code)
    expect(blocks.map(([, name]) => name)).toEqual([
      'jest.config.js',
      'start-galaxy.js',
      'stop-galaxy.js',
      'arrakis.test.js',
    ])
    return folder
  }

  it('runs the files of the page, with one server for two test files', async () => {
    const folder = await makeFolder()
    const code = await readFile(join(folder, 'arrakis.test.js'), 'utf8')
    const report = "test('report', () => void process.stdout.write('AT ' + galaxy.url + ' ' + universe.url + '\\n'))\n"
    await writeFile(join(folder, 'arrakis.test.js'), code + report)
    await writeFile(join(folder, 'caladan.test.js'), code.replaceAll('Arrakis', 'Caladan') + report)
    const [, command = ''] = codesOf(section, 'bash').map((line) => line.trim())
    const [program = '', ...args] = command.split(' ')
    const output = await runIn(folder, program, args)
    expect(output).toMatch(/^Tests: +6 passed, 6 total$/m)
    const places = [...output.matchAll(/AT (\S+) (\S+)/g)]
    expect(new Set(places.map(([, url]) => url)).size).toBe(1)
    expect(new Set(places.map(([, , url]) => url)).size).toBe(2)
    await expect(fetch(places[0]?.[1] ?? '')).rejects.toThrow()
  })

  it('uses the server of GALAXY_URL, and leaves it running', async () => {
    const { url } = inject('shared')
    const folder = await makeFolder()
    const report = "test('report', () => void process.stdout.write('AT ' + galaxy.url + '\\n'))\n"
    const file = join(folder, 'arrakis.test.js')
    await writeFile(file, (await readFile(file, 'utf8')) + report)
    expect(await runIn(folder, 'npx', ['jest'], { GALAXY_URL: url })).toContain(`AT ${url}\n`)
    expect((await fetch(`${url}/planets/1`)).status).toBe(200)
  })

  it('shows why a start has failed, and no error after it', async () => {
    const folder = await makeFolder()
    await writeFile(join(folder, 'jest.config.js'), 'module.exports = { testTimeout: 60_000 }')
    const file = join(folder, 'arrakis.test.js')
    await writeFile(file, (await readFile(file, 'utf8')).replace('startGalaxy()', 'startGalaxy({ ip: "192.0.2.1" })'))
    const output = await runIn(folder, 'npx', ['jest'])
    expect(output).toContain('Port 0 cannot be used')
    expect(output).not.toContain('TypeError: Cannot read properties of undefined')
  })

  it('with fake timers and a mock of `fetch`, a reset happens; with one of threads, it says so', async () => {
    const folder = await mkdtemp(join(project.folder, 'jest-'))
    const fakes = `
      const { startGalaxy } = require('galaxy')
      test('reset', async () => {
        const galaxy = await startGalaxy()
        const universe = await galaxy.makeUniverse()
        const headers = { Authorization: 'Bearer ' + universe.token, 'Content-Type': 'application/json' }
        const real = fetch
        await real(universe.url + '/planets/1', { method: 'PUT', headers, body: '{"name":"Arrakis"}' })
        expect((await (await real(universe.url + '/planets/1')).json()).name).toBe('Arrakis')
        jest.useFakeTimers()
        globalThis.fetch = jest.fn(async () => ({ ok: true, status: 200, text: async () => '{}' }))
        await universe.reset()
        jest.useRealTimers()
        globalThis.fetch = real
        expect((await (await real(universe.url + '/planets/1')).json()).name).toBe('Mercury')
        await galaxy.stop()
      }, 60_000)`
    const threads = `
      jest.mock('node:worker_threads')
      test('threads', () => expect(require('galaxy').startGalaxy()).rejects.toThrow('replaced node:worker_threads'))`
    await writeFile(join(folder, 'jest.config.js'), 'module.exports = {}')
    await writeFile(join(folder, 'fakes.test.js'), fakes)
    await writeFile(join(folder, 'threads.test.js'), threads)
    expect(await runIn(folder, 'npx', ['jest'])).toMatch(/^Tests: +2 passed, 2 total$/m)
  })
})

describe.each([
  [
    'msw',
    `import { http, HttpResponse } from 'msw'
     import { setupServer } from 'msw/node'
     const replacement = setupServer(http.all('*', () => HttpResponse.json({ url: 'http://localhost:9', token: 'x' })))
     const replace = () => replacement.listen()
     const restore = () => replacement.close()`,
  ],
  [
    'nock',
    `import nock from 'nock'
     nock.restore()
     const replace = () => {
       nock.activate()
       nock.disableNetConnect()
       for (const method of ['get', 'post', 'delete']) nock(/.*/).persist()[method](/.*/).reply(200, { url: 'http://localhost:9' })
     }
     const restore = () => nock.restore()`,
  ],
])('%s', (_, code) => {
  it('replaces nothing in the library, which sends what it is asked for', async () => {
    const folder = await mkdtemp(join(project.folder, 'replaced-'))
    const nowhere = `http://localhost:${await freePort()}`
    const program = `
      import { execFileSync } from 'node:child_process'
      import { connectGalaxy, startGalaxy } from 'galaxy'
      ${code}
      // In another process, where nothing is replaced.
      const send = (url, method = 'GET', headers = {}, body = undefined) => {
        const code = 'const [url, init] = process.argv.slice(1); fetch(url, JSON.parse(init)).then(async (r) => console.log(JSON.stringify([r.status, (await r.json()).name])))'
        return JSON.parse(execFileSync(process.execPath, ['-e', code, url, JSON.stringify({ method, headers, body })], { encoding: 'utf8' }))
      }
      replace()
      const answers = await fetch('${nowhere}/healthz').then(({ status }) => status)
      const refused = await connectGalaxy('${nowhere}').catch((error) => error.message)
      const galaxy = await startGalaxy()
      const universe = await galaxy.makeUniverse()
      const planet = universe.url + '/planets/1'
      const headers = { Authorization: 'Bearer ' + universe.token, 'Content-Type': 'application/json' }
      const renamed = send(planet, 'PUT', headers, '{"name":"Arrakis"}')
      await universe.reset()
      const reset = send(planet)
      await universe.remove()
      const removed = send(planet)
      await galaxy.stop()
      const stopped = await connectGalaxy(galaxy.url).catch(() => 'stopped')
      restore()
      console.log(JSON.stringify({ answers, refused, renamed, reset, removed, stopped }))`
    await writeFile(join(folder, 'program.mjs'), program)
    const output = await runIn(folder, process.execPath, ['program.mjs'])
    expect(output).toMatch(/^\{.*\}\n$/)
    expect(JSON.parse(output)).toEqual({
      // What is replaced is replaced.
      answers: 200,
      refused: `GET ${nowhere}/healthz: the server cannot be reached (ECONNREFUSED). Has it ended?`,
      renamed: [200, 'Arrakis'],
      reset: [200, 'Mercury'],
      removed: [410, null],
      stopped: 'stopped',
    })
  })
})
