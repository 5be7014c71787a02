import { rootCause } from '../lib/root-cause.ts'
import { CredentialEnded } from './client.ts'
import { violates } from './constraints.ts'

/**
 * Awaits statements that write rows with references to other rows. At the same moment, another request may delete these
 * other rows, or replace the password that a new grant depends on (trigger `grants_alive`).
 *
 * @returns The result of the statements. Undefined if what a new row depends on is gone: nothing was written then
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
