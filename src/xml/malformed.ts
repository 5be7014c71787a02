import { ProblemError } from '../domain/problems.ts'

/** The error for a body that is not a document which the service accepts. @param reason Follows a colon */
export function malformed(reason: string): ProblemError {
  return new ProblemError('malformed-body', `The XML body was rejected: ${reason}.`)
}
