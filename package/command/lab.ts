import { writeFileSync } from 'node:fs'
import type { GateLists } from '../../src/domain/problems.ts'
import type { LabCatalogue } from '../../src/features/lab/catalogue-schema.ts'
import type { LabReport, LabRun } from '../../src/schemas/lab-run.ts'
import { strangerIn } from '../client/stranger.ts'
import { Failure } from './exit.ts'
import { countEmpty, describeChange, expectationsAfter } from './expectations.ts'
import type { LabOptions } from './lab-options.ts'
import { printable, summaryOf } from './lab-summary.ts'
import { type ProcessGroup, startGroup } from './process-group.ts'

const STATUS = { badRequest: 400, notFound: 404, conflict: 409, unprocessable: 422 }

/** The document of a bench in each version of OpenAPI. */
const DOCUMENTS = { '3.0': 'openapi-3.0.json', '3.1': 'openapi.json', '3.2': 'openapi-3.2.json' } as const

/** The environment in which the user has called the command, and with which his own command runs. */
export interface Caller {
  variables: NodeJS.ProcessEnv
  umask: number
}

/** Where the run is made. */
export interface Service {
  /** The base URL of a Galaxy. */
  url: string
  /** Whether it goes on after the command. */
  stays: boolean
}

/**
 * Lets a command call the cases of a new run, closes the run, and prints what it says.
 *
 * @param onStart Gets the command with everything that it starts
 * @returns Whether the gate lets pass and the command has ended without a failure
 * @throws Failure if the service refuses the run, the command cannot be started, or the command has ended the run
 */
export async function judge(
  service: Service,
  { tool, version, document, level, reasons, junit, writeExpect, command }: LabOptions,
  caller: Caller,
  onStart: (group: ProcessGroup) => void,
): Promise<boolean> {
  const run: LabRun = await send('POST', `${service.url}/lab/runs`, {
    tool,
    version,
    openapi: document,
    ...reasons,
  }).then(read)
  const address = `The report: ${run.url}/report`
  // The run stays, whatever becomes of the command.
  if (service.stays) console.log(address)
  const code = await runCommand(command, run, caller, onStart)
  const changes = await close(run)
  const report: LabReport = await sendToRun('GET', run.url).then(read)
  const gate = await sendToRun('GET', `${run.url}/gate?level=${level}`)
  const lists: GateLists = await read(gate)
  const { cases }: LabCatalogue = await send('GET', `${service.url}/lab/cases`).then(read)
  console.log(printable(summaryOf(report, cases, lists, level, gate.ok)))
  if (code !== 0) console.log(`The command has ended with exit code ${code}.`)
  if (changes.length > 0)
    console.log(
      printable(`The command has changed the run: ${changes.join(', ')}. It was judged without these changes.`),
    )
  // Again, because the command may have printed much.
  if (service.stays) console.log(address)
  // If one of the files cannot be written, the other is.
  try {
    if (writeExpect !== undefined) {
      const expectations = expectationsAfter(report, lists, cases)
      writeAsCaller(writeExpect, `${JSON.stringify(expectations, null, 2)}\n`, caller)
      const empty = countEmpty(expectations)
      if (empty > 0) console.log(`${writeExpect} has ${empty} empty reasons. --expect takes it when all are written.`)
    }
  } finally {
    if (junit !== undefined) {
      const written = await (await sendToRun('GET', `${run.url}/junit.xml?level=${level}`)).text()
      writeAsCaller(junit, written, caller)
    }
  }
  return gate.ok && code === 0
}

/**
 * Closes a run with what it was made with. The command knows the address of the run, and can have changed what the gate
 * asks for.
 *
 * @returns What the command has changed
 * @throws Failure if it has closed or deleted the run
 */
async function close({ url, expect, skip }: LabRun): Promise<string[]> {
  const found: LabRun = await sendToRun('GET', url).then(read)
  if (found.closed) throw endedBy('closed')
  await sendToRun('PATCH', url, { expect, skip, closed: true })
  return [describeChange('expect', expect, found.expect), describeChange('skip', skip, found.skip)].filter(
    (change) => change !== undefined,
  )
}

const endedBy = (what: 'closed' | 'deleted') =>
  new Failure('gate', `The command has ${what} the run, so the run says nothing about the client. No gate was asked.`)

/** @returns The exit code of the command. If it is told to end, this process ends too, and waits for no result */
async function runCommand(
  [program, ...args]: LabOptions['command'],
  { url, openapi }: LabRun,
  { variables, umask }: Caller,
  onStart: (group: ProcessGroup) => void,
): Promise<number> {
  // What the command writes is its own matter. A child has the umask of this process.
  const group = withUmask(umask, () =>
    startGroup(program, args, {
      stdio: 'inherit',
      env: { ...variables, LAB_URL: url, LAB_OPENAPI: `${url}/${DOCUMENTS[openapi]}` },
    }),
  )
  onStart(group)
  return await group.ended.catch(({ message }) => {
    throw new Failure('arguments', `The command ${program} cannot be run: ${message}`)
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

// biome-ignore lint/suspicious/noExplicitAny: who calls it names the type, and the service keeps to its document
const read = (response: Response): Promise<any> => response.json()

/** The same for what is below a run. @throws Failure that says so, if the command has deleted or closed the run */
async function sendToRun(method: string, url: string, body?: object): Promise<Response> {
  return await send(method, url, body, (status) => {
    if (status === STATUS.notFound) throw endedBy('deleted')
    if (status === STATUS.conflict) throw endedBy('closed')
  })
}

/**
 * @param refused Gets the status of a refusal, and can throw an error that says more
 * @throws Failure if the service refuses, or something else than Galaxy answers. 422 is the answer of a gate
 */
async function send(method: string, url: string, body?: object, refused?: (status: number) => void): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers: { Accept: 'application/json, */*;q=0.1', ...(body && { 'Content-Type': 'application/json' }) },
    body: body ? JSON.stringify(body) : null,
  }).catch((error) => {
    throw new Failure('failed', `${method} ${url}: no server answers (${error.message})`)
  })
  const stranger = strangerIn(response)
  if (stranger !== undefined) throw new Failure('failed', `${method} ${url}: ${stranger}`)
  if (response.ok || response.status === STATUS.unprocessable) return response
  const text = await response.text()
  refused?.(response.status)
  const isWrong = response.status === STATUS.badRequest
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
