import type { Fault } from '../lib/errors.ts'
import { pointerTo } from '../lib/json-pointer.ts'

/** The faults of a refused input, one for each failure, as zod found them. */
export function faultsOf(error: { issues: readonly Issue[] }): Fault[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? (issue.keys ?? []).map((key) => ({ pointer: pointerTo([...issue.path, key]), detail: 'unknown property' }))
      : { pointer: pointerTo(issue.path), detail: describe(issue) },
  )
}

interface Issue {
  code: string
  path: readonly PropertyKey[]
  message: string
  keys?: readonly string[]
  values?: readonly unknown[]
}

const NO_DOUBLE = 'must be a number that a double can hold: not too great, not so small that it becomes 0, and not -0'

/** What is wrong with a member, as a sentence of which the member is the subject. */
function describe({ code, message, values }: Issue): string {
  if (message.endsWith('received undefined')) return 'is required'
  if (/received -?Infinity$/.test(message)) return NO_DOUBLE
  if (code === 'invalid_value') return `must be one of ${(values ?? []).join(', ')}`
  return message.replace(/^Invalid input: expected (\w+), received (\w+)$/, 'must be of type $1, not $2')
}
