import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isKept } from '../../benchmarks/measure.ts'
import { WORKERS } from '../../benchmarks/performance/builds.ts'
import { type Program, startServer } from '../../benchmarks/performance/servers.ts'
import { timeStarts } from '../../benchmarks/performance/start-up.ts'
import { countPackages, installFresh, peerPackages, sizeOf } from '../../benchmarks/start/installs.ts'
import { checkFigures } from '../../benchmarks/start/targets.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { bundleForWorker } from '../../scripts/lib/worker-bundle.ts'
import { until } from './callbacks-client.ts'
import { readProportionalBytes, readTree, tellsProcesses } from './processes.ts'

// CI does not run the benchmarks, because their figures need a quiet machine. These tests find what makes their figures
// wrong, and a class that one of their Workers lacks, without which it does not start.

const run = promisify(execFile)

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galaxy-benchmarks-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it.each(Object.values(WORKERS))('%s has every class that the configuration names', async (entry) => {
  const { metafile } = await bundleForWorker(join(ROOT, entry))
  const exported = Object.values(metafile.outputs).flatMap((output) => output.exports)
  const { durable_objects } = parse(await readFile(join(ROOT, 'wrangler.toml'), 'utf8')) as {
    durable_objects: { bindings: { class_name: string }[] }
  }
  const named = durable_objects.bindings.map(({ class_name }) => class_name)
  expect(named.length).toBeGreaterThan(0)
  expect(exported).toEqual(expect.arrayContaining(named))
})

/** A server that listens some time after its start, and answers with a status. It notes each start in a file. */
function slowServer(milliseconds: number, status: number): Program {
  const code = `
    require('node:fs').appendFileSync('starts.txt', process.pid + '\\n')
    const server = require('node:http').createServer((_, response) => response.writeHead(${status}).end('answer'))
    setTimeout(() => server.listen(process.argv[1], '127.0.0.1'), ${milliseconds})`
  return async (port) => ({ args: ['-e', code, '--', String(port)], folder })
}

const isRunning = (pid: number) => readTree(pid).length > 0

/** The processes that have been servers since the last call. */
async function takeStarted(): Promise<number[]> {
  const file = join(folder, 'starts.txt')
  const pids = (await readFile(file, 'utf8')).trim().split('\n').map(Number)
  await rm(file)
  return pids
}

describe.runIf(tellsProcesses)('the time of a start', () => {
  const LATE_MS = 700
  const request = { path: '/planets/4' }

  it('ends with the first response', async () => {
    const started = performance.now()
    const server = await startServer(slowServer(LATE_MS, 200), request)
    const waited = performance.now() - started
    expect(server.startUpMs).toBeGreaterThanOrEqual(LATE_MS)
    expect(server.startUpMs).toBeLessThanOrEqual(waited)
    expect(isRunning(server.pid)).toBe(true)
    await server.stop()
    expect(isRunning(server.pid)).toBe(false)
    await takeStarted()
  })

  it('is taken once for each program and round, and nothing goes on', async () => {
    const times = await timeStarts({ early: slowServer(0, 200), late: slowServer(LATE_MS, 200) }, request, 2)
    expect([times.early.length, times.late.length]).toEqual([2, 2])
    expect(Math.min(...times.late)).toBeGreaterThanOrEqual(LATE_MS)
    const pids = await takeStarted()
    expect(pids).toHaveLength(4)
    expect(pids.filter(isRunning)).toEqual([])
  })

  it('is not taken of a server that fails', async () => {
    await expect(startServer(slowServer(0, 404), request)).rejects.toThrow('404')
    const pids = await takeStarted()
    expect(pids).toHaveLength(1)
    await until(
      async () => pids.filter(isRunning).length,
      (count) => count === 0,
    )
    const ended: Program = async () => ({ args: ['-e', 'process.exit(7)'], folder })
    await expect(startServer(ended, request)).rejects.toThrow('exit code 7')
  })
})

describe.runIf(tellsProcesses)('the memory of a server', () => {
  it('counts all its processes, and what they share once', async () => {
    const code = `
      require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
      setInterval(() => {}, 1000)`
    const parent = spawn(process.execPath, ['-e', code], { stdio: 'ignore', detached: true })
    const { pid = 0 } = parent
    try {
      await until(
        async () => readTree(pid).length,
        (count) => count === 2,
      )
      const processes = readProportionalBytes(pid)
      expect(processes.map(({ program }) => program)).toEqual(['node', 'node'])
      const sum = processes.reduce((bytes, { proportionalBytes }) => bytes + proportionalBytes, 0)
      const resident = readTree(pid).reduce((bytes, { residentBytes }) => bytes + residentBytes, 0)
      expect(sum).toBeGreaterThan(10 * 2 ** 20)
      // The code of Node alone is larger.
      expect(sum).toBeLessThan(resident - 20 * 2 ** 20)
    } finally {
      process.kill(-pid, 'SIGKILL')
    }
  })

  it('is not that of a server that has ended', async () => {
    const ended = spawn(process.execPath, ['-e', ''])
    await new Promise((resolve) => ended.once('close', resolve))
    expect(() => readProportionalBytes(ended.pid ?? 0)).toThrow('has ended')
  })
})

describe('a fresh installation', () => {
  it('is that of a packed file, and its packages and its size are counted', async () => {
    const source = join(folder, 'source')
    await mkdir(source)
    await writeFile(join(source, 'package.json'), JSON.stringify({ name: 'some-package', version: '1.2.3' }))
    await writeFile(join(source, 'content.txt'), 'x'.repeat(3e6))
    await writeFile(join(folder, 'beside.txt'), 'x')
    await run('npm', ['pack', '--pack-destination', folder], { cwd: source })
    const packed = join(folder, 'some-package-1.2.3.tgz')
    const installation = await installFresh(join(folder, 'installed'), [packed], [join(folder, 'beside.txt')])
    expect(installation.packages).toBe(1)
    expect(installation.megabytes).toBeGreaterThan(3)
    expect(installation.megabytes).toBeLessThan(3.2)
    expect(await readFile(join(installation.folder, 'beside.txt'), 'utf8')).toBe('x')
  })

  it('has no packages that are listed only', async () => {
    const place = join(folder, 'listed')
    for (const name of ['a', '@b/c']) {
      await mkdir(join(place, 'node_modules', name), { recursive: true })
      await writeFile(join(place, 'node_modules', name, 'package.json'), '{}')
    }
    const names = ['a', '@b/c', 'for-another-system'].map((name) => [`node_modules/${name}`, { version: '1.0.0' }])
    const list = { packages: Object.fromEntries(names) }
    await writeFile(join(place, 'node_modules', '.package-lock.json'), JSON.stringify(list))
    expect(await countPackages(place)).toBe(2)
  })

  it('has the size of the disk that it takes', async () => {
    const place = join(folder, 'sized')
    await mkdir(place)
    await writeFile(join(place, 'file'), 'x'.repeat(2e6))
    expect(await sizeOf(place)).toBeCloseTo(2, 1)
  })

  it('of a mock server has the version that the benchmarks have', async () => {
    const names = ['@scalar/mock-server', '@hono/node-server', '@stoplight/prism-cli', 'json-server']
    const packages = await peerPackages(names)
    for (const [index, name] of names.entries())
      expect(packages[index]).toMatch(new RegExp(`^${name}@\\d+\\.\\d+\\.\\d+$`))
    await expect(peerPackages(['unknown'])).rejects.toThrow('unknown')
  })
})

describe('the targets of a start', () => {
  const limits = {
    startUpMs: { existingState: 700, newState: 1000, mockServer: 1000 },
    memory: 400,
    packages: 45,
    megabytes: 250,
  }

  it('are kept at their limits', () => {
    const findings = checkFigures(limits)
    expect(findings).toHaveLength(5)
    expect(findings.every(isKept)).toBe(true)
  })

  it.each([
    [{ startUpMs: { ...limits.startUpMs, existingState: 701 } }, 'existing state'],
    [{ startUpMs: { ...limits.startUpMs, newState: 1001 } }, 'new state'],
    [{ memory: 401 }, 'memory'],
    [{ packages: 46 }, 'packages'],
    [{ megabytes: 251 }, 'size'],
    [{ memory: Number.NaN }, 'memory'],
  ])('are missed above them: %j', (figures, name) => {
    const missed = checkFigures({ ...limits, ...figures }).filter((finding) => !isKept(finding))
    expect(missed.map((finding) => finding.name)).toEqual([expect.stringContaining(name)])
  })
})
