import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseEnv } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { requireFreePort } from '../../scripts/lib/free-port.ts'
import { ensureLocalSecrets, SECRETS } from '../../scripts/lib/local-secrets.ts'
import { whenParentEnds } from '../../scripts/lib/parent.ts'
import { BUILT, ROOT } from '../../scripts/lib/root.ts'
import { runEveryMinute, scheduledUrl } from '../../scripts/lib/scheduled-job.ts'
import { untilReady } from '../../scripts/lib/until-ready.ts'
import { welcome } from '../../scripts/lib/welcome.ts'
import { openDataFolder, prepareData } from './data-folder.ts'
import { EXIT, Failure, failureIn, type Reason } from './exit.ts'
import { judge } from './lab.ts'
import { LAB_USAGE, type LabOptions, readLabOptions } from './lab-options.ts'
import { type CommandOptions, readOptions, USAGE } from './options.ts'
import type { ProcessGroup } from './process-group.ts'
import { loadRuntime, type Runtime, readWorkerOptions, STOP_SIGNALS } from './runtime.ts'
import { makeTemporaryFolder, removeLeftFolders, TEMPORARY_VARIABLES } from './temporary-folder.ts'

// The command `galaxy`: the built Worker on the Workers runtime, until it is told to stop. `galaxy lab` serves as long as
// a client is judged.

/** A state folder with a prepared database. */
const PREPARED = join(BUILT, 'state')
/** The files that the Worker reads. */
const ASSETS = join(ROOT, 'dist', 'browser', 'public')

/** A stop takes no longer, so that whoever waits need not kill. */
const STOP_MS = 1_900
/** How often another free port is tried, if somebody took one in the meantime. */
const PORT_ATTEMPTS = 5
/** When the runtime has read its configuration, which was built in this process. */
const COLLECT_AFTER_MS = 2_000

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
let runtime: Runtime | undefined
/** The command of `galaxy lab`, as long as it is judged. */
let judged: ProcessGroup | undefined
let isStopping = false
/** What it means that somebody ends the command. A client that was not judged to the end has not passed. */
let toldReason: Reason = 'told'

const caller = { variables: { ...process.env }, umask: process.umask() }
// What this process and the runtime store is its user's alone, also in a folder that others can read.
process.umask(0o077)
for (const signal of STOP_SIGNALS) process.on(signal, () => stop(toldReason))
// `npx galaxy` waits for it, and is what a user ends. What npx runs besides, such as a test runner, has these variables
// too. A shell that ends, such as that of a step in CI, leaves it running.
const { npm_lifecycle_event, npm_lifecycle_script = '' } = process.env
if (npm_lifecycle_event === 'npx' && /^['"]?galaxy['"]?( |$)/.test(npm_lifecycle_script))
  whenParentEnds(() => stop(toldReason))
// Whoever has read the output may be gone: the shell of a step in CI, or a pipe.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

try {
  const [first, ...others] = process.argv.slice(2)
  if (first === 'lab') await runLab(readLabOptions(others))
  else {
    const options = readOptions(process.argv.slice(2), resolve(process.env.GALAXY_HOME ?? '.galaxy'))
    if (typeof options === 'string') console.log(options === 'help' ? USAGE : version)
    else await run(options)
  }
} catch (error) {
  fail(error)
}

function fail(error: unknown): void {
  if (isStopping) return
  const isFailure = error instanceof Failure
  console.error(isFailure ? `galaxy: ${error.message}` : error)
  stop(isFailure ? error.reason : 'failed')
}

/** Ends what this process has started, and then itself. If it is asked twice, it does not wait. */
function stop(reason: Reason): void {
  const exit = () => {
    judged?.kill()
    process.exit(EXIT[reason])
  }
  if (isStopping) exit()
  isStopping = true
  setTimeout(exit, STOP_MS)
  void endAll().finally(exit)
}

/**
 * The command that is judged is told first, because it would otherwise report that nobody answers. Nothing waits for its
 * end: Ctrl-C in a terminal also reaches the runtime, whose end would then be a crash.
 */
async function endAll(): Promise<void> {
  await Promise.all([judged?.end(), runtime?.stop()])
}

/** Judges a client at a service that runs already, or at one that lasts as long. */
async function runLab(options: LabOptions | 'help'): Promise<void> {
  if (options === 'help') return console.log(LAB_USAGE)
  toldReason = 'failed'
  const { GALAXY_URL: running } = caller.variables
  // None of these arguments is a question.
  const own = readOptions(['--memory', '--port=0', '--quiet'], '') as CommandOptions
  const url = running?.replace(/\/+$/, '')
  const service = { url: url || (await run(own)), stays: Boolean(url) }
  const passes = await judge(service, options, caller, (group) => (judged = group))
  // What the command has left running is its own matter.
  judged = undefined
  stop(passes ? 'told' : 'gate')
}

/** @returns The base URL of the service, which is ready */
async function run(options: CommandOptions): Promise<string> {
  if (options.isWithParent) {
    for (const event of ['end', 'error', 'close']) process.stdin.on(event, () => isStopping || stop('told'))
    process.stdin.resume()
  }
  const parent = tmpdir()
  const temporary = makeTemporary(parent)
  for (const name of TEMPORARY_VARIABLES) process.env[name] = temporary
  const { folder = temporary } = options
  if (folder !== temporary) {
    await openDataFolder(folder)
    // Compiling the runtime's library takes a tenth of a start. The second one finds it done.
    enableCompileCache(join(folder, 'compiled'))
  }
  const cron = randomUUID()
  // Keys are made while the runtime is loaded.
  const [secrets, startRuntime, worker] = await Promise.all([
    ensureLocalSecrets(folder).catch((error) => Promise.reject(failureIn(folder, error))),
    loadRuntime(cron),
    readWorkerOptions(BUILT),
    prepareData(folder, PREPARED),
  ])
  const isQuiet = options.isQuiet || options.isJson
  const start = async (port: number) => {
    const variables = options.variablesAt(port)
    requireKnown(variables, worker.bindings ?? {})
    const bindings = { ...parseEnv(secrets), ...variables }
    runtime = await startRuntime({
      built: BUILT,
      options: worker,
      assets: ASSETS,
      bindings: bindings as Record<string, string>,
      state: folder,
      ip: options.ip,
      port,
      printsAll: !isQuiet,
    })
    return port
  }
  const baseUrl = options.baseUrlAt(await startAtFreePort(options, start))
  await untilReady(baseUrl, folder)
  const scheduled = options.tellsSchedule ? scheduledUrl(baseUrl, cron) : undefined
  if (options.isJson) console.log(JSON.stringify({ url: baseUrl, pid: process.pid, version, scheduled }))
  else if (!isQuiet) console.log(welcome(baseUrl, scheduled))
  const work = [runEveryMinute(baseUrl, cron, () => isStopping), removeLeftFolders(parent), collectGarbage()]
  void Promise.all(work).catch(fail)
  return baseUrl
}

function makeTemporary(parent: string): string {
  try {
    return makeTemporaryFolder()
  } catch (error) {
    throw failureIn(parent, error)
  }
}

/** @throws Failure if the service has no variable of one of these names */
function requireKnown(variables: object, known: object): void {
  const unknown = Object.keys(variables).find((name) => !(name in known || name in SECRETS))
  if (unknown !== undefined) throw new Failure('arguments', `The service has no variable ${unknown}.`)
}

/**
 * Starts at the port that the user wants. If he wants any, somebody may take the free one meanwhile, and then it tries
 * another one.
 *
 * @throws Failure if the port cannot be used
 */
async function startAtFreePort(
  { port, ip }: CommandOptions,
  start: (port: number) => Promise<number>,
): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await requireFreePort(port, ip))
    } catch (error) {
      const { code, syscall, message } = error as NodeJS.ErrnoException
      const isTaken = code === 'ERR_ADDRESS_IN_USE'
      if (isTaken && port === 0 && attempt < PORT_ATTEMPTS) continue
      if (!isTaken && syscall === undefined) throw error
      throw new Failure('port', `Port ${port} cannot be used (${message}). Use another one: --port 0 takes a free one.`)
    }
  }
}

/** Gives back the memory that only the start needed: 80 MiB. */
async function collectGarbage(): Promise<void> {
  await sleep(COLLECT_AFTER_MS, undefined, { ref: false })
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
