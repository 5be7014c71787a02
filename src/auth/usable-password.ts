import { normaliseEmail } from '../domain/email.ts'
import { PASSWORD_MAX, PASSWORD_MIN } from '../domain/limits.ts'
import { type Fault, ProblemError } from '../domain/problems.ts'
import { countCodePoints } from '../lib/text.ts'
import { preparePassword } from './prepared-password.ts'

/**
 * Rejects a password that no account may have. A password that is too long as it was sent may still be short enough
 * when it is prepared, because another normalization of the same text has fewer characters.
 *
 * @param pointer JSON Pointer to the member that contains the password
 * @throws ProblemError 422
 */
export function requireUsablePassword(password: string, email: string, pointer: string): void {
  const faults: Fault[] = []
  const length = countCodePoints(password)
  const shortestLength = Math.min(length, countCodePoints(preparePassword(password)))
  if (length < PASSWORD_MIN || shortestLength > PASSWORD_MAX) {
    faults.push({ pointer, detail: `must have ${PASSWORD_MIN} to ${PASSWORD_MAX} characters` })
  }
  if (normaliseEmail(password) === normaliseEmail(email)) {
    faults.push({ pointer, detail: 'must not be the e-mail address' })
  }
  if (faults.length > 0) throw new ProblemError('unprocessable-content', 'This password cannot be used.', { faults })
}
