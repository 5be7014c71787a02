import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GALAXY_USER_ID } from '../../src/domain/galaxy-user.ts'
import { databaseStep, queueStep, secretsStep } from './deploy-resources.ts'
import { formatCommand, type Step, type Tools } from './deploy-step.ts'
import type { Target } from './deploy-target.ts'
import { executeSql } from './execute-sql.ts'
import { SMOKE_TESTS } from './smoke-test.ts'
import { queryThroughWrangler } from './wrangler.ts'

/** The address of the service, which the steps share. The step that deploys sets it if it is not known before. */
interface ServiceAddress {
  url: string | undefined
}

export function listSteps(target: Target, url: string | undefined, tools: Tools): Step[] {
  const service: ServiceAddress = { url: url ?? target.publicUrl }
  return [
    buildStep(target, tools),
    databaseStep(target, tools),
    ...target.queues.map((queue) => queueStep(queue, tools)),
    secretsStep(target, tools),
    migrationsStep(target, tools),
    planetsStep(target, tools),
    uploadStep(target, service, tools),
    smokeStep(service, tools),
  ]
}

/** This is the first step, so that nothing is created for code that cannot be built. */
function buildStep({ environment }: Target, { wrangler }: Tools): Step {
  const build = ['deploy', '--dry-run', '--env', environment]
  return {
    title: 'Build the Worker',
    commands: [formatCommand(build)],
    isLocal: true,
    async run() {
      await wrangler(build)
      return 'It can be built.'
    },
  }
}

function migrationsStep({ environment, database }: Target, { wrangler }: Tools): Step {
  const apply = ['d1', 'migrations', 'apply', database.binding, '--remote', '--env', environment]
  return {
    title: 'Apply the migrations',
    commands: [formatCommand(apply)],
    async run() {
      return (await wrangler(apply)).includes('No migrations to apply') ? 'There are no new ones.' : 'Applied.'
    },
  }
}

/** Before the Worker, because the shipped planets have the first ids. */
function planetsStep({ environment }: Target, { wrangler, readPlanets }: Tools): Step {
  const location = ['--remote', '--env', environment]
  // Loading the planets writes the total of the account last, so it shows whether the loading was completed.
  const sql = `select bodies_used from users where id = ${GALAXY_USER_ID}`
  return {
    title: 'Load the planets',
    commands: [
      formatCommand(['d1', 'execute', 'DB', '--yes', '--json', '--command', `"${sql}"`, ...location]),
      `npm run load-planets -- ${location.join(' ')}   # if some are missing`,
    ],
    async run() {
      const [galaxy] = await queryThroughWrangler(location, wrangler)(sql)
      const planets = await readPlanets()
      if (Number(galaxy?.bodies_used ?? 0) >= planets.count) return 'They are there.'
      await executeSql(planets.writeSql(), location, wrangler)
      return 'Loaded.'
    },
  }
}

/** wrangler also creates the bucket if it is missing, and the classes of Durable Objects. */
function uploadStep({ environment, bucket }: Target, service: ServiceAddress, { wrangler }: Tools): Step {
  const upload = ['deploy', '--env', environment]
  return {
    title: `Deploy the Worker, and create the bucket ${bucket}`,
    commands: [formatCommand(upload)],
    async run() {
      const folder = await mkdtemp(join(tmpdir(), 'galaxy-deploy-'))
      try {
        const file = join(folder, 'report')
        await wrangler(upload, { variables: { WRANGLER_OUTPUT_FILE_PATH: file } })
        const { address, version } = readReport(await readFile(file, 'utf8'))
        service.url ??= address
        return `Deployed version ${version}${address ? ` to ${address}` : ''}.`
      } finally {
        await rm(folder, { recursive: true })
      }
    },
  }
}

/** The report of wrangler about a deployment: a file with a line of JSON for each action. */
function readReport(report: string): { address: string | undefined; version: string | undefined } {
  const lines = report.split('\n').filter(Boolean)
  const deployment = lines.map((line) => JSON.parse(line)).find(({ type }) => type === 'deploy')
  const targets: string[] = deployment?.targets ?? []
  const address = targets.find((target) => URL.canParse(target) && new URL(target).protocol === 'https:')
  return { address, version: deployment?.version_id }
}

function smokeStep(service: ServiceAddress, { tryService }: Tools): Step {
  return {
    title: 'Test the service',
    commands: SMOKE_TESTS.map(({ title }) => `# ${title}`),
    async run() {
      if (!service.url) throw new Error('The address is not known. Repeat the command with --url.')
      await tryService(service.url)
      return 'It works.'
    },
  }
}
