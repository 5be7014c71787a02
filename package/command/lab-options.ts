import { parseArgs } from 'node:util'
import { Failure } from './exit.ts'
import { type Expectations, readExpectations } from './expectations.ts'

export const LAB_USAGE = `Usage: galaxy lab --tool NAME [options] -- COMMAND [ARGUMENTS]

Starts the service, gives COMMAND a run of the laboratory (LAB_URL, LAB_OPENAPI), and ends by its gate.

  --tool NAME          the client that is judged (or "tool" of --expect)
  --tool-version TEXT  its version (or "version" of --expect, or unknown)
  --document VERSION   the version of OpenAPI whose cases count, and of LAB_OPENAPI: 3.0, 3.1 (the default) or 3.2
  --level LEVEL        what the gate asks for: core (the default), or extended, which is both
  --expect FILE        JSON {"expect"?: {CASE: REASON}, "skip"?: {CASE: REASON}, "tool"?, "version"?}
  --write-expect FILE  writes such a file with what has failed, and empty reasons to fill in
  --junit FILE         writes the results as JUnit's XML`

const LEVELS = ['core', 'extended'] as const
const DOCUMENTS = ['3.0', '3.1', '3.2'] as const

export interface LabOptions {
  tool: string
  version: string
  /** The version of OpenAPI whose cases count. */
  document: (typeof DOCUMENTS)[number]
  level: (typeof LEVELS)[number]
  /** Cases that should fail, and cases that do not count. */
  reasons: Pick<Expectations, 'expect' | 'skip'>
  /** Where the reasons for a next run are written; undefined: nowhere. */
  writeExpect: string | undefined
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
  try {
    return parse(args)
  } catch (error) {
    // What is wrong in a file is not explained by the options.
    if (error instanceof Failure) throw error
    throw new Failure('arguments', `${error instanceof Error ? error.message : error}\n\n${LAB_USAGE}`)
  }
}

function parse(args: readonly string[]): LabOptions | 'help' {
  const end = args.indexOf('--')
  const { values } = parseArgs({
    args: end < 0 ? [...args] : args.slice(0, end),
    options: {
      tool: { type: 'string' },
      'tool-version': { type: 'string' },
      document: { type: 'string', default: '3.1' },
      level: { type: 'string', default: 'core' },
      expect: { type: 'string' },
      'write-expect': { type: 'string' },
      junit: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return 'help'
  const level = LEVELS.find((name) => name === values.level)
  const document = DOCUMENTS.find((name) => name === values.document)
  const [program, ...rest] = end < 0 ? [] : args.slice(end + 1)
  if (level === undefined) throw new Error(`--level must be one of ${LEVELS.join(', ')}`)
  if (document === undefined) throw new Error(`--document must be one of ${DOCUMENTS.join(', ')}`)
  if (!program) throw new Error('after -- must be the command that calls the cases')
  const { tool, version, ...reasons } = values.expect === undefined ? {} : readExpectations(values.expect)
  const named = values.tool ?? tool
  if (named === undefined) throw new Error('--tool must name the client')
  return {
    tool: named,
    version: values['tool-version'] ?? version ?? 'unknown',
    document,
    level,
    reasons,
    writeExpect: values['write-expect'],
    junit: values.junit,
    command: [program, ...rest],
  }
}
