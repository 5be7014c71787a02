import { rootCause } from '../lib/root-cause.ts'
import { violates } from './constraints.ts'
import { CredentialEnded } from './guarded-session.ts'

/**
 * Runs statements that write rows with references to other rows. Another request may delete these other rows at the
 * same moment, or replace the password that a new grant depends on (trigger `grants_alive`).
 *
 * @returns Undefined if a row or credential that a new row depends on is gone. Nothing was written in that case.
 */
export async function awaitUnlessReferenceGone<Result>(work: PromiseLike<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    const cause = rootCause(error)
    if (cause instanceof CredentialEnded || violates(cause, 'foreignKey')) return undefined
    throw error
  }
}
