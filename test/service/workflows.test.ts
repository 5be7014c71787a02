import { execFile, spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import manifest from '../../package.json' with { type: 'json' }
import { git } from '../../scripts/lib/repository.ts'
import { ROOT } from '../../scripts/lib/root.ts'
import { makeCheckout } from './checkout.ts'
import { CompositeAction, environmentOfRunner, type Job, runStep } from './composite-action.ts'
import { codesOf, sectionOf } from './documentation.ts'
import { isTested } from './installed.ts'
import { type Registry, startRegistry } from './npm-registry.ts'
import { makeOfflineNpm } from './offline-npm.ts'
import { addPackages } from './project.ts'
import { readWorkflow, WORKFLOW_NAMES, type WorkflowStep } from './workflow.ts'

// The workflows: their shell lines run here, but those that take an hour or publish. `npm run lint` checks the rest of
// them with actionlint.

const run = promisify(execFile)

/**
 * What does not run here: it takes long, or another place changes. `npm publish` runs with `--dry-run`. A line that
 * belongs here has a step of its own.
 */
const NOT_RUN = /^\.ci\/run|^npm run benchmark|^gh release create|^npm publish/

const workflows = await Promise.all(WORKFLOW_NAMES.map(async (name) => [name, await readWorkflow(name)] as const))
const steps = workflows.flatMap(([workflow, { jobs }]) =>
  Object.entries(jobs).flatMap(([job, { steps }]) => steps.map((step) => ({ workflow, job, step }))),
)
const scripts = steps.flatMap(({ workflow, job, step }) =>
  step.run === undefined ? [] : [{ place: `${workflow} ${job}: ${step.name}`, script: step.run, env: step.env }],
)

const hasShellcheck = isTested('shellcheck', ['shellcheck', '--version'], 'whether shell lines have known faults')

describe('the workflows', () => {
  it('are checked by actionlint, which refuses what GitHub would', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'galaxy-actionlint-'))
    const file = join(folder, 'broken.yml')
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of GitHub.
    const untrusted = '${{ github.event.pull_request.title }}'
    await writeFile(
      file,
      `on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${untrusted}\n`,
    )
    const { status, stderr } = spawnSync(process.execPath, ['scripts/run.cjs', 'check-workflows', file], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    await rm(folder, { recursive: true })
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('broken.yml:6:23: ') })
    expect(manifest.scripts.lint).toContain('check-workflows')
  })

  it('use each action by the hash of a commit, with its version as a comment, and one version of each', () => {
    const used = workflows.flatMap(([, { text }]) => [...text.matchAll(/uses: (.*)/g)].map(([, action = '']) => action))
    expect(used.filter((action) => !/^[\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([])
    const names = new Set(used.map((action) => action.split('@')[0]))
    expect(new Set(used).size).toBe(names.size)
  })

  it('may only read, unless a job says what for', () => {
    const may = workflows.flatMap(([name, { permissions, jobs }]) => [
      [name, permissions],
      ...Object.entries(jobs).flatMap(([job, own]) => (own.permissions ? [[`${name} ${job}`, own.permissions]] : [])),
    ])
    expect(Object.fromEntries(may)).toEqual({
      ci: { contents: 'read' },
      nightly: { contents: 'read' },
      release: {},
      'release tarball': { contents: 'write' },
      'release image': { contents: 'read', packages: 'write' },
      'release npm': { contents: 'read', 'id-token': 'write' },
    })
    const checkouts = steps.filter(({ step }) => step.uses?.startsWith('actions/checkout@'))
    expect(checkouts.map(({ step }) => step.with)).toEqual(checkouts.map(() => ({ 'persist-credentials': false })))
  })

  it('pass values to shells as variables, and secrets only to the step that needs them', () => {
    expect(scripts.filter(({ script }) => script.includes('${{'))).toEqual([])
    const secrets = steps.filter(({ step }) => /secrets\.|github\.token/.test(JSON.stringify(step)))
    expect(secrets.map(({ step }) => step.run ?? step.uses?.split('@')[0])).toEqual([
      expect.stringMatching(/^gh release create/),
      'docker/login-action',
      expect.stringMatching(/^npm publish/),
    ])
  })

  it('have the Node of this project', () => {
    const major = Number.parseInt(manifest.devDependencies.node, 10)
    const versions = steps.flatMap(({ step }) => step.with?.['node-version'] ?? [])
    const images = workflows.flatMap(([, { jobs }]) =>
      Object.values(jobs).flatMap(({ container }) => container?.image ?? []),
    )
    expect(new Set(versions)).toEqual(new Set([major]))
    expect(new Set(images)).toEqual(new Set([`node:${major}-bookworm`]))
  })

  it('run each part of .ci/run as a job of CI', async () => {
    const parts = (await readFile(join(ROOT, '.ci', 'run'), 'utf8'))
      .match(/^ {2}\w+(?=\))/gm)
      ?.map((part) => part.trim())
    const { strategy } = workflows[0]?.[1].jobs.ci ?? {}
    expect(['all', ...(strategy?.matrix.part ?? [])]).toEqual(parts)
  })

  it('make the image of the Dockerfile for two architectures, with provenance', () => {
    const push = steps.find(({ step }) => step.uses?.startsWith('docker/build-push-action@'))?.step.with
    expect(push).toMatchObject({
      context: '.',
      platforms: 'linux/amd64,linux/arm64',
      push: true,
      provenance: 'mode=max',
    })
  })
})

describe.runIf(hasShellcheck)('shellcheck finds nothing', () => {
  /** What shellcheck says about a script as a runner runs it: with these options, and these variables. */
  const judge = (script: string, env: Record<string, unknown> = {}) => {
    const variables = Object.keys(env).map((name) => `export ${name}=''\n`)
    const input = `set -eo pipefail\n${variables.join('')}${script}`
    return spawnSync('shellcheck', ['--shell=bash', '--format=gcc', '-'], { input, encoding: 'utf8' }).stdout
  }

  it('but finds a fault if there is one', () => {
    expect(judge('rm $file')).toContain('SC2086')
  })

  it('in the workflows, in action.yml and in .ci/run', async () => {
    const action = CompositeAction.parse(parse(await readFile(join(ROOT, 'action.yml'), 'utf8')))
    const all = [
      ...scripts,
      ...action.runs.steps.flatMap((step) =>
        'run' in step ? [{ place: `action: ${step.name}`, script: step.run, env: step.env }] : [],
      ),
      { place: '.ci/run', script: await readFile(join(ROOT, '.ci', 'run'), 'utf8'), env: {} },
    ]
    expect(all.length).toBeGreaterThan(15)
    expect(all.map(({ place, script, env }) => `${place}: ${judge(script, env)}`)).toEqual(
      all.map(({ place }) => `${place}: `),
    )
  })
})

describe('the shell lines', () => {
  const VERSION = manifest.version
  let folder: string
  let checkout: string
  let job: Job
  let registry: Registry
  const ran = new Map<string, { code: number | null; printed: string; outputs: Record<string, string> }>()
  const notRun: string[] = []

  /** Runs a step of a workflow as it stands, unless it takes long or publishes. */
  async function runOrNote(place: string, { id, name, env, run: script = '' }: WorkflowStep): Promise<void> {
    const lines = script.trim().split('\n')
    if (lines.some((line) => NOT_RUN.test(line.trim()))) {
      expect(lines, `${place} has a line that does not run here beside others`).toHaveLength(1)
      notRun.push(`${place}: ${script.trim()}`)
      if (!script.startsWith('npm publish')) return
    }
    const step = {
      ...(id !== undefined && { id }),
      name,
      shell: 'bash' as const,
      // Secrets are empty where nobody has set them.
      env: Object.fromEntries(Object.keys(env ?? {}).map((variable) => [variable, ''])),
      run: script.replace(/^npm publish/, 'npm publish --dry-run'),
    }
    ran.set(place, await runStep(step, job, { inputs: {}, steps: {} }, ran.size))
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'galaxy-workflows-'))
    checkout = join(folder, 'checkout')
    const [home = '', npm = ''] = ['home', 'npm'].map((name) => join(folder, name))
    for (const name of [home, npm]) await mkdir(name)
    await makeCheckout(checkout)
    await cp(join(ROOT, 'dist'), join(checkout, 'dist'), { recursive: true })
    await git(checkout, 'init', '--quiet')
    // Enough for git to find that nothing has changed.
    await git(checkout, 'add', 'documents', 'test/interop')
    const as = ['-c', 'user.name=Ada', '-c', 'user.email=ada@galaxy.test']
    await git(checkout, ...as, 'commit', '--quiet', '--message', 'the checkout')
    registry = await startRegistry()
    job = {
      actionPath: checkout,
      workspace: checkout,
      temporary: join(folder, 'temporary'),
      env: {
        PATH: [await makeOfflineNpm(npm), process.env.PATH].join(delimiter),
        HOME: home,
        CI: 'true',
        GITHUB_WORKSPACE: checkout,
        GITHUB_REF_NAME: `v${VERSION}`,
        GITHUB_REPOSITORY: 'Ada/Galaxy',
        GITHUB_REPOSITORY_OWNER: 'Ada',
        GITHUB_SERVER_URL: 'https://github.com',
        npm_config_registry: registry.url,
        npm_config_userconfig: join(home, '.npmrc'),
        npm_config_cache: join(folder, 'cache'),
        // Other tests build the package. Here it is built already.
        npm_config_ignore_scripts: 'true',
      },
    }
    for (const { workflow, job: name, step } of steps) {
      if (step.run !== undefined) await runOrNote(`${workflow} ${name}: ${step.name}`, step)
    }
  })

  afterAll(async () => {
    await registry.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('run, but these', () => {
    expect(notRun).toEqual([
      'ci ci: Run the part: .ci/run "$PART"',
      'nightly anew: Check and test everything: .ci/run',
      'nightly anew: Build and run all clients of others, and compare the scoreboard: .ci/run interop --all',
      'nightly benchmark: Measure what the service promises: npm run benchmark',
      expect.stringMatching(/^release tarball: Make the release: gh release create /),
      'release npm: Publish: npm publish --provenance --access public',
    ])
  })

  it('succeed', () => {
    const failed = [...ran].filter(([, { code }]) => code !== 0)
    expect(failed).toEqual([])
    expect(ran.size).toBeGreaterThan(10)
  })

  it('make the tarball, an SBOM of everything that it is made with, and notes', async () => {
    const made = join(checkout, 'dist', 'release')
    expect((await readdir(made)).toSorted()).toEqual([`galaxy-${VERSION}.sbom.cdx.json`, `galaxy-${VERSION}.tgz`])
    const sbom = JSON.parse(await readFile(join(made, `galaxy-${VERSION}.sbom.cdx.json`), 'utf8'))
    expect(sbom).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { version: VERSION } },
    })
    const names = sbom.components.map(({ group, name }: { group?: string; name: string }) => `${group ?? ''}${name}`)
    expect(names).toEqual(expect.arrayContaining(['hono', 'miniflare', 'zod']))
    const notes = await readFile(join(checkout, 'dist', 'release-notes.md'), 'utf8')
    const changelog = await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8')
    expect(notes).not.toMatch(/^## /m)
    expect(changelog).toContain(notes)
    expect(notes.trim()).toMatch(/^The first release\..*`npm run interop:install`\.$/s)
  })

  it('compare the tag with the version', async () => {
    const { step } = steps.find(({ step }) => step.name === 'Compare the tag with the version') ?? {}
    const other = { ...job, env: { ...job.env, GITHUB_REF_NAME: 'v0.0.1' } }
    const { code, printed } = await runStep(
      { shell: 'bash', run: step?.run ?? '' },
      other,
      { inputs: {}, steps: {} },
      ran.size,
    )
    expect({ code, printed }).toEqual({
      code: 1,
      printed: expect.stringContaining(`v0.0.1, and the version is ${VERSION}`),
    })
  })

  it('name the image after the repository, in lower case', () => {
    const tags = `ghcr.io/ada/galaxy:${VERSION},ghcr.io/ada/galaxy:latest`
    expect(ran.get('release image: Name the image')?.outputs).toEqual({ tags })
  })

  it('publish the package under the scope of the owner, for everybody, with where it comes from', async () => {
    const {
      name,
      private: isPrivate,
      repository,
      ...rest
    } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'))
    expect({ name, isPrivate, repository }).toEqual({
      name: '@ada/galaxy',
      isPrivate: false,
      repository: { type: 'git', url: 'git+https://github.com/Ada/Galaxy.git' },
    })
    const { name: _, private: isPrivateInGit, ...inGit } = manifest
    expect(isPrivateInGit).toBe(true)
    expect(rest).toEqual(inGit)
    expect(ran.get('release npm: Publish')?.printed).toContain(`+ @ada/galaxy@${VERSION}`)
    expect(registry.requests.filter((request) => !request.startsWith('GET'))).toEqual([])
  })

  it('write no token into a file', async () => {
    expect(await readFile(join(folder, 'home', '.npmrc'), 'utf8')).toBe(
      `${registry.url.replace('http:', '')}:_authToken=\${NODE_AUTH_TOKEN}\n`,
    )
  })

  it('publish what docs/testing.md installs as galaxy, so that every import stays as it is', async () => {
    const env = { ...environmentOfRunner(), ...job.env }
    await run('npm', ['pack', '--pack-destination', folder], { cwd: checkout, env })
    const file = join(folder, `ada-galaxy-${VERSION}.tgz`)
    const published = await startRegistry({ name: '@ada/galaxy', version: VERSION, file })
    const project = join(folder, 'project')
    await mkdir(project)
    // Without it, npm would look for a project in the folders above.
    await writeFile(join(project, 'package.json'), '{}')
    try {
      const page = await readFile(join(ROOT, 'docs', 'testing.md'), 'utf8')
      const line =
        codesOf(sectionOf(page, '## Get the package'), 'sh')
          .find((code) => code.includes('@OWNER'))
          ?.trim() ?? ''
      expect(line).toBe('npm install --save-dev galaxy@npm:@OWNER/galaxy')
      await run('sh', ['-ec', line.replace('OWNER', 'ada')], {
        cwd: project,
        env: {
          ...environmentOfRunner(),
          HOME: folder,
          npm_config_cache: join(folder, 'cache'),
          npm_config_registry: published.url,
        },
      })
    } finally {
      await published.stop()
    }
    await addPackages({ folder: project, remove: async () => undefined }, ['miniflare'])
    const program = `
      import { existsSync } from 'node:fs'
      import { fileURLToPath } from 'node:url'
      import { startGalaxy } from 'galaxy'
      import { judge } from 'galaxy/lab'
      const files = ${JSON.stringify(Object.keys(manifest.exports))}
        .map((path) => fileURLToPath(import.meta.resolve(path.replace('.', 'galaxy'))))
      console.log(typeof startGalaxy, typeof judge, files.filter((file) => !existsSync(file)).length)`
    await writeFile(join(project, 'imports.mjs'), program)
    const { stdout } = await run(process.execPath, ['imports.mjs'], { cwd: project })
    expect(stdout).toBe('function function 0\n')
    const { stdout: version } = await run(join(project, 'node_modules', '.bin', 'galaxy'), ['--version'], {
      cwd: project,
    })
    expect(version).toContain(VERSION)
  })
})
