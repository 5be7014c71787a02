import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { ROOT } from '../../scripts/lib/root.ts'
import { makeCheckout } from './checkout.ts'
import { makeOfflineNpm } from './offline-npm.ts'
import { freePort } from './ports.ts'

// The Dockerfile and compose.yaml, without Docker: their commands run in a shell, with an npm that needs no registry
// (offline-npm.ts). action.test.ts builds what the package contains from the files that `COPY . .` copies. Here it is
// built already. That the base image exists is not tested.

const run = promisify(execFile)

/** The instructions of the Dockerfile, in order. */
const DOCKERFILE = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter(Boolean)
  .map((line) => ({ name: line.split(' ')[0] ?? '', value: line.slice(line.indexOf(' ') + 1).trim() }))
const valuesOf = (instruction: string) =>
  DOCKERFILE.filter(({ name }) => name === instruction).map(({ value }) => value)
/** The only value of an instruction. */
function onlyValue(instruction: string): string {
  const [value = '', ...others] = valuesOf(instruction)
  expect([value === '', others]).toEqual([false, []])
  return value
}

/** The commands of the first stage, which makes what the image contains. */
const BUILD = DOCKERFILE.slice(
  0,
  DOCKERFILE.findLastIndex(({ name }) => name === 'FROM'),
).flatMap(({ name, value }) => (name === 'RUN' ? [value] : []))

describe('the Docker image', () => {
  let folder: string
  /** What is `/galaxy` in the image. */
  let place: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'galaxy-docker-'))
    place = join(folder, 'galaxy')
    const context = join(folder, 'context')
    await makeCheckout(context)
    await cp(join(ROOT, 'dist'), join(context, 'dist'), { recursive: true })
    const npm = await makeOfflineNpm(join(folder, 'npm'))
    const PATH = [npm, process.env.PATH].join(delimiter)
    const env = { ...process.env, PATH, npm_config_ignore_scripts: 'true' }
    for (const command of BUILD) {
      await run('sh', ['-ec', command.replaceAll(' /galaxy', ` ${place}`)], { cwd: context, env })
    }
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('is Debian with the Node of this project, and its user is not root', () => {
    const major = Number.parseInt(manifest.devDependencies.node, 10)
    expect(new Set(valuesOf('FROM').map((image) => image.split(' ')[0]))).toEqual(
      new Set([`node:${major}-trixie-slim`]),
    )
    expect(onlyValue('USER')).toBe('node')
    expect(DOCKERFILE.findIndex(({ name }) => name === 'USER')).toBeGreaterThan(
      DOCKERFILE.findLastIndex(({ name }) => name === 'RUN'),
    )
  })

  it('has one volume, in which everything is stored', () => {
    expect(onlyValue('ENV')).toBe(`GALAXY_HOME=${onlyValue('VOLUME')}`)
  })

  it('contains the package, and what it depends on', async () => {
    expect(BUILD).toHaveLength(4)
    expect(await readdir(place)).toEqual(expect.arrayContaining(['bin', 'dist', 'node_modules', 'package.json']))
    const packages = await readdir(join(place, 'node_modules'))
    expect(packages).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)))
    expect(packages.filter((name) => name in manifest.devDependencies)).toEqual([])
  })

  it('runs the service for all addresses until it is stopped, and its health check sees whether it runs', async () => {
    const port = String(await freePort())
    const entry: string[] = JSON.parse(onlyValue('ENTRYPOINT'))
    expect(entry).toEqual(expect.arrayContaining(['--ip', '0.0.0.0', onlyValue('EXPOSE')]))
    const [, check = ''] = /CMD (\[.*\])$/.exec(onlyValue('HEALTHCHECK')) ?? []
    /** Runs a command of the Dockerfile with the port of this test. */
    const here = (command: string[]): [string, string[]] => {
      const [program = '', ...args] = command.map((part) => part.replace(/^\/galaxy/, place).replace('8787', port))
      return [program, args]
    }
    const isHealthy = () =>
      run(...here(JSON.parse(check))).then(
        () => true,
        () => false,
      )
    expect(await isHealthy()).toBe(false)
    const home = join(folder, 'volume')
    await mkdir(home)
    const galaxy = spawn(...here(entry), { cwd: home, env: { ...process.env, GALAXY_HOME: home } })
    const ended = new Promise((resolve) => galaxy.on('close', resolve))
    try {
      for await (const line of createInterface(galaxy.stdout)) if (line.includes('Galaxy is running at')) break
      expect(await isHealthy()).toBe(true)
      expect((await fetch(`http://127.0.0.2:${port}/planets/4`)).status).toBe(200)
    } finally {
      galaxy.kill(onlyValue('STOPSIGNAL') as NodeJS.Signals)
    }
    expect(await ended).toBe(0)
    expect((await readdir(home)).sort()).toEqual(['.dev.vars', '.gitignore', 'compiled', 'lock', 'v3'])
    expect(await readdir(place)).not.toContain('.galaxy')
    expect(await isHealthy()).toBe(false)
  })
})

describe('compose.yaml', () => {
  const { services, volumes, ...others } = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8'))

  it('runs the image of the Dockerfile as it is: its command, its user and its health check', () => {
    expect(others).toEqual({})
    expect(Object.keys(services)).toEqual(['galaxy'])
    expect(Object.keys(services.galaxy)).toEqual(['build', 'image', 'ports', 'volumes'])
    expect(services.galaxy).toMatchObject({ build: '.', image: 'galaxy' })
  })

  it('publishes the port of the image on loopback only', () => {
    const port = onlyValue('EXPOSE')
    expect(services.galaxy.ports).toEqual([`127.0.0.1:${port}:${port}`])
  })

  it('keeps the volume of the image', () => {
    expect(services.galaxy.volumes).toEqual([`galaxy:${onlyValue('VOLUME')}`])
    expect(volumes).toEqual({ galaxy: null })
  })
})
