import type { Method } from '../http/pipeline/route.ts'

/** The texts on the page of a problem (documents/problems), except its meaning (domain/problems.ts). */
export interface ProblemGuide {
  /** The usual causes, as sentences. Names of headers, members and values are between backticks. */
  causes: readonly string[]
  /** What the caller can do, in the same form. */
  remedies: readonly string[]
  standard: Standard
  /** The guide that explains more; absent if there is none. */
  guide?: { title: string; path: string }
  /** A request that gets this problem; absent for `universe-ended`, because an ended universe has no pages, and for `injected`. */
  provocation?: Provocation
}

/** A section of an RFC, which defines the status or the error. */
interface Standard {
  rfc: number
  section: string
}

/**
 * A request without a body that gets a problem. If `isReal` is set, the request itself is wrong. Otherwise, the header
 * `Prefer` requests the example of the problem.
 */
export interface Provocation {
  method: Method
  path: string
  isReal?: true
}
