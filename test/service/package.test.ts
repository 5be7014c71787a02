import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, matchesGlob } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { until } from './callbacks-client.ts'
import { bodyOf } from './galaxy.ts'
import { START_TIMEOUT_MS } from './npm-start.ts'
import { freePort } from './ports.ts'

// The package and the Docker image, without a registry and without Docker. Everything that `COPY . .` would copy is
// copied to a folder, `npm pack` runs there, and what it makes is unpacked as npm and the Dockerfile do. In the place
// of `npm ci` and `npm install` there are links to what is installed here, and for the package only to the dependencies
// that it names. So this shows that no file and no dependency is missing. It does not show that the registry has them,
// nor that the base image does.

const run = promisify(execFile)
const { version, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

/** The instructions of the Dockerfile, in order. */
const DOCKERFILE = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter(Boolean)
  .map((line) => ({ name: line.split(' ')[0] ?? '', value: line.slice(line.indexOf(' ') + 1).trim() }))
const valuesOf = (instruction: string) =>
  DOCKERFILE.filter(({ name }) => name === instruction).map(({ value }) => value)

let folder: string
/** The package, unpacked. */
let place: string
let contents: string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galaxy-package-'))
  const context = await copyContext()
  await run('npm', ['pack'], { cwd: context })
  const tarball = join(context, `galaxy-${version}.tgz`)
  contents = (await run('tar', ['-tzf', tarball])).stdout.split('\n').filter(Boolean)
  place = join(folder, 'node_modules', 'galaxy')
  await mkdir(place, { recursive: true })
  await run('tar', ['-xzf', tarball, '-C', place, '--strip-components=1'])
  const { bin, dependencies } = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) await link(join(ROOT, 'node_modules', name), 'node_modules', name)
  await link(join(place, bin.galaxy), 'node_modules', '.bin', 'galaxy')
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** What Docker would copy from a clone, with the installed packages. */
async function copyContext(): Promise<string> {
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => /^[^#]/.test(line))
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT })
  const files = stdout.split('\n').filter(Boolean)
  const context = join(folder, 'context')
  for (const file of files) {
    const isIgnored = ignored.some((pattern) => matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`))
    if (!isIgnored) await cp(join(ROOT, file), join(context, file))
  }
  await link(join(ROOT, 'node_modules'), 'context', 'node_modules')
  return context
}

async function link(target: string, ...path: string[]): Promise<void> {
  const name = join(folder, ...path)
  await mkdir(dirname(name), { recursive: true })
  await symlink(target, name)
}

/** Runs a command that starts the service, and ends it after the visit. */
async function visit(command: readonly string[], home: string, doVisit: (url: string) => Promise<void>): Promise<void> {
  const port = await freePort()
  const [file = '', ...args] = command.map((part) => part.replace('8787', String(port)))
  const galaxy: ChildProcess = spawn(file, args, { cwd: home, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  galaxy.stdout?.on('data', (chunk) => (output += chunk))
  galaxy.stderr?.on('data', (chunk) => (output += chunk))
  const closed = new Promise((resolve) => galaxy.on('close', resolve))
  const url = `http://localhost:${port}`
  try {
    await until(
      () => output,
      (text) => text.includes(`Galaxy is running at ${url}`),
      START_TIMEOUT_MS,
    )
    await doVisit(url)
  } finally {
    galaxy.kill('SIGTERM')
    await closed
  }
}

describe('the package', () => {
  it('contains no tests, no sources, no secrets and no paths of the machine that made it', async () => {
    const tops = new Set(contents.map((path) => path.split('/')[1]))
    expect([...tops].sort()).toEqual(
      ['LICENSE', 'README.md', 'THIRD_PARTY_LICENSES.txt', 'bin', 'data', 'dist', 'migrations', 'package.json'].sort(),
    )
    expect(contents.filter((path) => /\.dev\.vars|(?<!\.d)\.tsx?$/.test(path))).toEqual([])
    expect(await readFile(join(place, 'dist', 'package', 'worker.json'), 'utf8')).not.toMatch(
      /SIGNING_KEYS|DATA_KEY|"\//,
    )
  })

  it('serves planets, pages and universes from an empty folder, and keeps everything in .galaxy there', async () => {
    const home = join(folder, 'project')
    await mkdir(home)
    await visit(['npx', '--offline', 'galaxy', '--port', '8787'], home, async (url) => {
      expect(await bodyOf(await fetch(`${url}/planets/4`))).toMatchObject({ id: 4, name: 'Mars' })
      const html = await (await fetch(url, { headers: { Accept: 'text/html' } })).text()
      const [, stylesheet = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(html) ?? []
      expect((await fetch(new URL(stylesheet, url))).status).toBe(200)
      // What only the Worker reads.
      for (const path of ['/openapi.json', '/asyncapi.yaml']) expect((await fetch(url + path)).status).toBe(200)
      const { url: universe, token } = await bodyOf(await fetch(`${url}/universes`, { method: 'POST' }))
      expect((await fetch(`${universe}/planets/4`)).status).toBe(200)
      const created = await fetch(`${universe}/planets`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'Arrakis', successCallbackUrl: 'http://hooks.galaxy.test/' }),
      })
      expect(created.status).toBe(201)
      // What only `npm start` may run, and what nobody may read.
      for (const path of ['/cdn-cgi/local/scheduled', '/cdn-cgi/local/r2/public/galaxy-images/x']) {
        const closed = await fetch(url + path)
        expect([closed.status, await closed.text()]).toEqual([404, 'Not Found'])
      }
    })
    expect(await readdir(home)).toEqual(['.galaxy'])
    expect((await readdir(join(home, '.galaxy'))).sort()).toEqual(['.dev.vars', '.gitignore', 'lock', 'v3'])
  })
})

describe('the Docker image', () => {
  it('is Debian with the Node of this project, and its user is not root', () => {
    const major = Number.parseInt(devDependencies.node, 10)
    expect(new Set(valuesOf('FROM').map((image) => image.split(' ')[0]))).toEqual(
      new Set([`node:${major}-trixie-slim`]),
    )
    expect(valuesOf('USER')).toEqual(['node'])
    expect(DOCKERFILE.findIndex(({ name }) => name === 'USER')).toBeGreaterThan(
      DOCKERFILE.findLastIndex(({ name }) => name === 'RUN'),
    )
  })

  it('has one volume, in which everything is stored', () => {
    const [volume] = valuesOf('VOLUME')
    expect(valuesOf('VOLUME')).toEqual([volume])
    expect(valuesOf('ENV')).toEqual([`GALAXY_HOME=${volume}`])
  })

  it('is made by the commands that this test knows', () => {
    expect(valuesOf('RUN')).toEqual([
      'npm ci',
      'npm pack',
      'mkdir /galaxy && tar -xzf galaxy-*.tgz -C /galaxy --strip-components=1',
      'npm prune --omit=dev --workspaces=false && cp -R node_modules /galaxy/node_modules',
      'mkdir /data && chown node:node /data',
    ])
  })

  it('runs the service for all addresses, and its health check sees whether it runs', async () => {
    const entry: string[] = JSON.parse(valuesOf('ENTRYPOINT')[0] ?? '').map((part: string) =>
      part.replace(/^\/galaxy/, place),
    )
    expect(entry).toEqual(expect.arrayContaining(['--ip', '0.0.0.0', valuesOf('EXPOSE')[0]]))
    const [, check = ''] = /CMD (\[.*\])$/.exec(valuesOf('HEALTHCHECK')[0] ?? '') ?? []
    const [node = '', ...args]: string[] = JSON.parse(check)
    const isHealthy = (port: string) =>
      run(
        node,
        args.map((part) => part.replace('8787', port)),
      ).then(
        () => true,
        () => false,
      )
    const home = join(folder, 'volume')
    await mkdir(home)
    await visit(['env', `GALAXY_HOME=${home}`, ...entry], home, async (url) => {
      expect(await isHealthy(new URL(url).port)).toBe(true)
      expect((await fetch(url.replace('localhost', '127.0.0.2'))).status).toBe(200)
    })
    expect(await isHealthy(String(await freePort()))).toBe(false)
    expect((await readdir(home)).sort()).toEqual(['.dev.vars', 'lock', 'v3'])
    expect(await readdir(place)).not.toContain('.galaxy')
  })
})
