import { and, eq, gt, isNull, or, type SQLWrapper, sql } from 'drizzle-orm'
import { build, type Placeholders, prepare, type ReadQuery, type WriteGuard } from '../db/port.ts'
import { apiKeys, grants, users } from '../db/tables.ts'
import { normaliseEmail } from '../domain/email.ts'
import type { Scope } from '../domain/scopes.ts'

// The queries that check a credential: whether it is still valid, and which account it belongs to. Every request with
// credentials runs one of them. Each query searches one index.

/** The account of a credential, with the data that its check needs. */
export interface AccountState {
  id: number
  name: string | null
  email: string | null
  createdAt: Date
  renamedAt: Date | null
  suspendedAt: Date | null
  passwordGeneration: number
  /** Only if the credential is a password. */
  passwordHash?: string | null
  /** Only if the credential is an API key. For `depth`, see CREDENTIAL_DEPTH_MAX. */
  key?: { id: number; scopes: Scope[]; expiresAt: Date | null; lastUsedAt: Date | null; depth: number }
  /** Only if the credential was issued under a grant. For `depth`, see CREDENTIAL_DEPTH_MAX. */
  grant?: { id: string; expiresAt: Date; depth: number }
}

/** A query for a list with one item or none. Await it, or add it to a batch to share the round trip. */
export type AccountStateQuery = ReadQuery<AccountState[]>

const COLUMNS = {
  id: users.id,
  name: users.name,
  email: users.email,
  createdAt: users.createdAt,
  renamedAt: users.renamedAt,
  suspendedAt: users.suspendedAt,
  passwordGeneration: users.passwordGeneration,
}

// In a batch, D1 returns rows as objects. If two columns have the same name, the object has only one of them. So the
// ids of keys and grants get names that differ from `id` of the user.
const KEY_COLUMNS = {
  id: sql<number>`${apiKeys.id}`.as('key_id'),
  scopes: apiKeys.scopes,
  expiresAt: apiKeys.expiresAt,
  lastUsedAt: apiKeys.lastUsedAt,
  depth: apiKeys.depth,
}

const GRANT_COLUMNS = {
  id: sql<string>`${grants.id}`.as('grant_id'),
  expiresAt: grants.expiresAt,
  depth: grants.depth,
}

const byUser = prepare(({ id, passwordGeneration }: Placeholders<{ id: number; passwordGeneration: number }>) =>
  build
    .select(COLUMNS)
    .from(users)
    .where(and(eq(users.id, id), eq(users.passwordGeneration, passwordGeneration)))
    .limit(1),
)

/** The query for the state of a user, if the password has not changed since the credential was issued. */
export function stateOfUser(id: number, passwordGeneration: number): AccountStateQuery {
  return byUser({ id, passwordGeneration })
}

const byEmail = prepare(({ emailKey }: Placeholders<{ emailKey: string }>) =>
  build
    .select({ ...COLUMNS, passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.emailKey, emailKey))
    .limit(1),
)

/** The query for the state of the account with an e-mail address. */
export function stateByEmail(email: string): AccountStateQuery {
  return byEmail({ emailKey: normaliseEmail(email) })
}

const byKey = prepare(({ hash, now }: Placeholders<{ hash: string; now: number }>) =>
  build
    .select({ ...COLUMNS, key: KEY_COLUMNS })
    .from(apiKeys)
    .innerJoin(users, isCurrentOwnerOf(apiKeys))
    .where(and(eq(apiKeys.hash, hash), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now))))
    .limit(1),
)

/** Only if the key has not expired and was created under the current password. */
export function stateOfKeyOwner(hash: string, now: Date): AccountStateQuery {
  return byKey({ hash, now: now.getTime() })
}

const byGrant = prepare(({ grantId, now }: Placeholders<{ grantId: string; now: number }>) =>
  build
    .select({ ...COLUMNS, grant: GRANT_COLUMNS })
    .from(grants)
    .innerJoin(users, isCurrentOwnerOf(grants))
    .where(and(eq(grants.id, grantId), isNull(grants.endedAt), gt(grants.expiresAt, now)))
    .limit(1),
)

/** The query for the state of the user who gave a grant, if the grant is still valid. */
export function stateOfGrantUser(grantId: string, now: Date): AccountStateQuery {
  return byGrant({ grantId, now: now.getTime() })
}

const bySubject = prepare(({ issuer, subject }: Placeholders<{ issuer: string; subject: string }>) =>
  build
    .select(COLUMNS)
    .from(users)
    .where(and(eq(users.issuer, issuer), eq(users.subject, subject)))
    .limit(1),
)

/** @param subject The id that an issuer in OIDC_ISSUERS gives the user */
export function stateOfSubject(issuer: string, subject: string): AccountStateQuery {
  return bySubject({ issuer, subject })
}

/**
 * The condition that joins rows with the user who owns them. It excludes rows from before the user's last change of the
 * password, because these rows are no longer valid.
 */
export function isCurrentOwnerOf({ userId, passwordGeneration }: Record<'userId' | 'passwordGeneration', SQLWrapper>) {
  return and(eq(users.id, userId), eq(users.passwordGeneration, passwordGeneration))
}

/**
 * The credential with which a key or client is created. `keyId` is set for an API key, and `grantId` for a token that
 * was issued under a grant. Both are null for a password, a token from POST /auth/token, or a token of another
 * provider.
 */
export interface CreatingCredential {
  keyId: number | null
  grantId: string | null
  /** See CREDENTIAL_DEPTH_MAX. */
  depth: number
}

/**
 * Maximum depth of a credential. A key or client that was created with another key, or under a grant, has the depth of
 * that key or grant plus 1. Otherwise its depth is 0. A grant has the depth of its client. Triggers in the migrations
 * enforce this limit.
 */
export const CREDENTIAL_DEPTH_MAX = 2

/** The columns of a new key or client that describe the credential that creates it. */
export function columnsOfCreatingCredential({ keyId, grantId, depth }: CreatingCredential) {
  const startsChain = keyId === null && grantId === null
  return { madeByKey: keyId, madeByGrant: grantId, depth: startsChain ? 0 : depth + 1 }
}

/** Identifies a credential, so that a write can check again whether it is valid. */
interface CredentialProof {
  userId: number
  passwordGeneration: number
  keyId: number | null
  grantId: string | null
}

/** Fails if the credential is no longer valid, and so rolls back the whole batch (src/auth/README.md). */
export function credentialCheck(proof: CredentialProof, now: Date): ReturnType<WriteGuard> {
  const { userId, passwordGeneration, keyId, grantId } = proof
  return {
    sql: 'insert into credential_checks (user_id, password_generation, key_id, grant_id, time) values (?, ?, ?, ?, ?)',
    params: [userId, passwordGeneration, keyId, grantId, now.getTime()],
  }
}
