import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
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

// The Dockerfile and compose.yaml, without Docker. Each line of the Dockerfile is carried out here, in a folder in the
// place of the root of an image, and with an npm that needs no registry (offline-npm.ts). action.test.ts builds what the
// package contains from the files that `COPY . .` copies. Here it is built already. What only Docker can do is not tested:
// that the base image exists, and that another user runs the command.

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

/** Lines that change nothing in a folder. Tests below read each of them. */
const ONLY_READ = ['VOLUME', 'USER', 'EXPOSE', 'HEALTHCHECK', 'STOPSIGNAL', 'ENTRYPOINT']

/** A stage of the build: the folder in the place of its root, the working directory, and its variables. */
interface Stage {
  root: string
  cwd: string
  env: Record<string, string>
}

/** An absolute path of the image, within a folder. */
const within = (root: string, text: string) => text.replaceAll(/(?<![\w.])\/(?=build|data|galaxy)/g, `${root}/`)

/** Carries out one line. @throws Error for an instruction that is not known here, which nothing would test */
async function carryOut({ name, value }: (typeof DOCKERFILE)[number], stage: Stage, stages: Map<string, Stage>) {
  if (ONLY_READ.includes(name)) return
  if (name === 'WORKDIR') {
    stage.cwd = within(stage.root, value)
    await mkdir(stage.cwd, { recursive: true })
  } else if (name === 'ENV') {
    const [, variable = '', text = ''] = /^(\w+)=(\S+)$/.exec(value) ?? []
    stage.env[variable] = within(stage.root, text)
  } else if (name === 'COPY' && value === '. .') {
    await rm(stage.cwd, { recursive: true })
    await makeCheckout(stage.cwd)
    await cp(join(ROOT, 'dist'), join(stage.cwd, 'dist'), { recursive: true })
  } else if (name === 'COPY') {
    const [, from = '', source = '', target = ''] = /^--from=(\w+) (\S+) (\S+)$/.exec(value) ?? []
    // Nothing reads the first stage afterwards.
    await rename(within(stages.get(from)?.root ?? '', source), within(stage.root, target))
  } else if (name === 'RUN') {
    // There may be no user `node` here, and only root can give files away.
    const owner = `${process.getuid?.()}:${process.getgid?.()}`
    const command = within(stage.root, value).replace('node:node', owner)
    await run('sh', ['-ec', command], { cwd: stage.cwd, env: { ...process.env, ...stage.env } })
  } else throw new Error(`nothing here carries out ${name} ${value}`)
}

/** Carries out all lines. @returns The last stage: the image */
async function build(folder: string, env: Record<string, string>): Promise<Stage> {
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  for (const line of DOCKERFILE) {
    if (line.name === 'FROM') {
      const [, name = 'image'] = / AS (\w+)$/.exec(line.value) ?? []
      const root = join(folder, name)
      stage = { root, cwd: root, env: { ...env } }
      stages.set(name, stage)
      await mkdir(root)
    } else if (stage) await carryOut(line, stage, stages)
  }
  if (!stage) throw new Error('the Dockerfile has no stage')
  return stage
}

describe('the Docker image', () => {
  let folder: string
  let image: Stage
  /** What is `/galaxy` in the image. */
  let place: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'galaxy-docker-'))
    const npm = await makeOfflineNpm(join(folder, 'npm'))
    const PATH = [npm, process.env.PATH].join(delimiter)
    image = await build(folder, { PATH, npm_config_ignore_scripts: 'true' })
    place = join(image.root, 'galaxy')
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

  it('has one volume, in which everything is stored, and which its user owns', async () => {
    expect(onlyValue('ENV')).toBe(`GALAXY_HOME=${onlyValue('VOLUME')}`)
    expect(image.cwd).toBe(within(image.root, onlyValue('VOLUME')))
    const { uid, gid } = await stat(image.cwd)
    expect([uid, gid]).toEqual([process.getuid?.(), process.getgid?.()])
    expect(valuesOf('RUN').at(-1)).toContain(`chown ${onlyValue('USER')}:${onlyValue('USER')} ${onlyValue('VOLUME')}`)
  })

  it('contains the package, and what it depends on', async () => {
    expect(await readdir(image.root)).toEqual(['data', 'galaxy'])
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
      const [program = '', ...args] = command.map((part) => within(image.root, part).replace('8787', port))
      return [program, args]
    }
    const isHealthy = () =>
      run(...here(JSON.parse(check))).then(
        () => true,
        () => false,
      )
    expect(await isHealthy()).toBe(false)
    const home = image.cwd
    const galaxy = spawn(...here(entry), { cwd: home, env: { ...process.env, ...image.env } })
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
