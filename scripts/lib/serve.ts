import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { CRON_VARIABLE, SCHEDULED_PATH, TEST_SCHEDULED_PATH } from './closed-entry.ts'
import { writeLocalConfig } from './local-config.ts'
import { ensureLocalSecrets } from './local-secrets.ts'
import { prepareDatabase } from './prepare.ts'
import { COMMAND, readStartArguments, type StartArguments, USAGE } from './start-arguments.ts'
import { isStopping, stop } from './stop.ts'
import { untilReady } from './until-ready.ts'
import { HOME, startWrangler } from './wrangler.ts'

// What `npm start` does: it prepares the secrets and the database, then runs `wrangler dev` until Ctrl-C or SIGTERM.

const SWEEP_INTERVAL_MS = 60_000

const { port, baseUrl, passedOn, stateFolder = makeTemporaryFolder() } = readArguments()
/** What a request must say to run the scheduled job. */
const cron = randomUUID()

try {
  await requireFreePort(port)
  await ensureLocalSecrets()
  await prepareDatabase(stateFolder)
  removeTraces(stateFolder)
  if (!isStopping()) await serve()
} catch (error) {
  if (!isStopping()) {
    console.error(error instanceof Error ? error.message : error)
    await stop(1)
  }
}

async function serve(): Promise<void> {
  const options = [
    '--config',
    await writeLocalConfig(),
    '--port',
    String(port),
    '--persist-to',
    stateFolder,
    '--show-interactive-dev-session=false',
    // Shows requests, warnings and errors. The default level would also show the tables of bindings, twice.
    '--log-level=info',
  ]
  startWrangler(['dev', ...options, ...passedOn], {}, { [CRON_VARIABLE]: cron })
    .on('exit', (code) => stop(code ?? 1))
    .on('error', (error) => {
      console.error(error.message)
      void stop(1)
    })
  await untilReady(baseUrl, stateFolder)
  printWelcome()
  // The first run is immediate, so that work that the last stop interrupted continues.
  await sweep()
  setInterval(sweep, SWEEP_INTERVAL_MS).unref()
}

/** Runs the scheduled job. Cron triggers do not fire on a local machine. The deployed schedule is every minute too. */
async function sweep(): Promise<void> {
  // The runtime refuses every other host there, that of `--ip` included. `fetch` cannot set the header.
  const options = { headers: { Host: 'localhost' } }
  const status = await new Promise<number | undefined>((resolve) => {
    const sent = get(`${baseUrl}${SCHEDULED_PATH}?cron=${cron}`, options, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', () => resolve(undefined))
  })
  if (status !== 200 && !isStopping())
    console.error(`The scheduled job (every minute) failed: ${status ?? 'no response'}`)
}

/** Reads the arguments of this process. If they are not valid, the process prints its usage and ends. */
function readArguments(): StartArguments {
  try {
    return readStartArguments(process.argv.slice(2))
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\nUsage: ${USAGE}`)
    process.exit(2)
  }
}

/** Makes a folder for the database and the images. The folder is removed when this process ends. */
function makeTemporaryFolder(): string {
  const parent = join(HOME, '.wrangler')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'state-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Removes the URLs of requests that wrangler once kept, and does not keep now. They can contain API keys. */
function removeTraces(folder: string): void {
  rmSync(join(folder, 'v3', 'observability'), { recursive: true, force: true })
}

/** Checks that the port is free. Otherwise another service at this port would respond in place of this one. */
async function requireFreePort(port: number): Promise<void> {
  const probe = createServer()
  const error = await new Promise<Error | undefined>((done) => {
    probe.once('error', done).listen(port, 'localhost', () => probe.close(() => done(undefined)))
  })
  if (error) throw new Error(`Port ${port} cannot be used (${error.message}). Use another port: ${COMMAND} --port 8788`)
}

function printWelcome(): void {
  console.log(`
Galaxy is running at ${baseUrl}
Read the API reference and try out requests: ${baseUrl}/docs

  curl ${baseUrl}/planets/4
  curl "${baseUrl}/planets?limit=3&offset=9"
  curl --json "{\\"email\\":\\"you-$(date +%s)@example.com\\",\\"password\\":\\"i-love-planets\\"}" ${baseUrl}/user/signup
`)
  if (passedOn.includes('--test-scheduled'))
    console.log(`Run the scheduled job: curl "${baseUrl}${TEST_SCHEDULED_PATH}?cron=${cron}"\n`)
}
