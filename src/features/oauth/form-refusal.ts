import { PROBLEMS, type ProblemCode, ProblemError } from '../../domain/problems.ts'

/**
 * The problem for which a form is shown again, and its status.
 *
 * @param codes The problems that are shown in the form
 * @throws Every other error unchanged
 */
export function findRefusal<const Code extends ProblemCode>(
  error: unknown,
  codes: readonly Code[],
): { refusal: ProblemError; status: (typeof PROBLEMS)[Code]['status'] } {
  if (!(error instanceof ProblemError)) throw error
  const code = codes.find((one) => one === error.code)
  if (!code) throw error
  return { refusal: error, status: PROBLEMS[code].status }
}
