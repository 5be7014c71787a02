import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { EXIT } from '../../package/command/exit.ts'
import { USAGE } from '../../package/command/options.ts'
import { layOutPackedFiles, putBackFilesOfClone } from '../../scripts/lib/packed-files.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { makeCheckout } from './checkout.ts'
import { codesOf, sectionOf, tableOf } from './documentation.ts'
import { bodyOf } from './galaxy.ts'
import { listCommandLines } from './processes.ts'
import { makeProject, type Project } from './project.ts'

// The package, as npm installs it from the packed file (offline-npm.ts).

const page = await readFile(join(ROOT, 'docs', 'operating.md'), 'utf8')
const { NEEDED_NODE } = createRequire(import.meta.url)('../../bin/needed-node.cjs')

/** Shorter descriptions are also titles of pages and problems, or parts of other texts. */
const DESCRIPTION_MIN = 50

/** The descriptions of a document, apart from those that pages or responses show: of tags, headers and one problem. */
function descriptionsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) => {
    if (['tags', 'headers', 'examples', 'NoUniverseProblem'].includes(name)) return []
    if (name !== 'description' || typeof value !== 'string') return descriptionsIn(value)
    return value.length < DESCRIPTION_MIN ? [] : [value]
  })
}

/** The members `description` of the examples of schemas and messages, which the service sends. */
function descriptionsInExamples(part: unknown, isExample = false): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) => {
    if (isExample && name === 'description' && typeof value === 'string') return [value]
    return descriptionsInExamples(value, isExample || name === 'examples')
  })
}

/** A text as it stands in a literal, whatever quotes that has. */
const withoutEscapes = (text: string) => text.replaceAll(/\\n|[\\\n]/g, '')

describe('the package', () => {
  let project: Project
  let place: string

  beforeAll(async () => {
    project = await makeProject()
    place = join(project.folder, 'node_modules', 'galaxy')
  })

  afterAll(() => project.remove())

  it('contains no tests, no sources, no secrets and no paths of the machine that made it', async () => {
    const contents = await readdir(place, { recursive: true })
    const tops = [
      'LICENSE',
      'README.md',
      'THIRD_PARTY_LICENSES.txt',
      'bin',
      'data',
      'dist',
      'migrations',
      'package.json',
    ]
    expect((await readdir(place)).sort()).toEqual(tops)
    expect(await readFile(join(place, 'dist', 'package', 'worker.json'), 'utf8')).not.toMatch(
      /SIGNING_KEYS|DATA_KEY|"\//,
    )
    expect(contents.filter((path) => /\.dev\.vars|(?<!\.d)\.tsx?$/.test(path))).toEqual([])
  })

  it('has a package.json that asks for the Node that it needs, and names no module that is not in it', async () => {
    const manifest = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'))
    const { name, version, dependencies, exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
    expect(manifest).toMatchObject({ name, version, dependencies, exports, engines: { node: '>=22.13' } })
    const named = JSON.stringify([manifest.bin, manifest.exports]).match(/(?:\.\/dist|bin)\/[^"]+/g) ?? []
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((path) => !existsSync(join(place, path)))).toEqual([])
  })

  it('has pages whose links and pictures are in it, or at an absolute address', async () => {
    // Those in dist/ are the guides, which the service serves.
    const pages = (await readdir(place, { recursive: true })).filter((path) => /^(?!dist\/).*\.md$/.test(path))
    expect(pages.sort()).toEqual(['README.md', 'data/README.md'])
    for (const page of pages) {
      const text = await readFile(join(place, page), 'utf8')
      const targets = [...text.matchAll(/\]\(([^)\s]+)|(?:src|href)="([^"]+)"|^\[[^\]]+\]: (\S+)/gm)].map(
        ([, ...parts]) => parts.find(Boolean) ?? '',
      )
      const inside = targets
        .filter((target) => !/^(https?:|#)/.test(target))
        .map((target) => target.split('#')[0] ?? '')
      expect(inside.filter((path) => !existsSync(join(place, dirname(page), path)))).toEqual([])
    }
    const readme = await readFile(join(place, 'README.md'), 'utf8')
    expect(readme).not.toMatch(/npm (ci|start|run|test|pack)|scripts\/|docs\//)
    expect(readme).not.toContain('OWNER')
  })

  it('has a README with the code and the version of docs/testing.md', async () => {
    const readme = await readFile(join(place, 'README.md'), 'utf8')
    const testing = await readFile(join(ROOT, 'docs', 'testing.md'), 'utf8')
    const codes = codesOf(readme, 'js')
    expect(codes).toHaveLength(1)
    expect(codesOf(testing, 'js')).toEqual(expect.arrayContaining(codes))
    const { version } = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'))
    expect(readme).toContain(`./galaxy-${version}.tgz`)
    expect(readme).toContain(`Node ${NEEDED_NODE} or newer`)
    const { exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
    const modules = Object.keys(exports).filter((path) => !path.endsWith('.json'))
    expect([...tableOf(readme).keys()].sort()).toEqual(modules.map((path) => path.replace('.', 'galaxy')).sort())
  })

  it('has a Worker without the texts that only the documents need', async () => {
    const worker = await readFile(join(place, 'dist', 'package', 'worker', 'index.js'), 'utf8')
    const inWorker = withoutEscapes(worker)
    const texts = new Set<string>()
    for (const document of ['documents/out/openapi.json', 'documents/out/asyncapi.json']) {
      for (const text of descriptionsIn(JSON.parse(await readFile(join(ROOT, document), 'utf8')))) texts.add(text)
    }
    expect(texts.size).toBeGreaterThan(300)
    expect([...texts].filter((text) => inWorker.includes(withoutEscapes(text)))).toEqual([])
    const { components } = JSON.parse(await readFile(join(ROOT, 'documents/out/openapi.json'), 'utf8'))
    const { components: events } = JSON.parse(await readFile(join(ROOT, 'documents/out/asyncapi.json'), 'utf8'))
    const sent = descriptionsInExamples([components.schemas, events.messages])
    expect(sent).toContain('Earth-like planet with liquid water detected')
    expect(sent.filter((text) => !inWorker.includes(withoutEscapes(text)))).toEqual([])
  })

  it('serves planets, pages and universes from an empty folder, and keeps everything in .galaxy there', async () => {
    const home = join(project.folder, 'home')
    await mkdir(home)
    const galaxy = spawn('npx', ['--no-install', 'galaxy', '--port', '0', '--json'], { cwd: home })
    const ended = new Promise((resolve) => galaxy.on('close', resolve))
    const [line] = await once(createInterface(galaxy.stdout), 'line')
    const { url, pid } = JSON.parse(line)
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
    // What only the command may run, and what nobody may read.
    for (const path of ['/cdn-cgi/local/scheduled', '/cdn-cgi/local/r2/public/galaxy-images/x']) {
      const closed = await fetch(url + path)
      expect([closed.status, await closed.text()]).toEqual([404, 'Not Found'])
    }
    process.kill(pid, 'SIGTERM')
    await ended
    expect(await listCommandLines(project.folder)).toEqual([])
    expect(await readdir(home)).toEqual(['.galaxy'])
    expect((await readdir(join(home, '.galaxy'))).sort()).toEqual(['.dev.vars', '.gitignore', 'compiled', 'lock', 'v3'])
    expect(await readdir(place)).not.toContain('.galaxy')
  })
})

describe('npm pack', () => {
  const names = ['package.json', 'README.md'] as const
  let clone: string
  let before: string[]

  const texts = () => Promise.all(names.map((name) => readFile(join(clone, name), 'utf8')))

  beforeEach(async () => {
    clone = await mkdtemp(join(tmpdir(), 'galaxy-clone-'))
    await mkdir(join(clone, 'package'))
    for (const name of [...names, 'package/packed-readme.md']) await cp(join(ROOT, name), join(clone, name))
    before = await texts()
  })

  afterEach(() => rm(clone, { recursive: true }))

  it('leaves the clone as it was, also after a run that was interrupted', async () => {
    await putBackFilesOfClone(clone)
    expect(await texts()).toEqual(before)
    await layOutPackedFiles(clone)
    const packed = await texts()
    expect(JSON.parse(packed[0] ?? '').engines).toEqual({ node: `>=${NEEDED_NODE}` })
    expect(packed[1]).toBe(await readFile(join(clone, 'package', 'packed-readme.md'), 'utf8'))
    // The next run begins with this, and ends with it.
    for (let time = 0; time < 2; time++) {
      await putBackFilesOfClone(clone)
      expect(await texts()).toEqual(before)
    }
  })

  it('keeps what somebody has changed meanwhile, and says where the file of the clone is', async () => {
    await layOutPackedFiles(clone)
    await writeFile(join(clone, 'package.json'), '{"changed": true}')
    const kept = join(clone, 'dist', 'clone', 'package.json')
    await expect(putBackFilesOfClone(clone)).rejects.toThrow(`That of the clone is ${kept}`)
    expect(await readFile(join(clone, 'package.json'), 'utf8')).toBe('{"changed": true}')
    expect(await readFile(kept, 'utf8')).toBe(before[0])
  })
})

it('the package has the variables of wrangler.toml, and none of the clone or the job that makes it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'galaxy-checkout-'))
  try {
    await makeCheckout(folder)
    const read = async (variables: Record<string, string>) => {
      const script = `const { readWorkerOptions } = await import('./scripts/lib/build-package.ts')
        console.error(JSON.stringify((await readWorkerOptions()).bindings))`
      const env = { ...process.env, WRANGLER_LOG: 'error', ...variables }
      const { stderr } = await promisify(execFile)(process.execPath, ['-e', script], { cwd: folder, env })
      return JSON.parse(stderr)
    }
    const plain = await read({})
    expect(plain).toMatchObject({ SIGNUP: 'open', PUBLIC_URL: '' })
    expect(await read({ SIGNUP: 'closed', PUBLIC_URL: '/app', DATA_KEY: 'x' })).toEqual(plain)
    await writeFile(join(folder, '.env'), 'SIGNUP=closed\nOTHER=x\n')
    expect(await read({})).toEqual(plain)
    await writeFile(join(folder, '.dev.vars'), 'SIGNUP=closed\nDATA_KEY=x\nOTHER=x\n')
    expect(await read({})).toEqual(plain)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

describe('docs/operating.md, under "Without a clone",', () => {
  const [options, exitCodes] = sectionOf(page, '## Without a clone')
    .split(/\n(?=\| exit code)/)
    .map((part) => [...tableOf(part).keys()])

  it('has every option of the command', () => {
    const listed = [...USAGE.matchAll(/^ {2}(--\S+(?:,? \S+)?)/gm)].map(([, option]) => option)
    expect(listed.length).toBeGreaterThan(5)
    expect(options).toEqual(listed)
  })

  it('has every exit code', () => {
    expect(exitCodes?.map(Number).sort()).toEqual(Object.values(EXIT))
  })
})
