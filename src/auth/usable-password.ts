import { normaliseEmail } from '../domain/email.ts'
import { type Fault, ProblemError } from '../domain/problems.ts'
import { countCodePoints } from '../lib/text.ts'

/** The length of a password in characters. */
export const PASSWORD_MIN = 6
export const PASSWORD_MAX = 256

/**
 * Rejects a password that no account may have.
 *
 * @param pointer JSON Pointer to the member that contains the password
 * @throws ProblemError 422
 */
export function requireUsablePassword(password: string, email: string, pointer: string): void {
  const faults: Fault[] = []
  const length = countCodePoints(password)
  if (length < PASSWORD_MIN || length > PASSWORD_MAX) {
    faults.push({ pointer, detail: `must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters` })
  }
  if (normaliseEmail(password) === normaliseEmail(email)) {
    faults.push({ pointer, detail: 'must not be the e-mail address' })
  }
  if (faults.length > 0) throw new ProblemError('unprocessable-content', 'This password cannot be used.', { faults })
}
