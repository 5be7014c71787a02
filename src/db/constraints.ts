import { keysOf } from '../lib/objects.ts'
import { rootCause } from '../lib/root-cause.ts'

/**
 * Registry: the constraints that can make the database reject a batch, with the texts of their errors. The triggers in
 * migrations/ and universes/figure-triggers.ts must have the same texts, which a test checks. Such an error rolls back
 * the whole batch.
 */
export const CONSTRAINTS = {
  /** Trigger `requirements_checked`: see changes/requirements.ts. The position of the requirement follows this text. */
  requirement: 'requirement not met: ',
  /** Triggers `credentials_alive` and `grants_alive`: the credential has ended, or the account is suspended. */
  credentialEnded: 'credential ended',
  /** Triggers `api_keys_deep`, `clients_deep` and `grants_deep`: see CREDENTIAL_DEPTH_MAX. */
  credentialChain: 'credential chain too long',
  /** Trigger `account_charged`: the account would exceed a limit. The name of the limit follows this text. */
  accountLimit: 'account limit: ',
  /** Triggers of universes/figure-triggers.ts: the universe would exceed a limit, whose name follows this text. */
  universeLimit: 'universe limit: ',
  /** Trigger `users_kept`: the account that owns the shipped planets cannot be deleted. */
  shippedPlanetsOwner: 'user 1 owns the shipped planets',
  /** Check `kept_replies_claimed`: another request with the same key has taken over. */
  claimLost: 'kept_replies_claimed',
  /** SQLite: a row refers to a row that another request has deleted. */
  foreignKey: 'FOREIGN KEY constraint failed',
} as const

type ConstraintName = keyof typeof CONSTRAINTS

/** Whether the database rejected a batch because of one of the named constraints. */
export function violates(error: unknown, ...names: ConstraintName[]): boolean {
  const { message } = rootCause(error)
  return names.some((name) => message.includes(CONSTRAINTS[name]))
}

/** The name that follows the text of a constraint in an error; undefined if the error has another cause. */
export function violatedName(error: unknown, name: ConstraintName): string | undefined {
  const [, textAfter] = rootCause(error).message.split(CONSTRAINTS[name])
  return textAfter?.match(/^\w+/)?.[0]
}

/** Whether the database rejected a batch because of a constraint. Then nothing of it is written. */
export function isRejected(error: unknown): boolean {
  return violates(error, ...keysOf(CONSTRAINTS))
}

/** A write that was not executed, because the caller's credential has ended since the request began. */
export class CredentialEnded extends Error {
  override readonly name = 'CredentialEnded'
}

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
