import { and, eq, gt, isNull, or, type SQLWrapper, sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { Database } from '../db/client.ts'
import type { WriteGuard } from '../db/guarded-session.ts'
import { apiKeys, grants, users } from '../db/tables.ts'
import { normaliseEmail } from '../domain/email.ts'
import type { Scope } from '../schemas/scopes.ts'

// What only the database knows of a credential: whether it still holds, and whose it is. Every secured request asks one
// of these queries, each a search by one index.

/** A user's standing, as a credential of whatever kind finds it. */
export interface AccountState {
  id: number
  name: string | null
  email: string | null
  createdAt: Date
  renamedAt: Date | null
  suspendedAt: Date | null
  passwordGeneration: number
  /** If the credential is a password. */
  passwordHash?: string | null
  /** If the credential is an API key. */
  key?: { id: number; scopes: Scope[]; expiresAt: Date | null; lastUsedAt: Date | null; depth: number }
  /** If the credential was given under a grant. */
  grant?: { id: string; expiresAt: Date; depth: number }
}

/** A list of one, or of none. To be awaited, or put into a batch to share a round trip. */
export type AccountStateQuery = RunnableQuery<AccountState[], 'sqlite'> & PromiseLike<AccountState[]>

const COLUMNS = {
  id: users.id,
  name: users.name,
  email: users.email,
  createdAt: users.createdAt,
  renamedAt: users.renamedAt,
  suspendedAt: users.suspendedAt,
  passwordGeneration: users.passwordGeneration,
}

// In a batch D1 gives rows as objects, where of two columns of one name only one is left: so none may have another's.
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

/** Of a user, where the password is still the one of then. */
export function stateOfUser(db: Database, id: number, passwordGeneration: number): AccountStateQuery {
  return db
    .select(COLUMNS)
    .from(users)
    .where(and(eq(users.id, id), eq(users.passwordGeneration, passwordGeneration)))
    .limit(1)
}

/** Of the account of an e-mail. */
export function stateByEmail(db: Database, email: string): AccountStateQuery {
  return db
    .select({ ...COLUMNS, passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.emailKey, normaliseEmail(email)))
    .limit(1)
}

/** Of the owner of an API key that has neither expired nor ended with its owner's password. */
export function stateOfKeyOwner(db: Database, hash: string, now: Date): AccountStateQuery {
  return db
    .select({ ...COLUMNS, key: KEY_COLUMNS })
    .from(apiKeys)
    .innerJoin(users, isOwner(apiKeys))
    .where(and(eq(apiKeys.hash, hash), or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now))))
    .limit(1)
}

/** Of the user who gave a grant that still holds. */
export function stateOfGrantUser(db: Database, grantId: string, now: Date): AccountStateQuery {
  return db
    .select({ ...COLUMNS, grant: GRANT_COLUMNS })
    .from(grants)
    .innerJoin(users, isOwner(grants))
    .where(and(eq(grants.id, grantId), isNull(grants.endedAt), gt(grants.expiresAt, now)))
    .limit(1)
}

/** Of the user whom an issuer of OIDC_ISSUERS vouches for. */
export function stateOfSubject(db: Database, issuer: string, subject: string): AccountStateQuery {
  return db
    .select(COLUMNS)
    .from(users)
    .where(and(eq(users.issuer, issuer), eq(users.subject, subject)))
    .limit(1)
}

/** Joins what was made under a password to its user, as long as the password is still the one of then. */
export function isOwner({ userId, passwordGeneration }: Record<'userId' | 'passwordGeneration', SQLWrapper>) {
  return and(eq(users.id, userId), eq(users.passwordGeneration, passwordGeneration))
}

/** A credential that creates another one. A password, or a token for one, has neither a key nor a grant. */
export interface MakingCredential {
  keyId: number | null
  grantId: string | null
  depth: number
}

/**
 * How long a chain of credentials that create one another may be: a key or a client of depth 2 was created by one that was
 * created by one that the account itself created, or a grant of such a client. Triggers of the migrations hold it too.
 */
export const CREDENTIAL_DEPTH_MAX = 2

/** What is stored of the credential that creates a key or a client. */
export function madeBy({ keyId, grantId, depth }: MakingCredential) {
  return { madeByKey: keyId, madeByGrant: grantId, depth: keyId === null && grantId === null ? 0 : depth + 1 }
}

/** A credential as a write checks it once more: a key, a grant, or what proves the user directly. */
export interface CredentialProof {
  userId: number
  passwordGeneration: number
  keyId: number | null
  grantId: string | null
}

/**
 * The statement that fails, with the batch that it is in, if a credential has ended: it was revoked or has expired, the
 * account was suspended or deleted, or has a new password. It stores nothing (view `credential_checks`, migrations/) and reads
 * one row.
 */
export function credentialCheck(proof: CredentialProof, now: Date): ReturnType<WriteGuard> {
  const { userId, passwordGeneration, keyId, grantId } = proof
  return {
    text: 'insert into credential_checks (user_id, password_generation, key_id, grant_id, time) values (?, ?, ?, ?, ?)',
    values: [userId, passwordGeneration, keyId, grantId, now.getTime()],
  }
}
