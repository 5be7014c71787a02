import { readFileSync } from 'node:fs'
import type { GateLists } from '../../src/domain/problems.ts'
import type { LabCatalogue } from '../../src/features/lab/catalogue-schema.ts'
import type { LabReport } from '../../src/schemas/lab-run.ts'
import { Failure } from './exit.ts'

// The file of --expect and --write-expect: what a run is made with, as JSON.

/** From the ids of cases, or of groups with `/*`, to reasons. */
export type Reasons = Record<string, string>

export interface Expectations {
  tool?: string
  version?: string
  expect?: Reasons
  skip?: Reasons
}

const MEMBERS = ['tool', 'version', 'expect', 'skip'] as const

/**
 * Reads the file. What its texts mean is for the service to judge.
 *
 * @throws Failure that names the member that is wrong, or each reason that is still empty
 */
export function readExpectations(file: string): Expectations {
  const wrong = (what: string) => new Failure('arguments', `--expect ${file}: ${what}`)
  let read: unknown
  try {
    // Editors of Windows begin a file with a byte order mark.
    read = JSON.parse(readFileSync(file, 'utf8').replace(/^\ufeff/, ''))
  } catch (error) {
    throw wrong(`it cannot be read: ${error instanceof Error ? error.message : error}`)
  }
  if (!isObject(read)) throw wrong(`it must be a JSON object with ${MEMBERS.join(', ')}`)
  const unknown = Object.keys(read).find((name) => !MEMBERS.some((member) => member === name))
  if (unknown !== undefined) throw wrong(`there is no member ${JSON.stringify(unknown)}, only ${MEMBERS.join(', ')}`)
  for (const name of ['tool', 'version'])
    if (name in read && typeof read[name] !== 'string') throw wrong(`${name} must be a text`)
  const empty: string[] = []
  for (const name of ['expect', 'skip']) {
    const reasons = read[name] ?? {}
    if (!isObject(reasons)) throw wrong(`${name} must be an object from cases to reasons`)
    for (const [id, reason] of Object.entries(reasons)) {
      if (typeof reason !== 'string') throw wrong(`${name}, ${JSON.stringify(id)}: the reason must be a text`)
      if (reason.trim() === '') empty.push(`${name}, ${JSON.stringify(id)}`)
    }
  }
  if (empty.length > 0)
    throw wrong(['these reasons are empty. Write 1 to 200 characters for each:', ...empty].join('\n  '))
  return read
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * What has to be in the file so that the same run passes its gate. Known reasons stay, new ones are empty. Cases that
 * passed are no longer in `expect`. A group of which nothing was called is one entry.
 */
export function expectationsAfter(
  { tool, version, expect, skip, results }: LabReport,
  { unexpected, missing, stale }: GateLists,
  cases: LabCatalogue['cases'],
): Required<Expectations> {
  const groupOf = (id: string) => id.slice(0, id.indexOf('/'))
  const touched = new Set(
    [...results.map((result) => result.case), ...Object.keys({ ...expect, ...skip })].map(groupOf),
  )
  const known = Object.entries(expect).filter(([id]) => !stale.includes(id))
  const order = cases.map(({ id }) => id)
  const failing = [...known, ...unexpected.map((id) => [id, ''] as const)]
  return {
    tool,
    version,
    expect: Object.fromEntries(failing.sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))),
    skip: {
      ...skip,
      ...Object.fromEntries(missing.map((id) => [touched.has(groupOf(id)) ? id : `${groupOf(id)}/*`, ''])),
    },
  }
}

/** The reasons that somebody still has to write. */
export const countEmpty = ({ expect, skip }: Required<Expectations>) =>
  [...Object.values(expect), ...Object.values(skip)].filter((reason) => reason === '').length

/** What somebody made of the reasons of a run; undefined if they are the same. */
export function describeChange(name: string, before: Reasons, after: Reasons): string | undefined {
  const [old, current] = [Object.entries(before), Object.entries(after)]
  const added = current.filter(([id]) => !Object.hasOwn(before, id)).map(([id]) => id)
  const removed = old.filter(([id]) => !Object.hasOwn(after, id)).map(([id]) => id)
  const changed = current.filter(([id, reason]) => Object.hasOwn(before, id) && before[id] !== reason).map(([id]) => id)
  const parts = Object.entries({ added, removed, 'other reason': changed }).filter(([, ids]) => ids.length > 0)
  if (parts.length === 0) return undefined
  return `${name} (${parts.map(([what, ids]) => `${what}: ${listed(ids)}`).join('; ')})`
}

/** How many ids a line names. */
const LISTED_MAX = 10

const listed = (ids: readonly string[]) =>
  ids.length > LISTED_MAX
    ? `${ids.slice(0, LISTED_MAX).join(', ')} and ${ids.length - LISTED_MAX} more`
    : ids.join(', ')
