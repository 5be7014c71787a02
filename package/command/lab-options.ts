import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Failure } from './exit.ts'

export const LAB_USAGE = `Usage: galaxy lab --tool NAME [options] -- COMMAND [ARGUMENTS]

Starts the service, gives COMMAND a run of the laboratory (LAB_URL, LAB_OPENAPI), and ends by its gate.

  --tool NAME          the client that is judged
  --tool-version TEXT  its version (unknown)
  --level LEVEL        what the gate asks for: core (the default), or extended, which is both
  --expect FILE        JSON {"expect"?: {CASE: REASON}, "skip"?: {CASE: REASON}}
  --junit FILE         writes the results as JUnit's XML`

const LEVELS = ['core', 'extended'] as const

/** How the user wants a client to be judged. */
export interface LabOptions {
  tool: string
  version: string
  level: (typeof LEVELS)[number]
  /** What a run takes: cases that should fail, and cases that do not count. */
  reasons: object
  /** Where JUnit's XML is written; undefined: nowhere. */
  junit: string | undefined
  /** The program that makes the requests, and its arguments. */
  command: readonly [program: string, ...args: string[]]
}

/**
 * Reads the arguments after `lab`.
 *
 * @returns The options, or a question of the user
 * @throws Failure if an argument is wrong
 */
export function readLabOptions(args: readonly string[]): LabOptions | 'help' {
  const end = args.indexOf('--')
  try {
    const { values } = parseArgs({
      args: end < 0 ? [...args] : args.slice(0, end),
      options: {
        tool: { type: 'string' },
        'tool-version': { type: 'string', default: 'unknown' },
        level: { type: 'string', default: 'core' },
        expect: { type: 'string' },
        junit: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) return 'help'
    const { tool, junit } = values
    const level = LEVELS.find((name) => name === values.level)
    const [program, ...rest] = end < 0 ? [] : args.slice(end + 1)
    if (tool === undefined) throw new Error('--tool must name the client')
    if (level === undefined) throw new Error(`--level must be one of ${LEVELS.join(', ')}`)
    if (!program) throw new Error('after -- must be the command that calls the cases')
    const reasons = values.expect === undefined ? {} : readReasons(values.expect)
    return { tool, version: values['tool-version'], level, reasons, junit, command: [program, ...rest] }
  } catch (error) {
    throw new Failure('arguments', `${error instanceof Error ? error.message : error}\n\n${LAB_USAGE}`)
  }
}

/** @throws Error if the file cannot be read, or is no JSON object of these members */
function readReasons(file: string): object {
  const wrong = new Error(`--expect must be a file with {"expect"?, "skip"?}: ${file}`)
  let read: unknown
  try {
    read = JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`${wrong.message}: ${error instanceof Error ? error.message : error}`)
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) throw wrong
  if (Object.keys(read).some((name) => name !== 'expect' && name !== 'skip')) throw wrong
  return read
}
