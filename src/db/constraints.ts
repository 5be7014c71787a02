import { rootCause } from '../lib/root-cause.ts'

/**
 * Registry: what the database refuses a batch with, by the words of its error. The words of triggers are in migrations/; a
 * test compares both. Such an error undoes the whole batch.
 */
export const CONSTRAINTS = {
  /** Trigger `planets_versioned`: the planet has changed since its version was read. */
  planetVersion: 'planet version conflict',
  /** Triggers `credentials_alive` and `grants_alive`: the credential of the write has ended, or its account is suspended. */
  credentialEnded: 'credential ended',
  /** Triggers `api_keys_deep`, `clients_deep` and `grants_deep`: see CREDENTIAL_DEPTH_MAX in stores/account-states.ts. */
  credentialChain: 'credential chain too long',
  /** Trigger `account_charged`, with the name of the limit: an account would store more than it may. */
  accountLimit: 'account limit: ',
  /** Trigger `users_kept`: the account that owns the shipped planets cannot be deleted. */
  shippedPlanetsOwner: 'user 1 owns the shipped planets',
  /** Check `bodies_bounded`: a planet or a star has as many satellites as it may have. */
  satellitesFull: 'bodies_bounded',
  /** SQLite: a row refers to one that another request has deleted. */
  foreignKey: 'FOREIGN KEY constraint failed',
} as const

type ConstraintName = keyof typeof CONSTRAINTS

/** Whether the database refused a batch because of one of these constraints. */
export function violates(error: unknown, ...names: ConstraintName[]): boolean {
  const { message } = rootCause(error)
  return names.some((name) => message.includes(CONSTRAINTS[name]))
}

/** The name that follows the words of a constraint; undefined if the error is another. */
export function violatedName(error: unknown, name: ConstraintName): string | undefined {
  const [, rest] = rootCause(error).message.split(CONSTRAINTS[name])
  return rest?.match(/^\w+/)?.[0]
}
