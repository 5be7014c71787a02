import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import type { GateLists } from '../../src/domain/problems.ts'
import type { LabCatalogue } from '../../src/features/lab/catalogue-schema.ts'
import type { LabReport, LabRun } from '../../src/schemas/lab-run.ts'
import { Failure } from './exit.ts'
import type { LabOptions } from './lab-options.ts'

/** How much of what a client sent is printed. */
const SHOWN_CHARS_MAX = 200
const UNPROCESSABLE = 422

/** The environment in which the user has called the command, and with which his own command runs. */
export interface Caller {
  variables: NodeJS.ProcessEnv
  umask: number
}

/**
 * Lets a command call the cases of a new run, closes the run, and prints what it says.
 *
 * @param service The base URL of a Galaxy
 * @param onStart Gets the process of the command
 * @returns Whether the gate lets pass and the command has ended without a failure
 * @throws Failure if the service refuses the run, or the command cannot be started
 */
export async function judge(
  service: string,
  { tool, version, level, reasons, junit, command }: LabOptions,
  caller: Caller,
  onStart: (child: ChildProcess) => void,
): Promise<boolean> {
  const made = await send('POST', `${service}/lab/runs`, { tool, version, ...reasons })
  const { url }: LabRun = await made.json()
  const code = await runCommand(command, url, caller, onStart)
  await send('PATCH', url, { closed: true })
  const report: LabReport = await (await send('GET', url)).json()
  const gate = await send('GET', `${url}/gate?level=${level}`)
  const lists: GateLists = await gate.json()
  const { cases }: LabCatalogue = await (await send('GET', `${service}/lab/cases`)).json()
  console.log(printable(summaryOf(report, cases, lists, level, gate.ok)))
  if (code !== 0) console.log(`The command has ended with exit code ${code}.`)
  if (junit !== undefined) {
    const written = await (await send('GET', `${url}/junit.xml?level=${level}`)).text()
    writeAsCaller(junit, written, caller)
  }
  return gate.ok && code === 0
}

/** @returns The exit code of the command, or as shells number the signal that ended it */
async function runCommand(
  [program, ...args]: LabOptions['command'],
  url: string,
  { variables, umask }: Caller,
  onStart: (child: ChildProcess) => void,
): Promise<number> {
  // What the command writes is its own matter. A child has the umask of this process.
  const child = withUmask(umask, () =>
    spawn(program, args, {
      stdio: 'inherit',
      env: { ...variables, LAB_URL: url, LAB_OPENAPI: `${url}/openapi.json` },
    }),
  )
  onStart(child)
  return await new Promise((resolve, reject) => {
    child.once('error', ({ message }) =>
      reject(new Failure('arguments', `The command ${program} cannot be run: ${message}`)),
    )
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
  })
}

/** Writes a file that is the caller's, and not one of the service's. @throws Failure if that is not possible */
function writeAsCaller(file: string, text: string, { umask }: Caller): void {
  try {
    withUmask(umask, () => writeFileSync(file, text))
  } catch (error) {
    throw new Failure('folder', `The file ${file} cannot be written: ${error instanceof Error ? error.message : error}`)
  }
}

function withUmask<T>(umask: number, work: () => T): T {
  const own = process.umask(umask)
  try {
    return work()
  } finally {
    process.umask(own)
  }
}

/** @throws Failure if the service refuses. 422 is the answer of a gate */
async function send(method: string, url: string, body?: object): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers: { Accept: 'application/json, */*;q=0.1', ...(body && { 'Content-Type': 'application/json' }) },
    body: body ? JSON.stringify(body) : null,
  }).catch((error) => {
    throw new Failure('failed', `${method} ${url}: no server answers (${error.message})`)
  })
  if (response.ok || response.status === UNPROCESSABLE) return response
  const text = await response.text()
  const isWrong = response.status === 400
  throw new Failure(isWrong ? 'arguments' : 'failed', `${method} ${url}: ${response.status} ${reasonIn(text)}`)
}

/** What a problem says, with the members that are wrong. */
function reasonIn(text: string): string {
  try {
    const { detail, errors = [] } = JSON.parse(text)
    return [detail, ...errors.map((fault: object) => JSON.stringify(fault))].join('\n  ')
  } catch {
    return text
  }
}

/** The run for a person: the counts, and each case because of which the gate fails. */
function summaryOf(
  report: LabReport,
  cases: LabCatalogue['cases'],
  lists: GateLists,
  level: string,
  passes: boolean,
): string {
  const { tool, version, suite, summary, results } = report
  const counts = (['core', 'extended'] as const).map((name) => {
    const { cases: total, pass, nonStrict, fail, incomplete, missing, skipped } = summary[name]
    const others = Object.entries({ fail, incomplete, missing, skipped }).filter(([, count]) => count > 0)
    const listed = others.map(([outcome, count]) => `, ${count} ${outcome}`).join('')
    return `${name.padEnd(8)}  ${pass + nonStrict} of ${total} passed${listed}`
  })
  const judged = level === 'core' ? [summary.core] : [summary.core, summary.extended]
  const failed = judged.reduce((sum, { fail, incomplete }) => sum + fail + incomplete, 0)
  const known = failed - lists.unexpected.length
  const unexpected = lists.unexpected.map((id) => {
    const { reason, at, received, expected } = results.find((result) => result.case === id) ?? {}
    const place = at === undefined || at === null ? '' : ` (byte ${at})`
    const lines = [`fail      ${id}${place}: ${reason ?? 'it was begun, and not finished'}`]
    if (received !== undefined && received !== null) lines.push(`  sent      ${shown(received)}`)
    if (expected !== undefined && expected !== null) lines.push(`  expected  ${shown(expected)}`)
    const decides = cases.find((one) => one.id === id)?.specification
    if (decides !== undefined) lines.push(`  decided   ${decides}`)
    return lines.join('\n')
  })
  return [
    '',
    `${tool} ${version}, suite ${suite}`,
    ...counts,
    ...unexpected,
    ...lists.missing.map((id) => `missing   ${id}: it was not called`),
    ...lists.stale.map((id) => `stale     ${id}: it is expected to fail, and passes`),
    ...(known > 0 ? [`Failed as expected: ${known}.`] : []),
    `The gate for ${level} ${passes ? 'lets pass' : 'fails'}.`,
  ].join('\n')
}

/** A text in one line. */
const shown = (text: string) =>
  JSON.stringify(text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text)

/** Lines without characters that control a terminal. What a client has sent can have them. */
const printable = (lines: string) =>
  lines.replaceAll(
    /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
