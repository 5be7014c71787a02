import { PROBLEMS, type ProblemCode, ProblemError } from '../../domain/problems.ts'

/**
 * Finds out whether a form is shown again with an error.
 *
 * @param codes The problems that are shown in the form
 * @throws The error itself if it is none of these problems
 */
export function findRefusal<const Code extends ProblemCode>(
  error: unknown,
  codes: readonly Code[],
): { refusal: ProblemError; status: (typeof PROBLEMS)[Code]['status'] } {
  if (!(error instanceof ProblemError)) throw error
  const code = codes.find((shownCode) => shownCode === error.code)
  if (!code) throw error
  return { refusal: error, status: PROBLEMS[code].status }
}
