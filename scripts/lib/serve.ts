import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CRON_VARIABLE, TEST_SCHEDULED_PATH } from './closed-entry.ts'
import { requireFreePort } from './free-port.ts'
import { writeLocalConfig } from './local-config.ts'
import { ensureLocalSecrets } from './local-secrets.ts'
import { makeFolder } from './make-folder.ts'
import { prepareWithWrangler } from './prepare-with-wrangler.ts'
import { ROOT } from './root.ts'
import { runEveryMinute } from './scheduled-job.ts'
import { COMMAND, readStartArguments, type StartArguments, USAGE } from './start-arguments.ts'
import { isStopping, stop } from './stop.ts'
import { untilReady } from './until-ready.ts'
import { welcome } from './welcome.ts'
import { startWrangler } from './wrangler.ts'

// What `npm start` does: it prepares the secrets and the database, then runs `wrangler dev` until Ctrl-C or SIGTERM.

const { port, baseUrl, passedOn, stateFolder = makeTemporaryFolder() } = readArguments()
/** What a request must say to run the scheduled job. */
const cron = randomUUID()

try {
  await requirePort(port)
  await requireFolder(stateFolder)
  await ensureLocalSecrets(ROOT)
  await prepareWithWrangler(stateFolder)
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
  const isTold = passedOn.includes('--test-scheduled')
  console.log(welcome(baseUrl, isTold ? `${baseUrl}${TEST_SCHEDULED_PATH}?cron=${cron}` : undefined))
  await runEveryMinute(baseUrl, cron, isStopping)
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
  const parent = join(ROOT, '.wrangler')
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, 'state-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Removes the URLs of requests that wrangler once kept, and does not keep now. They can contain API keys. */
function removeTraces(folder: string): void {
  rmSync(join(folder, 'v3', 'observability'), { recursive: true, force: true })
}

/** @throws Error with what to do if the port cannot be used */
async function requirePort(port: number): Promise<void> {
  await requireFreePort(port).catch(({ message }) => {
    throw new Error(`Port ${port} cannot be used (${message}). Use another port: ${COMMAND} --port 8788`)
  })
}

/** @throws Error that names the folder if it cannot be made */
async function requireFolder(folder: string): Promise<void> {
  await makeFolder(folder).catch(({ message }) => {
    throw new Error(`The folder ${folder} cannot be made (${message}). Use another one: ${COMMAND} --persist-to DIR`)
  })
}
