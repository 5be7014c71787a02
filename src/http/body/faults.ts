import * as z from 'zod'
import type { Fault } from '../../domain/problems.ts'
import { pointerTo } from '../../lib/objects.ts'
import { describeIssue } from './fault-words.ts'

// The setting is global, so that every schema uses these messages.
z.config({ localeError: describeIssue })

/**
 * The faults of a rejected input, one for each failure, and one for each unknown property. Except for unknown
 * properties, the messages come from the schema, or from http/body/fault-words.ts.
 */
export function faultsOf(error: { issues: readonly Issue[] }): Fault[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? (issue.keys ?? []).map((key) => ({ pointer: pointerTo([...issue.path, key]), detail: 'unknown property' }))
      : { pointer: pointerTo(issue.path), detail: issue.message },
  )
}

/** The part of an issue of zod that is needed here. */
interface Issue {
  code: string
  path: readonly PropertyKey[]
  message: string
  keys?: readonly string[]
}
