import { rootCause } from '../lib/root-cause.ts'
import { violates } from './constraints.ts'
import { CredentialEnded } from './guarded-session.ts'

/**
 * Runs statements that write rows which refer to others. Another request may delete those others at the same moment, or end
 * the password that they were proved with (trigger `grants_alive`).
 *
 * @returns Undefined if what a new row depends on is gone: nothing was written then
 */
export async function unlessGone<Result>(work: PromiseLike<Result>): Promise<Result | undefined> {
  try {
    return await work
  } catch (error) {
    const cause = rootCause(error)
    if (cause instanceof CredentialEnded || violates(cause, 'foreignKey')) return undefined
    throw error
  }
}
