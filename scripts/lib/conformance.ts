import { writeFileSync } from 'node:fs'
import { type ConformanceArguments, readConformanceArguments, type Target, USAGE } from './conformance/arguments.ts'
import { type Check, nameOf, type Setting } from './conformance/check.ts'
import { CHECKS } from './conformance/checks/all.ts'
import { clean } from './conformance/clean.ts'
import { Client } from './conformance/client.ts'
import { NotTried } from './conformance/failure.ts'
import { watchInterruption } from './conformance/interruption.ts'
import { toEmptyJUnit, toJUnit } from './conformance/junit.ts'
import { once } from './conformance/once.ts'
import { explain, lineOf, summarize } from './conformance/report.ts'
import { type Result, runChecks } from './conformance/run-checks.ts'
import { CannotTest, Universes } from './conformance/universe.ts'
import { World } from './conformance/world.ts'
import { fail } from './fail.ts'

// npm run conformance -- https://host
// Tests a deployment from outside. The exit status is 0 if no check failed, 1 if one failed or was not reached, and 2
// if nothing was checked.

type RunTarget = Exclude<Target, { kind: 'list' }>

/** Ends what a run has made. @returns What could not be ended, in words */
type CleanUp = () => Promise<string[]>

/** Many times what a run takes. */
const RUN_TIMEOUT_MS = 15 * 60_000
/**
 * How long the command waits at its end for requests that are still open, such as those of checks that took too long.
 */
const OPEN_REQUESTS_MS = 1_000

const options = readArguments()
const selected = select(options)
const interruption = watchInterruption()
const stop = AbortSignal.any([interruption.signal, AbortSignal.timeout(RUN_TIMEOUT_MS)])

if (options.target.kind === 'list') console.log(selected.map(nameOf).join('\n'))
else process.exitCode = await test(options.target).catch(giveUp)
setTimeout(() => process.exit(), OPEN_REQUESTS_MS).unref()

function readArguments(): ConformanceArguments {
  try {
    const read = readConformanceArguments(process.argv.slice(2))
    // The file is written before the run, so that the command fails at once if the file cannot be written. And if the
    // run is killed, the file does not contain the report of an earlier run.
    writeReport(read, (url) => toEmptyJUnit(url, 'The run did not reach its end.'))
    return read
  } catch (error) {
    return fail(`${(error as Error).message}.\nUsage:\n${USAGE}`, 2)
  }
}

function select({ target, only }: ConformanceArguments): Check[] {
  const texts = only.map((text) => text.toLowerCase())
  const isMeant = (check: Check) => texts.some((text) => nameOf(check).toLowerCase().includes(text))
  const allowed = CHECKS.filter(({ isRead }) => target.kind !== 'read-only' || isRead)
  const meant = texts.length > 0 ? allowed.filter(isMeant) : allowed
  return meant.length > 0 ? meant : fail(`No check has ${only.join(' or ')} in its name. --list lists them.`, 2)
}

/** @returns The exit status */
async function test(target: RunTarget): Promise<number> {
  const { setting, cleanUp } = await open(target)
  console.log(`${setting.world.url}\n`)
  const report = (result: Result) => console.log(lineOf(result, selected))
  const results = await runChecks(selected, setting, stop, report)
  const left = await cleanUp()
  console.log(`${explain(results)}\n${summarize(results, selected.length)}`)
  for (const line of left) console.log(line)
  writeReport(options, (url) => toJUnit(url, results))
  const isComplete = results.length === selected.length && results.every(({ outcome }) => outcome !== 'failed')
  return interruption.exitCode() ?? (isComplete ? 0 : 1)
}

/** Writes the report in XML, if one was asked for. */
function writeReport({ junit, target }: ConformanceArguments, reportOn: (url: string) => string): void {
  if (junit !== undefined && target.kind !== 'list') writeFileSync(junit, reportOn(target.url))
}

/** @throws CannotTest if the address has no world for the checks */
async function open({ kind, url }: RunTarget): Promise<{ setting: Setting; cleanUp: CleanUp }> {
  const client = new Client(url, stop, options.timeoutMs)
  if (kind === 'address') return await openUniverses(client)
  await client.get('/planets?limit=1').catch(({ actual }) => {
    throw new CannotTest(`${url} cannot be reached: ${actual}.`)
  })
  const makeUniverse = async () => {
    throw new NotTried('it needs a universe of its own, and the run was given a world')
  }
  const world = new World(client, kind === 'world' ? 'accounts' : 'reading')
  const common = kind === 'world' ? undefined : client
  return { setting: { world, quiet: async () => world, common, makeUniverse }, cleanUp: () => world.clear() }
}

async function openUniverses(common: Client): Promise<{ setting: Setting; cleanUp: CleanUp }> {
  const universes = new Universes(common)
  const world = await universes.make()
  const cleanUp = async () =>
    (await universes.end()).map(
      ({ url }) => `${url} could not be ended. It ends by itself an hour after its last request.`,
    )
  const quiet = once(async () => {
    const universe = await universes.make()
    for (const name of ['Arrakis', 'Caladan', 'Giedi Prime']) await universe.makePlanet({ name })
    return universe
  })
  return { setting: { world, quiet, common, makeUniverse: () => universes.make() }, cleanUp }
}

function giveUp(error: unknown): number {
  if (!(error instanceof CannotTest)) throw error
  console.error(clean(`${error.message}\nNothing was checked.`))
  writeReport(options, (url) => toEmptyJUnit(url, error.message))
  return 2
}
