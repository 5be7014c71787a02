import { z } from 'zod'
import type { Fault } from '../../domain/problems.ts'
import { pointerTo } from '../../lib/objects.ts'
import { describeIssue } from './fault-words.ts'

// For every schema, so that none can forget it.
z.config({ localeError: describeIssue })

/** The faults of a refused input, one for each failure. Their words are those of the schema, or of http/body/fault-words.ts. */
export function faultsOf(error: { issues: readonly Issue[] }): Fault[] {
  return error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? (issue.keys ?? []).map((key) => ({ pointer: pointerTo([...issue.path, key]), detail: 'unknown property' }))
      : { pointer: pointerTo(issue.path), detail: issue.message },
  )
}

interface Issue {
  code: string
  path: readonly PropertyKey[]
  message: string
  keys?: readonly string[]
}
