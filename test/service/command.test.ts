import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CoreHeaders } from 'miniflare'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { listDatabaseFiles } from '../../scripts/lib/local-database.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { until } from './callbacks-client.ts'
import { bodyOf } from './galaxy.ts'
import { queryState } from './local-database.ts'
import { freePort } from './ports.ts'
import { portsOf, readTree, tellsProcesses } from './processes.ts'

// The command of the package. That the package contains all that it needs is tested in package.test.ts.

const COMMAND = join(ROOT, 'bin', 'galaxy.cjs')
/** How long a stop may take, and how long anything may last after a kill. */
const STOP_MS = 2_000
const KILLED_MS = 5_000
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** Where the commands of this file have their temporary folders, and their working folder. */
let place: string
let temporary: string

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'galaxy-command-'))
  temporary = join(place, 'tmp')
  await mkdir(temporary)
})

afterAll(() => rm(place, { recursive: true, force: true }))

interface Ready {
  url: string
  pid: number
  version: string
}

/** The commands of the current test. */
const commands: Command[] = []

// A test that fails leaves nothing running.
afterEach(async () => {
  for (const { child, ended } of commands.splice(0)) {
    if (child.pid === undefined) continue
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // All of it has ended.
    }
    await ended
  }
})

class Command {
  readonly child: ChildProcess
  stdout = ''
  stderr = ''
  /** The exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>

  constructor(args: readonly string[], file = process.execPath, env: Record<string, string> = {}) {
    this.child = spawn(file, file === process.execPath ? [COMMAND, ...args] : args, {
      cwd: place,
      env: { ...process.env, TMPDIR: temporary, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    })
    commands.push(this)
    this.child.stdout?.setEncoding('utf8').on('data', (text) => (this.stdout += text))
    this.child.stderr?.setEncoding('utf8').on('data', (text) => (this.stderr += text))
    this.ended = new Promise((resolve) => this.child.on('close', (code, signal) => resolve(signal ?? code)))
  }

  /** What it says when it is ready. */
  async ready(): Promise<Ready> {
    await until(
      () => this.stdout,
      (text) => text.endsWith('}\n') || this.child.exitCode !== null,
      100_000,
    )
    if (this.child.exitCode !== null) throw new Error(this.stderr)
    return JSON.parse(this.stdout)
  }

  /** How it ends after a signal, and after how many milliseconds. */
  async stop(signal: NodeJS.Signals = 'SIGTERM') {
    const start = performance.now()
    this.child.kill(signal)
    return { code: await this.ended, ms: performance.now() - start }
  }
}

const leftFolders = () => readdir(temporary)
const start = async (...args: string[]) => {
  const command = new Command(['--port', '0', '--json', ...args])
  return { command, ...(await command.ready()) }
}
const isServed = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  )

describe('the command', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'ends at %s within two seconds and leaves nothing',
    async (signal) => {
      const { command, url, pid, version: said } = await start('--memory')
      expect({ pid, said }).toEqual({ pid: command.child.pid, said: version })
      expect(await bodyOf(await fetch(`${url}/planets/4`))).toMatchObject({ name: 'Mars' })
      expect(await leftFolders()).toHaveLength(1)
      const tree = tellsProcesses ? readTree(pid) : []
      const { code, ms } = await command.stop(signal)
      expect(code).toBe(0)
      expect(ms).toBeLessThan(STOP_MS + 1_000)
      expect(await leftFolders()).toEqual([])
      expect(await isServed(url)).toBe(false)
      for (const { pid } of tree) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
      // Nothing in the folder in which it ran.
      expect(await readdir(place)).toEqual(['tmp'])
    },
  )

  it('answers what is under way, and then ends, although a stream is open', async () => {
    const { command, url } = await start('--memory')
    const stream = await fetch(`${url}/planets/events`, { headers: { Accept: 'text/event-stream' } })
    expect(stream.status).toBe(200)
    const delayed = fetch(`${url}/planets/4`, { headers: { Prefer: 'delay=1' } })
    // When its header is here, the request before it has arrived too.
    const underWay = await fetch(`${url}/echo/stream?count=2&interval=0.7`)
    const stopped = command.stop()
    expect((await delayed).status).toBe(200)
    expect((await underWay.text()).match(/^data:/gm)).toHaveLength(2)
    const { code, ms } = await stopped
    expect(code).toBe(0)
    expect(ms).toBeLessThan(STOP_MS + 1_000)
  })

  it('prints one line in JSON, and nothing after it', async () => {
    const { command, url } = await start('--memory')
    await fetch(`${url}/planets/0`)
    await command.stop()
    expect(command.stdout.split('\n')).toHaveLength(2)
    expect(command.stderr).toBe('')
  })

  it('prints where it is and each request, without the query, and with --quiet nothing', async () => {
    for (const [options, isQuiet] of [
      [[], false],
      [['--quiet'], true],
    ] as const) {
      const port = await freePort()
      const command = new Command(['--port', String(port), '--memory', ...options])
      const url = `http://localhost:${port}`
      await until(
        () => isServed(url),
        (served) => served,
        100_000,
      )
      await fetch(`${url}/planets/4?api_key=glx_secret`)
      if (!isQuiet) {
        await until(
          () => command.stdout,
          (text) => text.includes('/planets/4'),
        )
      }
      await command.stop()
      expect(command.stdout + command.stderr).not.toContain('glx_secret')
      if (isQuiet) expect(command.stdout + command.stderr).toBe('')
      else expect(command.stdout).toContain(`Galaxy is running at ${url}`)
    }
  })

  it('keeps its data in one folder, of which a second instance says that it is in use', async () => {
    const folder = join(place, 'data')
    const first = await start('--persist-to', folder)
    const signUp = (url: string) =>
      fetch(`${url}/user/signup`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: 'kept@galaxy.test', password: 'i-love-planets' }),
      })
    expect((await signUp(first.url)).status).toBe(201)
    const second = new Command(['--port', '0', '--persist-to', folder])
    expect(await second.ended).toBe(4)
    expect(second.stderr).toBe(
      `galaxy: Another galaxy uses the folder ${folder}. Stop it, or use --persist-to or --memory.\n`,
    )
    await first.command.stop('SIGKILL')
    // The lock ends with its process.
    const third = await start('--persist-to', folder)
    expect((await signUp(third.url)).status).toBe(409)
    await third.command.stop()
    expect((await readdir(folder)).sort()).toEqual(['.dev.vars', '.gitignore', 'compiled', 'lock', 'v3'])
    expect((await stat(join(folder, '.dev.vars'))).mode & 0o077).toBe(0)
    await rm(folder, { recursive: true })
  })

  it('hides a folder that it begins to use from git, and no folder with files of somebody else', async () => {
    const [empty = '', used = ''] = ['empty', 'used'].map((name) => join(place, name))
    for (const folder of [empty, used]) await mkdir(folder)
    await writeFile(join(used, 'notes.txt'), '')
    for (const folder of [empty, used]) await (await start('--persist-to', folder)).command.stop()
    expect(await readFile(join(empty, '.gitignore'), 'utf8')).toBe('*\n')
    expect(await readdir(used)).not.toContain('.gitignore')
    for (const folder of [empty, used]) await rm(folder, { recursive: true })
  })

  it('removes nothing of somebody else from a folder in which it makes its database', async () => {
    const folder = join(place, 'shared')
    const notes = [join('v3', 'd1', 'notes.txt'), join('v3', 'd1.new', 'notes.txt')].map((path) => join(folder, path))
    for (const path of notes) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, 'mine')
    }
    const { url, command } = await start('--persist-to', folder)
    expect((await fetch(`${url}/planets/4`)).status).toBe(200)
    await command.stop()
    for (const path of notes) expect(await readFile(path, 'utf8')).toBe('mine')
    expect((await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.new'))).toEqual(['v3/d1.new'])
    await rm(folder, { recursive: true })
  })

  // Linux says that the folders of /proc do not exist if somebody makes one there.
  it.runIf(tellsProcesses).each([
    ['/proc/galaxy/data', 'ENOENT'],
    [join(process.execPath, 'data'), 'ENOTDIR'],
    ['/dev/null', 'EEXIST'],
  ])('ends at once if its folder cannot be made: %s', async (folder, code) => {
    const command = new Command(['--port', '0', '--persist-to', folder])
    expect(await command.ended).toBe(4)
    expect(command.stderr).toContain(`galaxy: The folder ${folder} cannot be used: ${code}`)
    expect(command.stderr.trim().split('\n')).toHaveLength(1)
  })

  it('keeps what it stores from other users, also in a folder that they can read', async () => {
    const folder = join(place, 'open')
    await mkdir(folder)
    await chmod(folder, 0o755)
    const { url, command } = await start('--persist-to', folder)
    expect((await fetch(`${url}/universes`, { method: 'POST' })).status).toBe(201)
    await command.stop()
    const names = await readdir(folder, { recursive: true })
    expect(names.filter((name) => name.endsWith('.sqlite')).length).toBeGreaterThan(1)
    const modes = await Promise.all(names.map(async (name) => [name, (await stat(join(folder, name))).mode & 0o077]))
    expect(modes.filter(([, mode]) => mode !== 0)).toEqual([])
    await rm(folder, { recursive: true })
  })

  it('brings a database of an older version up to date, and refuses one of a newer version', async () => {
    const folder = join(place, 'older')
    const first = await start('--persist-to', folder)
    await first.command.stop()
    await rm(join(folder, 'v3', 'd1', 'prepared-from'))
    queryState(folder, 'delete from planets where id = 5402')
    const second = await start('--persist-to', folder)
    expect((await fetch(`${second.url}/planets/5402`)).status).toBe(200)
    await second.command.stop()
    await rm(join(folder, 'v3', 'd1', 'prepared-from'))
    queryState(folder, "insert into d1_migrations (name) values ('9999_later.sql')")
    const third = new Command(['--port', '0', '--persist-to', folder])
    expect(await third.ended).toBe(4)
    expect(third.stderr).toContain('has the migration 9999_later.sql, which this version of Galaxy does not know')
    await rm(folder, { recursive: true })
  })

  it('makes the same ids with the same seed, in a new world', async () => {
    for (let round = 0; round < 2; round++) {
      const { command, url } = await start('--seed', '42')
      const { headers } = await fetch(`${url}/planets/4`)
      expect(headers.get('X-Request-ID')).toBe('87e38583-0000-4000-8000-000000000001')
      await command.stop()
    }
    expect(await readdir(place)).toEqual(['tmp'])
  })
})

describe('a running command', () => {
  let url: string
  let pid: number
  let stop: () => Promise<unknown>

  beforeAll(async () => {
    const running = await start('--memory')
    ;({ url, pid } = running)
    stop = () => running.command.stop()
    // It does not end with the first test.
    commands.length = 0
  })

  afterAll(() => stop())

  it('listens on loopback only, unless told otherwise', async ({ skip }) => {
    if (!tellsProcesses) skip()
    const ports = portsOf(pid)
    expect(ports).toContain(Number(new URL(url).port))
    // Linux has this address without being told to. Whoever listens on all addresses listens there too.
    for (const port of ports) expect(await isServed(`http://127.0.0.2:${port}`)).toBe(false)
  })

  describe('closes the runtime beside the Worker:', () => {
    it.each([
      ['stored objects', '/cdn-cgi/local/r2/public/galaxy-images/x', {}],
      ['the scheduled job', '/cdn-cgi/local/scheduled', {}],
      ['the explorer', '/cdn-cgi/local/explorer', {}],
      ['control of a proxy', '/cdn-cgi/ProxyWorker/play', {}],
      ['another URL by a header', '/planets/4', { 'MF-Original-URL': 'http://evil.test/planets/4' }],
      ['another Worker by a header', '/planets/4', { 'MF-Route-Override': 'core:entry' }],
    ])('%s', async (_, path, headers) => {
      const response = await fetch(url + path, { headers: headers as HeadersInit })
      expect([response.status, await response.text()]).toEqual([404, 'Not Found'])
    })

    it('every header of Miniflare', async () => {
      expect(Object.values(CoreHeaders).length).toBeGreaterThan(10)
      for (const name of Object.values(CoreHeaders)) {
        const { status } = await fetch(`${url}/planets/4`, { headers: { [name]: `${url}/planets/5` } })
        expect(status, name).toBe(404)
      }
    })

    it('the scheme of a proxy, which a client can send too', async () => {
      for (const scheme of ['https', 'HTTPS, http']) {
        const response = await fetch(`${url}/.well-known/openid-configuration`, {
          headers: { 'X-Forwarded-Proto': scheme, 'X-Forwarded-Host': 'evil.test', Forwarded: 'proto=https' },
        })
        expect(response.headers.has('Strict-Transport-Security')).toBe(false)
        expect(await bodyOf(response)).toMatchObject({ issuer: url })
      }
    })
  })
})

describe('how the command ends', () => {
  it('goes on when the shell that started it ends, and its output is closed', async () => {
    const shell = new Command(
      ['-c', `"${process.execPath}" "${COMMAND}" --port 0 --memory --json &\nread _`],
      '/bin/sh',
      // As below `npx vitest`.
      { npm_lifecycle_event: 'npx', npm_lifecycle_script: 'vitest run' },
    )
    const { url, pid } = await shell.ready()
    shell.child.stdin?.end('\n')
    await new Promise((resolve) => shell.child.on('exit', resolve))
    shell.child.stdout?.destroy()
    shell.child.stderr?.destroy()
    await sleep(300)
    expect((await fetch(`${url}/planets/4`)).status).toBe(200)
    process.kill(pid, 'SIGTERM')
    await until(leftFolders, (folders) => folders.length === 0)
  })

  it('with --with-parent it ends when its standard input ends', async () => {
    const { command } = await start('--memory', '--with-parent')
    command.child.stdin?.end()
    expect(await command.ended).toBe(0)
    expect(await leftFolders()).toEqual([])
  })

  it('if it is killed, the runtime ends too, and the next start removes its temporary folder', async ({ skip }) => {
    if (!tellsProcesses) skip()
    const { command, url, pid } = await start('--memory')
    const tree = readTree(pid)
    expect(tree.map(({ name }) => name)).toContain('workerd')
    await command.stop('SIGKILL')
    const isAlive = ({ pid }: { pid: number }) => {
      try {
        return process.kill(pid, 0)
      } catch {
        return false
      }
    }
    await until(
      () => tree.filter(isAlive).length,
      (alive) => alive === 0,
      KILLED_MS,
    )
    expect(await isServed(url)).toBe(false)
    const [left = ''] = await leftFolders()
    // A folder that is a few seconds old may be about to be locked, so it stays. The machine may take longer to start.
    const soon = new Date(Date.now() + 60_000)
    await utimes(join(temporary, left), soon, soon)
    const next = await start('--memory')
    await sleep(500)
    expect(await leftFolders()).toContain(left)
    await next.command.stop()
    const past = new Date(Date.now() - 60_000)
    await until(
      async () => Date.now() - (await stat(join(temporary, left))).birthtimeMs,
      (age) => age > KILLED_MS,
    )
    await utimes(join(temporary, left), past, past)
    const last = await start('--memory')
    await until(leftFolders, (folders) => !folders.includes(left))
    // That of a process that lives stays.
    expect(await leftFolders()).toHaveLength(1)
    await last.command.stop()
  })

  it('removes no folder, file or link that it has not made, and writes nothing there', async () => {
    const killed = await start('--memory')
    await killed.command.stop('SIGKILL')
    const [left = ''] = await leftFolders()
    const mark = await readFile(join(temporary, left, 'made-by-galaxy'), 'utf8')
    const markOf = (name: string) => mark.replace(left, name)
    // Folders of somebody else: a name that is no random one, a random one, one with the mark of another folder, one
    // whose mark is a link, and one that is behind a link.
    const target = join(place, 'target')
    const folders = ['galaxy-run-2026-results', 'galaxy-run-Abc123', 'galaxy-run-Copied', 'galaxy-run-Linked']
    for (const folder of [target, ...folders.map((name) => join(temporary, name))]) {
      await mkdir(folder)
      await writeFile(join(folder, 'results.txt'), 'mine')
    }
    await writeFile(join(temporary, 'galaxy-run-2026-results', 'made-by-galaxy'), markOf('galaxy-run-2026-results'))
    await writeFile(join(temporary, 'galaxy-run-Copied', 'made-by-galaxy'), mark)
    await writeFile(join(place, 'mark'), markOf('galaxy-run-Linked'))
    await symlink(join(place, 'mark'), join(temporary, 'galaxy-run-Linked', 'made-by-galaxy'))
    await writeFile(join(target, 'made-by-galaxy'), markOf('galaxy-run-Behind'))
    await symlink(target, join(temporary, 'galaxy-run-Behind'))
    await writeFile(join(temporary, 'galaxy-run-afile1'), 'mine')
    const contents = async () => [await readdir(temporary, { recursive: true }), await readdir(target)].flat().sort()
    const before = (await contents()).filter((path) => !path.startsWith(left))
    const youngest = await stat(target)
    await until(
      () => Date.now() - youngest.birthtimeMs,
      (age) => age > KILLED_MS + 1_000,
    )
    const past = new Date(Date.now() - 60_000)
    for (const name of [left, ...folders]) await utimes(join(temporary, name), past, past)
    const { command } = await start('--memory')
    await until(leftFolders, (names) => !names.includes(left))
    await command.stop()
    expect(await contents()).toEqual(before)
    for (const folder of [target, ...folders.map((name) => join(temporary, name))])
      expect(await readFile(join(folder, 'results.txt'), 'utf8')).toBe('mine')
    await rm(temporary, { recursive: true })
    await mkdir(temporary)
    for (const path of [target, join(place, 'mark')]) await rm(path, { recursive: true })
  })

  it('if the runtime is killed, it is started again with what it had stored', async ({ skip }) => {
    if (!tellsProcesses) skip()
    const { command, url, pid } = await start('--memory')
    const made = await fetch(`${url}/universes`, { method: 'POST' })
    const { url: universe } = await bodyOf(made)
    const runtime = readTree(pid).find(({ name }) => name === 'workerd')
    process.kill(runtime?.pid ?? 0, 'SIGKILL')
    await until(
      () =>
        fetch(`${universe}/planets/4`)
          .then(({ status }) => status)
          .catch(() => 0),
      (status) => status === 200,
    )
    expect((await command.stop()).code).toBe(0)
    expect(command.stderr).toContain('The Workers runtime crashed unexpectedly')
  })
})

describe('the command refuses', () => {
  const refuse = async (...args: string[]) => {
    const command = new Command(args)
    return { code: await command.ended, stderr: command.stderr }
  }

  it.each([
    [['--port', '65536'], '--port must be a number from 0 to 65535'],
    [['--port', '-1'], '--port'],
    [['--port', ''], '--port must be a number'],
    [['--unknown'], "Unknown option '--unknown'"],
    [['stray'], 'stray'],
    [['--ip', 'a b'], '--ip must be an address'],
    [['--memory', '--persist-to', 'x'], '--memory stores nothing'],
    [['--persist-to', ''], '--persist-to must be a folder'],
    [['--seed', '42', '--persist-to', 'x'], '--seed begins with a new database'],
    [['--var', 'SIGNUP'], '--var must be NAME:VALUE'],
    [['--var', 'SIGNUPS:open', '--memory', '--port', '0'], 'The service has no variable SIGNUPS.'],
    [['--var', 'SIGNUP:maybe', '--memory', '--port', '0'], 'SIGNUP: must be one of open, closed'],
  ])('wrong arguments %j with the code 2', async (args, message) => {
    const { code, stderr } = await refuse(...args)
    expect(stderr).toContain(message)
    expect(stderr).not.toMatch(/\n {4}at /)
    expect(code).toBe(2)
    expect(await readdir(place)).toEqual(['tmp'])
  })

  it('a port that is taken, or an address of another machine, with the code 3', async () => {
    const server = createServer().listen(0, 'localhost')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const taken = await refuse('--port', String(port), '--memory')
    expect(taken).toEqual({ code: 3, stderr: expect.stringContaining(`galaxy: Port ${port} cannot be used`) })
    server.close()
    expect(await refuse('--ip', '192.0.2.1', '--memory')).toEqual({
      code: 3,
      stderr: expect.stringContaining('cannot be used'),
    })
  })

  it('a folder that it may not use with the code 4', async () => {
    const { code, stderr } = await refuse('--persist-to', join(COMMAND, 'below'), '--port', '0')
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('cannot be used: ENOTDIR') })
    // The rights of a folder do not hold for root, but nobody can make one there.
    const isRoot = process.getuid?.() === 0
    const folder = isRoot ? '/sys/galaxy' : join(place, 'closed')
    if (!isRoot) await mkdir(folder, { mode: 0o500 })
    expect(await refuse('--persist-to', folder, '--port', '0')).toEqual({
      code: 4,
      stderr: expect.stringMatching(/^galaxy: The folder \S+ cannot be used: /),
    })
    if (!isRoot) await rm(folder, { recursive: true })
  })

  it('a full disk with the code 5, and leaves nothing half made', async () => {
    const folder = join(place, 'full')
    const command = new Command(
      ['-c', `ulimit -f 2048; exec "${process.execPath}" "${COMMAND}" --port 0 --persist-to "${folder}"`],
      '/bin/sh',
    )
    expect(await command.ended).toBe(5)
    expect(command.stderr).toContain(`galaxy: There is no room for ${folder}: `)
    expect(listDatabaseFiles(folder)).toEqual([])
    const left = await readdir(join(folder, 'v3'), { recursive: true, withFileTypes: true })
    expect(left.filter((entry) => entry.isFile())).toEqual([])
    const next = await start('--persist-to', folder)
    expect((await fetch(`${next.url}/planets/4`)).status).toBe(200)
    await next.command.stop()
    await rm(folder, { recursive: true })
  })
})

it.each([
  ['--help', 'Usage: galaxy'],
  ['--version', version],
])('%s is answered', async (option, text) => {
  const command = new Command([option])
  expect(await command.ended).toBe(0)
  expect(command.stdout).toContain(text)
})
